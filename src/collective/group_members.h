#ifndef PS_COLLECTIVE_GROUP_MEMBERS_H_
#define PS_COLLECTIVE_GROUP_MEMBERS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "ps/message.h"
#include "store/mix64.h"

namespace ps {

// The ranks that take part: lives of nodes, so that a process that takes the place of a lost one makes it
// another group. A plain value.
class GroupMembers {
 public:
  struct Member {
    int node = 0;  // id
    std::uint64_t incarnation = 0;
  };

  GroupMembers() = default;
  // By rank; `me` is the own node's id.
  GroupMembers(std::vector<Member> members, int me) : members_(std::move(members)), rank_(RankOf(me)) {
    for (const Member& member : members_) tag_ = Mix64(tag_ ^ member.incarnation);
  }

  // Names it, the same on all its ranks.
  std::uint64_t tag() const { return tag_; }
  int rank() const { return rank_; }  // the own one; -1: not among them
  int size() const { return static_cast<int>(members_.size()); }
  int node(int rank) const { return members_[static_cast<std::size_t>(rank)].node; }
  const std::vector<Member>& members() const { return members_; }
  // -1: none.
  int RankOf(int node) const {
    const auto found = std::find_if(members_.begin(), members_.end(),
                                    [node](const Member& member) { return member.node == node; });
    return found == members_.end() ? -1 : static_cast<int>(found - members_.begin());
  }
  bool Has(std::uint64_t incarnation) const {
    return std::any_of(members_.begin(), members_.end(),
                       [incarnation](const Member& member) { return member.incarnation == incarnation; });
  }

 private:
  std::vector<Member> members_;
  int rank_ = -1;
  std::uint64_t tag_ = 0;
};

}  // namespace ps

#endif  // PS_COLLECTIVE_GROUP_MEMBERS_H_
