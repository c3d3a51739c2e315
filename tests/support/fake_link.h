// A link and a transport that a test plays: what was sent lies in a list, and whether there is room is up to
// the test.
#ifndef PS_TESTS_SUPPORT_FAKE_LINK_H_
#define PS_TESTS_SUPPORT_FAKE_LINK_H_

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "transport/transport.h"

namespace ps {

// What links to one address share. Thread-safe.
class FakeWire {
 public:
  // The number of frames it takes until there is room again; the next one finds no memory if it `fails`.
  void SetRoom(size_t frames, bool fails = false) {
    std::lock_guard<std::mutex> lock(mutex_);
    room_ = frames;
    fails_next_ = fails;
  }
  // Frames count as unreleased until they are taken; Close of the link drops them.
  SendResult TrySend(const Frame& frame) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (std::exchange(fails_next_, false)) throw std::bad_alloc();
    if (frames_.size() >= room_) return SendResult::kFull;
    frames_.push_back(frame);
    changed_.notify_all();
    return SendResult::kSent;
  }
  bool Take(Frame* frame) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (frames_.empty()) return false;
    *frame = std::move(frames_.front());
    frames_.pop_front();
    return true;
  }
  // All of them, decoded.
  std::vector<Header> TakeHeaders() {
    std::vector<Header> headers;
    for (Frame frame; Take(&frame);) {
      headers.push_back(DecodeHeader(frame.head.data(), frame.head.size()).value());
    }
    return headers;
  }
  bool WaitForFrames(size_t count) {
    std::unique_lock<std::mutex> lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(20), [&] { return frames_.size() >= count; });
  }
  size_t size() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return frames_.size();
  }
  void Drop() {
    std::lock_guard<std::mutex> lock(mutex_);
    frames_.clear();
  }
  int num_closed() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return num_closed_;
  }
  void OnClosed() {
    std::lock_guard<std::mutex> lock(mutex_);
    if (holds_) in_hand_.insert(in_hand_.end(), frames_.begin(), frames_.end());
    frames_.clear();
    ++num_closed_;
  }
  // From now on links that close still have their frames in hand, as the threads of a library may, until
  // LetGo.
  void HoldWhenClosed() {
    std::lock_guard<std::mutex> lock(mutex_);
    holds_ = true;
  }
  void LetGo() {
    std::lock_guard<std::mutex> lock(mutex_);
    in_hand_.clear();
  }
  size_t in_hand() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return in_hand_.size();
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Frame> frames_;
  std::deque<Frame> in_hand_;
  bool holds_ = false;
  size_t room_ = 1 << 20;
  bool fails_next_ = false;
  int num_closed_ = 0;
};

class FakeLink : public Link {
 public:
  explicit FakeLink(std::shared_ptr<FakeWire> wire,
                    uint64_t piece_bytes = std::numeric_limits<uint64_t>::max())
      : wire_(std::move(wire)), piece_bytes_(piece_bytes) {}
  ~FakeLink() override { Close(); }
  SendResult TrySend(const Frame& frame) override {
    return closed_ ? SendResult::kClosed : wire_->TrySend(frame);
  }
  uint64_t piece_bytes() const override { return piece_bytes_; }
  size_t unreleased() const override { return closed_ ? wire_->in_hand() : wire_->size(); }
  void Close() override {
    if (!closed_) wire_->OnClosed();
    closed_ = true;
  }

 private:
  const std::shared_ptr<FakeWire> wire_;
  const uint64_t piece_bytes_;
  bool closed_ = false;
};

// Finds out nothing.
class FakeCheck : public ReachCheck {
 public:
  State Look() override { return State::kUnknown; }
};

// Receives nothing; Poll returns when it is woken.
class FakeTransport : public Transport {
 public:
  const char* name() const override { return "fake"; }
  Result<Address> Bind(const Address& where) override { return where; }
  Result<std::unique_ptr<Link>> Connect(const Address& peer, uint64_t incarnation) override {
    connected.push_back(peer.ToString());
    incarnations.push_back(incarnation);
    return std::unique_ptr<Link>(std::make_unique<FakeLink>(WireTo(peer.ToString())));
  }
  Status Reply(const ReturnPath&, const Frame&) override { return Status::Ok(); }
  int Poll(FrameSink*, int) override {
    std::unique_lock<std::mutex> lock(mutex_);
    ++num_polls_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return woken_; });
    woken_ = false;
    return 0;
  }
  std::string Probe(const Address&) const override { return "nothing there"; }
  std::unique_ptr<ReachCheck> StartCheck(const Address&) const override {
    return std::make_unique<FakeCheck>();
  }
  void Wake() override {
    std::lock_guard<std::mutex> lock(mutex_);
    woken_ = true;
    changed_.notify_all();
  }
  void set_release_callback(std::function<void()>) override {}
  void Close(int) override {}

  std::shared_ptr<FakeWire> WireTo(const std::string& address) {
    std::shared_ptr<FakeWire>& wire = wires_[address];
    if (wire == nullptr) wire = std::make_shared<FakeWire>();
    return wire;
  }

  std::vector<std::string> connected;
  std::vector<uint64_t> incarnations;  // that were named with each

 private:
  std::map<std::string, std::shared_ptr<FakeWire>> wires_;
  std::mutex mutex_;
  std::condition_variable changed_;
  int num_polls_ = 0;
  bool woken_ = false;
};

}  // namespace ps
#endif  // PS_TESTS_SUPPORT_FAKE_LINK_H_
