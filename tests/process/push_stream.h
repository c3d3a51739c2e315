// Pushes of one worker to one server, for programs that lose it.
#ifndef PS_TESTS_PROCESS_PUSH_STREAM_H_
#define PS_TESTS_PROCESS_PUSH_STREAM_H_

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "ps/ps.h"

namespace ps_test {

inline double NowMs() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double, std::milli>(now).count();
}

// A key of its own at one server; each push adds 1, so that its value is the number of pushes applied. A few
// are on their way at a time.
class PushStream {
 public:
  PushStream(ps::KVWorker<float>* kv, int server_rank)
      : kv_(kv),
        server_(server_rank),
        key_(ps::Postoffice::Get()->GetServerKeyRanges()[server_rank].begin() +
             static_cast<ps::Key>(ps::MyRank())) {
    // One that took the place of another goes on with what that has pushed.
    std::vector<float> value;
    if (ps::Postoffice::Get()->is_recovery() && Outcome(kv_->Pull({key_}, &value)).ok())
      before_ = value.at(0);
  }

  // Waits for the oldest push when enough are on their way.
  void Push() {
    if (pending_.size() >= kWindow) Finish();
    // When it is done is told by its callback: this thread may wait for another one meanwhile.
    const auto done_ms = std::make_shared<std::atomic<double>>(0);
    const double since_ms = NowMs();
    const int timestamp = kv_->Push({key_}, {1}, {}, 0, [done_ms] { done_ms->store(NowMs()); });
    pending_.push_back({timestamp, since_ms, done_ms});
  }
  void Drain() {
    while (!pending_.empty()) Finish();
  }

  // From a push until it was known to be done, or to have failed.
  double longest_ms() const { return longest_ms_; }
  bool lost() const { return failed_ > 0; }

  // Whether the server has exactly what it acknowledged. Of a lost one: whether it still says so.
  std::string Report() {
    Drain();
    std::vector<float> value;
    const ps::Status pulled = Outcome(kv_->Pull({key_}, &value));
    std::string text = "server " + std::to_string(server_) + ": acknowledged " +
                       std::to_string(acknowledged_) + ", failed " + std::to_string(failed_);
    if (lost())
      text += " (later ones within " + std::to_string(slowest_later_ms_) + " ms): " + why_.ToString();
    if (!pulled.ok()) return text + "; pull: " + pulled.ToString();
    const float pushed = value.at(0) - before_;
    return text +
           (pushed == static_cast<float>(acknowledged_) ? "; exact" : "; has " + std::to_string(pushed));
  }

 private:
  static constexpr size_t kWindow = 4;
  struct Pending {
    int timestamp;
    double since_ms;
    std::shared_ptr<std::atomic<double>> done_ms;
  };

  ps::Status Outcome(int timestamp) { return kv_->WaitFor(timestamp, std::chrono::minutes(1)); }

  void Finish() {
    const Pending oldest = pending_.front();
    pending_.pop_front();
    const ps::Status outcome = Outcome(oldest.timestamp);
    const double took_ms = oldest.done_ms->load() - oldest.since_ms;
    longest_ms_ = std::max(longest_ms_, took_ms);
    if (outcome.ok()) {
      ++acknowledged_;
      return;
    }
    if (!lost()) {
      why_ = outcome;
      lost_at_ms_ = NowMs();
    } else if (oldest.since_ms > lost_at_ms_) {
      slowest_later_ms_ = std::max(slowest_later_ms_, took_ms);
    }
    ++failed_;
  }

  ps::KVWorker<float>* const kv_;
  const int server_;
  const ps::Key key_;
  float before_ = 0;
  std::deque<Pending> pending_;
  double longest_ms_ = 0;
  int acknowledged_ = 0;
  int failed_ = 0;
  ps::Status why_;
  double lost_at_ms_ = 0;
  double slowest_later_ms_ = 0;
};

}  // namespace ps_test

#endif  // PS_TESTS_PROCESS_PUSH_STREAM_H_
