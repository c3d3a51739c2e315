#ifndef PS_VAN_MEMBERSHIP_H_
#define PS_VAN_MEMBERSHIP_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ps/status.h"
#include "van/roster.h"

namespace ps {

// Hands out ranks within one role: those asked for, those had before, then the rest in the order of (key,
// host, fixed port, customer id, arrival); `registrations` are all nodes of the role, in order of arrival.
// Returns a rank per registration. A wish that is out of range or taken counts as none (Membership refuses
// those before). `*arrival_decided`, if given, is set when only the order of arrival told two nodes apart.
// The rule: spec "R. Ranks".
std::vector<int> AssignRanks(const std::vector<Registration>& registrations, bool* arrival_decided = nullptr);

// The scheduler's registration and rank state machine. Pure: no I/O, clock, lock or thread.
//
// Nodes register (any number of times with the same incarnation: repeats are harmless); when both roles are
// complete the roster is made once. A registration that can not be taken is refused with a reason for the
// applicant's error; the job goes on.
class Membership {
 public:
  struct Answer {
    enum Kind {
      kWait,      // taken; the roster is not complete yet
      kComplete,  // taken, and it was the last one missing: send `roster()` to all
      kKnown,     // a repeat of a member of the complete roster: its roster is still on the way, or does not
                  // reach it
      kLate,      // it fits the job, whose places are taken: Succession decides
      kReject,    // refused: `reason` says why
    };
    Kind kind = kWait;
    Status reason;  // not ok only for kReject
  };

  // `scheduler` is the scheduler's own node, complete with id, address and incarnation.
  Membership(int num_workers, int num_servers, ClusterSettings settings, Node scheduler, uint64_t job_id);

  // A job of a scheduler alone is complete from the start.
  bool complete() const;
  Answer Register(const Registration& registration);
  // `newcomer` gets the place of member `node`, in a new epoch of the roster.
  void Replace(int node, const Registration& newcomer, bool is_recovery);
  // The group gets smaller: member `node` is in the roster no more, in a new epoch, until it is replaced.
  void Remove(int node);
  // Calls `visit(node id, registration)` for every member of the complete roster but the scheduler.
  template <typename Visit>
  void ForEachMember(Visit visit) const {
    for (const auto* list : {&workers_, &servers_}) {
      for (const Registration& member : *list) visit(member.node.id, member);
    }
  }
  // A registrant gave up or was lost before the roster was made: its place and its wish are free again.
  // Returns whether there was one.
  bool Forget(uint64_t incarnation);

  // Valid once complete.
  const Roster& roster() const;
  bool arrival_decided() const;

  // `workers 1/2 (10.0.0.4:4711), servers 1/1`: who is there and how many are missing, for the waiting lines
  // and errors.
  std::string Progress() const;

 private:
  int Places(Node::Role role) const { return role == Node::WORKER ? num_workers_ : num_servers_; }
  std::vector<Registration>& Of(Node::Role role) { return role == Node::WORKER ? workers_ : servers_; }
  const std::vector<Registration>& Of(Node::Role role) const {
    return role == Node::WORKER ? workers_ : servers_;
  }
  const Node& scheduler() const { return roster_.nodes.front(); }

  bool IsRegistered(uint64_t incarnation) const;
  Status Check(const Registration& registration) const;
  Status CheckBuild(const Registration& registration) const;
  Status CheckCounts(const Registration& registration) const;
  Status CheckRank(const Registration& registration) const;
  Status CheckPlace(const Registration& registration) const;
  void CompleteIfFull();
  std::string ProgressOf(Node::Role role) const;

  const int num_workers_;
  const int num_servers_;
  Roster roster_;                      // before it is complete only the scheduler
  std::vector<Registration> workers_;  // their node ids are set when the roster is complete
  std::vector<Registration> servers_;  // the same
  bool complete_ = false;
  bool arrival_decided_ = false;
};

}  // namespace ps
#endif  // PS_VAN_MEMBERSHIP_H_
