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
#include "van/succession.h"

namespace ps {

// What the scheduler knows and decides: registrations, barriers, signs of life, who left, is lost or came
// back. Ties the pure cores together; pure itself: events in, things to do out.
//
// A lost node, by PS_ON_NODE_LOST: `fail` ends every barrier of its groups with an error, but that of
// Finalize, which the living still pass together before they are told; `wait` keeps its place in the barriers
// until it is back; `shrink` goes on without it (workers only, a lost server counts as under `fail`).
class Coordinator {
 public:
  struct Answer {
    ReturnPath to;
    uint64_t applicant;  // its incarnation
    HandshakeStep step;
    Notice notice;
    Node node;  // the applicant, as it has registered
  };
  struct Release {
    int node;
    BarrierNotice notice;
  };
  struct Gone {
    Node node;
    Status why;
  };
  // Tells a node that took somebody's place of those who are gone.
  struct Briefing {
    int node;
    Departure departure;  // an empty reason: left in order
  };
  // To be done in this order.
  struct Output {
    std::vector<std::string> log;  // level 1
    std::vector<Answer> answers;
    std::vector<Gone> lost;   // tell all
    bool new_roster = false;  // accept it and send it to all
    std::vector<Briefing> briefings;
    std::vector<Release> releases;
    std::vector<int> probes;  // nodes to ask for a sign of life
  };

  Coordinator(int num_workers, int num_servers, const ClusterSettings& settings, const Node& scheduler,
              uint64_t job_id);

  const Membership& membership() const { return membership_; }

  Output OnRegister(const Registration& registration, const ReturnPath& from, int64_t now_ms);
  // The connection of an applicant has closed. Without a place yet it is forgotten a little later, or when
  // somebody else registers: at the deadline of Start all give up together, and who was there until then is
  // not missing.
  void OnApplicantGone(const ReturnPath& from, int64_t now_ms);
  // The scheduler ends. Before all are there, everybody who registered is refused and told `why`. After it,
  // who waits for a place, and who comes later, is left waiting for the next job at this address: a process
  // that starts again may be faster than the scheduler.
  Output OnEnd(const std::string& why);
  Output OnBarrier(int node, const BarrierNotice& arrival, int64_t now_ms);
  // `reason` empty: in order, the rest goes on without it. Else it is lost.
  Output OnLeave(int node, const std::string& reason, int64_t now_ms);
  void Heard(int node, int64_t now_ms);
  Output OnTimer(int64_t now_ms);
  // When OnTimer has something to do; CondVar::kNever if nothing is watched.
  int64_t NextDue() const;

  // True when nobody but the scheduler is left.
  bool AllGone() const;
  // -1: not watched, because it is not there.
  int64_t SilentFor(int node, int64_t now_ms) const { return liveness_.SilentFor(node, now_ms); }
  std::vector<int> Silent(int64_t timeout_ms, int64_t now_ms) const;

 private:
  struct Waiting {
    int64_t deadline_ms = 0;  // the earliest of those who arrived; CondVar::kNever = none
    bool is_final = true;     // all who arrived are in Finalize
  };

  bool Watches() const {
    return membership_.complete() && settings_.heartbeat_interval_ms > 0 &&
           settings_.heartbeat_timeout_ms > 0;
  }
  bool Holds() const { return settings_.on_node_lost == OnNodeLost::kWait; }
  bool Shrinks(int node) const;
  int64_t CheckEveryMs() const;  // the signs of life

  // Registrations and places.
  void Complete(Output* output, int64_t now_ms);
  void ForgetGone(int64_t gone_before_ms);
  void Decide(Output* output, int64_t now_ms);
  void TakePlace(const Succession::Outcome& outcome, Output* output, int64_t now_ms);
  void Refuse(const Succession::Outcome& outcome, Output* output);
  void EndJob(Output* output);
  std::string EndedText() const;
  void Brief(int newcomer, Output* output) const;

  // Losses.
  void Lose(int node, const Status& why, Output* output, int64_t now_ms);
  void LoseSilent(Output* output, int64_t now_ms);
  void NoticeGap(int64_t now_ms);

  // Barriers.
  void UpdateMembers(Output* output);
  void Await(const BarrierNotice& arrival, int64_t now_ms);
  void HoldFinalBarriers(int64_t now_ms);
  void FailBarrier(int group, const Status& why, Output* output);
  void EndBarrier(const BarrierCounter::Release& release, const Status& outcome, Output* output);
  // The status of a lost member of the group that it can not do without; ok if there is none.
  Status LostIn(int group) const;
  std::string MissingText(int group, int64_t now_ms) const;
  std::string Describe(int id) const;

  const ClusterSettings settings_;
  int64_t next_check_ms_ = 0;  // of the signs of life
  Membership membership_;
  Succession succession_;
  BarrierCounter barriers_;
  Liveness liveness_;
  bool start_barrier_passed_ = false;
  bool job_ended_ = false;  // or the barrier of Finalize has been passed: no place is given away any more

  std::map<uint64_t, ReturnPath> applicants_;  // without a place yet, by incarnation
  std::map<uint64_t, int64_t> gone_ms_;        // of those, whose connection has closed
  std::map<int, Waiting> waiting_;             // by group, while a round is incomplete
  std::set<int> present_;                      // living members, the scheduler included
  std::map<int, Gone> lost_;
  std::set<int> left_;
};

}  // namespace ps
#endif  // PS_VAN_COORDINATOR_H_
