// One copy through a ring in shared memory: the least a transport between two processes has to do.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <vector>

#include "tests/bench/floors/floor.h"
#include "tests/bench/floors/futex.h"
#include "tests/bench/floors/pattern.h"
#include "tests/bench/floors/peer.h"
#include "tests/bench/floors/stream.h"

namespace ps::floors {
namespace {

constexpr size_t kRingBytes = 4 << 20;
constexpr size_t kPieceBytes = 256 << 10;
constexpr size_t kColdBytes = 256 << 20;
constexpr int kSpins = 200;  // before sleeping: about the price of being woken

// A number that one process raises and the other waits for. It runs around, so it is compared by difference.
class Counter {
 public:
  // The number, once it is no longer `known`.
  std::uint32_t AwaitBeyond(std::uint32_t known) {
    for (int i = 0; i < kSpins; ++i) {
      const std::uint32_t now = value_.load(std::memory_order_acquire);
      if (now != known) return now;
      Pause();
    }
    while (true) {
      sleeps_.store(1);
      const std::uint32_t now = value_.load();
      if (now != known) {
        sleeps_.store(0);
        return now;
      }
      FutexWait(&value_, known);
    }
  }
  void Raise(std::uint32_t value) {
    value_.store(value);
    if (sleeps_.load() != 0 && sleeps_.exchange(0) != 0) FutexWake(&value_);
  }

 private:
  alignas(128) std::atomic<std::uint32_t> value_{0};
  alignas(128) std::atomic<std::uint32_t> sleeps_{0};
};

struct Shared {
  Counter written;    // pieces
  Counter read;       // pieces
  Counter confirmed;  // Runs
  alignas(4096) char ring[kRingBytes];
};

class Ring : public Floor {
 public:
  Ring(const Task& task, size_t source_bytes)
      : task_(task),
        piece_(std::min(task.bytes, kPieceBytes)),
        slot_((piece_ + kLineBytes - 1) / kLineBytes * kLineBytes),
        slots_(static_cast<std::uint32_t>(kRingBytes / slot_)),
        pieces_(static_cast<std::uint32_t>(MessagesOf(task) * ((task.bytes + piece_ - 1) / piece_))),
        shared_(MakeShared<Shared>()),
        source_(std::max(source_bytes, piece_) / piece_ * piece_),
        peer_([this] { Read(); }) {
    for (size_t at = 0; at < source_.size(); at += piece_) FillPattern(source_.data() + at, piece_);
  }

  Figures Run() override {
    const auto start = bench::SteadyClock::now();
    for (std::uint32_t i = 0; i < pieces_; ++i) Write();
    const std::uint32_t runs = runs_++;
    shared_->confirmed.AwaitBeyond(runs);
    return StreamFigures(task_, bench::SecondsSince(start));
  }

 private:
  char* Slot(std::uint32_t piece) { return shared_->ring + piece % slots_ * slot_; }

  void Write() {
    while (written_ - read_ >= slots_) read_ = shared_->read.AwaitBeyond(read_);
    std::memcpy(Slot(written_), source_.data() + from_, piece_);
    from_ = from_ + piece_ == source_.size() ? 0 : from_ + piece_;
    shared_->written.Raise(++written_);
  }

  // In the peer.
  [[noreturn]] void Read() {
    for (std::uint32_t runs = 1;; ++runs) {
      for (std::uint32_t i = 0; i < pieces_; ++i) {
        if (written_ == read_) written_ = shared_->written.AwaitBeyond(read_);
        CheckPattern(Slot(read_), piece_, kLineBytes);
        shared_->read.Raise(++read_);
      }
      shared_->confirmed.Raise(runs);
    }
  }

  const Task task_;
  const size_t piece_;
  const size_t slot_;
  const std::uint32_t slots_;
  const std::uint32_t pieces_;  // of a Run
  Shared* const shared_;
  std::vector<char> source_;
  size_t from_ = 0;
  std::uint32_t written_ = 0;  // what this process knows of both
  std::uint32_t read_ = 0;
  std::uint32_t runs_ = 0;
  Peer peer_;  // last: it begins with a copy of the rest
};

}  // namespace

std::unique_ptr<Floor> MakeRing(const Task& task) { return std::make_unique<Ring>(task, task.bytes); }
std::unique_ptr<Floor> MakeColdRing(const Task& task) { return std::make_unique<Ring>(task, kColdBytes); }

}  // namespace ps::floors
