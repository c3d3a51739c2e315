// For tests of threads that help to receive: a sink that counts, and wishes for a count.
#ifndef PS_TESTS_SUPPORT_COUNTING_SINK_H_
#define PS_TESTS_SUPPORT_COUNTING_SINK_H_

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <functional>
#include <thread>
#include <utility>

#include "base/receive_token.h"
#include "transport/transport.h"

namespace ps {

// Counts frames that are numbered from 1 on, whoever receives them, and tells those who may wait for one.
class CountingSink : public FrameSink {
 public:
  void OnFrame(Frame&& frame, const ReturnPath&) override {
    uint64_t number = 0;
    std::memcpy(&number, frame.head.data(), sizeof(number));
    EXPECT_EQ(number, count_.load() + 1) << "in the order sent";
    last_thread_ = std::this_thread::get_id();
    count_.store(number);
    caller_bell_.Ring();
    if (on_frame) on_frame();
  }
  void OnPeerClosed(const ReturnPath&) override {
    closed_.store(true);
    caller_bell_.Ring();
  }

  // Until so many have come.
  HelpWish Until(uint64_t count, ReceiveToken::Rank rank = ReceiveToken::Rank::kCaller) {
    HelpWish wish;
    wish.is_done = [this, count] { return count_.load() >= count; };
    wish.bell = rank == ReceiveToken::Rank::kCaller ? &caller_bell_ : &idle_bell_;
    wish.rank = rank;
    return wish;
  }
  Bell& caller_bell() { return caller_bell_; }

  uint64_t count() const { return count_.load(); }
  bool closed() const { return closed_.load(); }
  std::thread::id last_thread() const { return last_thread_; }  // after count() has told of a frame
  std::function<void()> on_frame;

 private:
  Bell caller_bell_, idle_bell_;
  std::atomic<uint64_t> count_{0};
  std::atomic<bool> closed_{false};
  std::thread::id last_thread_;
};

}  // namespace ps

#endif  // PS_TESTS_SUPPORT_COUNTING_SINK_H_
