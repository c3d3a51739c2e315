#ifndef PS_APP_REQUEST_TRACKER_H_
#define PS_APP_REQUEST_TRACKER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "app/finished_requests.h"
#include "app/live_requests.h"
#include "app/receivers.h"
#include "ps/message.h"
#include "ps/status.h"

namespace ps {

// What a request does with its answers. Calls come one at a time: from the thread of its Customer, or, for a
// direct request, from the receiving thread (OnDone from either).
class RequestSink {
 public:
  virtual ~RequestSink() = default;
  // An answer that is expected and no error. A failed Status fails the request.
  virtual Status OnAnswer(const Message& /*answer*/) { return Status::Ok(); }
  // Nothing more will come. Returns the final outcome, after which Wait returns.
  virtual Status OnDone(const Status& so_far) { return so_far; }
  // True if OnDone told somebody of a failure.
  virtual bool observed() const { return false; }
};

// Who has answered which request. Pure: one thread, no clock, no I/O. O(1) per request and answer (in the
// number of requests; among those that are done and wait for their sinks it is a heap), no memory for
// requests that are finished but that of FinishedRequests.
//
// A request is *open* until its receivers have answered, were credited or cannot answer; then *done*, in
// order of issue among those that are done; then, when its sink has run, *finished*.
class RequestTracker {
 public:
  static constexpr int kEveryNode = -1;
  static constexpr int kEveryRequest = -1;

  struct Request {
    Receivers receivers;
    std::shared_ptr<RequestSink> sink;  // null: its answers carry nothing and nobody is called back
    bool lent = false;    // its memory is the caller's: a failure ends it only when no receiver is left open
    bool direct = false;  // its sink is not the user's code: whoever receives an answer may hand it over
  };
  // Whether an answer was counted, and what has come of its request. Left done: it is the thread's to finish.
  enum class Counted { kNot, kOpen, kFinished, kLeftDone };
  struct Expectation {
    enum { kExpected, kLate, kExtra, kUnknown } verdict = kUnknown;  // late: the request has failed already
    bool claimed = false;
    Counted counted = Counted::kNot;
    std::shared_ptr<RequestSink> sink;
  };
  enum class Taker { kThread, kReceiver, kReceiverAtOnce };
  struct Done {
    int timestamp = 0;
    Status status;
    std::shared_ptr<RequestSink> sink;
    bool direct = false;
    bool is_unanswered =
        false;  // a receiver may still have it: answers were credited, or another one has failed
  };
  // What a claimed answer has led to.
  struct Answered {
    std::optional<Done> done;  // the taker's to finish
    bool left_done = false;    // done, and the thread's to finish
  };
  struct Overdue {
    int timestamp = 0;
    int64_t age_ms = 0;
    std::vector<int> silent;  // receivers that have not answered
  };
  struct State {
    bool known = false;                 // was given out
    bool finished = false;              // Wait may return
    int num_answers = -1;               // -1: forgotten
    const Receivers* silent = nullptr;  // receivers that have not answered; until the next call
  };

  explicit RequestTracker(int first_timestamp = 0) : next_timestamp_(first_timestamp) {}

  // The timestamp: counts up, after INT_MAX from 0 on, past live ones. `timeout_ms` 0: none. A request
  // without receivers is done at once.
  int Issue(Request request, int64_t now_ms, int64_t timeout_ms);

  // Where the receiver asks, an answer that is expected and belongs to a direct request is claimed: until it
  // is counted the request is not done. kReceiverAtOnce: an answer that carries nothing; where there is no
  // sink to hand it to it is counted, and its request finished with the last one; else nothing is done.
  Expectation Judge(int timestamp, int node, Taker taker = Taker::kThread);
  // Counts an answer that Judge expected (where the receiver takes it: has claimed); a failed `outcome` fails
  // the request. Tells what has come of it to the receiver only.
  Answered Answer(int timestamp, int node, const Status& outcome, Taker taker = Taker::kThread);
  // `node` (or kEveryNode) will not answer this request (or kEveryRequest that is open and was among the
  // first `before` that were issued).
  void Fail(int timestamp, int node, const Status& why, uint64_t before = UINT64_MAX);
  // `num` answers that will not come count as come. False if the timestamp is not live.
  bool Credit(int timestamp, int num);

  // Open requests whose time is over; the caller fails them.
  std::vector<Overdue> TakeOverdue(int64_t now_ms);
  // When TakeOverdue will have something; INT64_MAX: never.
  int64_t next_deadline_ms() const;

  // The done request that was issued first; it must be finished before Wait returns.
  std::optional<Done> TakeDone();
  void Finish(const Done& done, const Status& outcome);

  State Look(int timestamp) const;
  struct Counts {
    std::size_t live;  // not finished
    std::size_t done;  // what TakeDone gives out
  };
  Counts counts() const { return {live_.size(), done_.size()}; }
  FinishedRequests& finished() { return finished_; }

 private:
  void FailOne(LiveRequest* live, int node, const Status& why);
  static bool Settle(LiveRequest* live, int node);
  int TakeTimestamp();
  static void RecordFailure(LiveRequest* live, const Status& why);
  static bool IsOver(const LiveRequest& live);
  Counted CountAtOnce(LiveRequest* live, int node);
  void Close(LiveRequest* live);
  void AddDone(const LiveRequest& live);
  void CheckDone(LiveRequest* live);
  static Done DoneOf(LiveRequest* live);
  bool Issued(int timestamp) const;

  int next_timestamp_;
  bool wrapped_ = false;
  uint64_t next_sequence_ = 0;
  LiveRequests live_;
  struct DoneEntry {
    uint64_t sequence;
    int timestamp;
    // For a heap that has the first request in front.
    bool operator<(const DoneEntry& other) const { return sequence > other.sequence; }
  };
  std::vector<DoneEntry> done_;  // not taken yet
  FinishedRequests finished_;
};

}  // namespace ps
#endif  // PS_APP_REQUEST_TRACKER_H_
