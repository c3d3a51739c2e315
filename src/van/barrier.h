#ifndef PS_VAN_BARRIER_H_
#define PS_VAN_BARRIER_H_

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace ps {

// The scheduler's barrier groups (bit mask: scheduler 1, servers 2, workers 4). Counts members, not messages;
// each group has its own state and its own rounds. Pure.
//
// The numbers of rounds. A group has one open round, the first is 1. A member sends 1 until it was told that
// a round of the group ended, then the number it was told plus one. So a number up to the open round that
// this member was not told of counts for the open round: that is how a node that took the place of a lost
// one, or that was late for a round that failed, falls into step. The number it was told of is a repeat, an
// older one an echo; one beyond the open round is refused.
class BarrierCounter {
 public:
  struct Release {
    int group = 0;
    uint64_t round = 0;
    std::vector<int> members;  // node ids to release, all of the group
  };
  struct Arrival {
    int count = 0;  // members arrived in this round so far, for the log line `Barrier count for 7 : 2`; 0
                    // if nothing was counted
    bool released = false;
    Release release;    // valid if released
    std::string error;  // not empty: refused (unknown group, not a member, a round that failed or is not
                        // open yet); nothing was changed
  };

  // The living nodes of the cluster; needed before the first arrival. Replacing the set may complete rounds
  // that waited for a lost node.
  std::vector<Release> SetMembers(const std::set<int>& node_ids);

  // `node` stays a member but is a new incarnation: what the old one sent is forgotten, its numbers begin at
  // 1 again.
  void Renew(int node);

  // `node` arrives at round `round` of `group`. A repeat is harmless; the last round it was released from is
  // released again to this node alone (its release may have been lost).
  Arrival Arrive(int node, int group, uint64_t round);

  // Ends the open round of `group` without the missing ones (the caller tells why); `members` of the result
  // are those that had arrived. With nobody there nothing changes.
  Release Fail(int group);

  // Members of `group` that have not arrived in the open round, and how many have.
  std::vector<int> Missing(int group) const;
  int Arrived(int group) const;
  int Size(int group) const;

 private:
  struct Told {
    uint64_t round = 0;
    bool failed = false;
  };
  struct Group {
    uint64_t round = 1;  // the open one
    std::set<int> arrived;
    std::map<int, Told> told;  // by member: the last round it was told the end of
  };

  bool IsMember(int node, int group) const;
  bool IsComplete(int group) const;
  Release End(int group, bool failed);

  std::set<int> nodes_;
  std::array<int, 3> size_of_role_{};  // by Node::Role
  std::map<int, Group> groups_;
};

}  // namespace ps
#endif  // PS_VAN_BARRIER_H_
