#ifndef PS_VAN_COORDINATOR_H_
#define PS_VAN_COORDINATOR_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ps/status.h"
#include "transport/transport.h"
#include "van/barrier.h"
#include "van/control.h"
#include "van/liveness.h"
#include "van/membership.h"

namespace ps {

// What the scheduler knows and decides: registrations, barriers, signs of life, who left or is lost.
// Ties the pure cores together; pure itself: events in, things to do out.
class Coordinator {
 public:
  struct Answer {
    ReturnPath to;
    uint64_t applicant;  // its incarnation
    HandshakeStep step;
    Notice notice;
  };
  struct Release {
    int node;
    BarrierNotice notice;
  };
  struct Gone {
    Node node;
    Status why;
  };
  // To be done in this order.
  struct Output {
    std::vector<std::string> log;  // level 1
    std::vector<Answer> answers;
    bool complete = false;  // the roster is new: accept it and send it to all
    std::vector<Release> releases;
    std::vector<Gone> lost;  // tell all
  };

  Coordinator(int num_workers, int num_servers, const ClusterSettings& settings, const Node& scheduler,
              uint64_t job_id);

  bool complete() const { return membership_.complete(); }
  const Roster& roster() const { return membership_.roster(); }
  std::string Progress() const { return membership_.Progress(); }

  Output OnRegister(const Registration& registration, const ReturnPath& from, int64_t now_ms);
  // The start deadline passed: everybody who registered is told why.
  Output OnStartFailed(const std::string& why);
  Output OnBarrier(int node, const BarrierNotice& arrival, int64_t now_ms);
  // `reason` empty: in order, the rest goes on without it. Else it is lost.
  Output OnLeave(int node, const std::string& reason);
  void Heard(int node, int64_t now_ms) { liveness_.Heard(node, now_ms); }
  Output OnTimer(int64_t now_ms);
  // When OnTimer has something to do; CondVar::kNever if nothing is watched.
  int64_t NextDue(int64_t now_ms) const;

  // True when nobody but the scheduler is left.
  bool AllGone() const;
  std::vector<int> Silent(int64_t timeout_ms, int64_t now_ms) const;

 private:
  struct Waiting {
    int64_t deadline_ms = 0;  // the earliest of those who arrived; CondVar::kNever = none
  };

  void Complete(Output* output, int64_t now_ms);
  void Lose(int node, const Status& why, Output* output);
  void FailBarrier(int group, const Status& why, Output* output);
  static void Mark(const Status& why, size_t count, Output* output);
  void Append(const BarrierCounter::Release& release, Output* output);
  // The status of a lost member of the group, ok if there is none.
  Status LostIn(int group) const;
  std::string MissingText(int group, int64_t now_ms) const;
  std::string Describe(int id) const;

  const ClusterSettings settings_;
  int64_t last_timer_ms_ = -1;
  Membership membership_;
  BarrierCounter barriers_;
  Liveness liveness_;
  std::map<uint64_t, ReturnPath> applicants_;  // by incarnation
  std::map<int, Waiting> waiting_;             // by group, while a round is incomplete
  std::set<int> present_;                      // living members, the scheduler included
  std::map<int, Status> lost_;
};

}  // namespace ps
#endif  // PS_VAN_COORDINATOR_H_
