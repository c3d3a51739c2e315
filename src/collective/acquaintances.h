#ifndef PS_COLLECTIVE_ACQUAINTANCES_H_
#define PS_COLLECTIVE_ACQUAINTANCES_H_

#include <map>
#include <utility>
#include <vector>

#include "collective/operation_table.h"

namespace ps {

// Which nodes are known to take part, and what is kept for those that are not yet: a node may come to its
// first operation much later than others, and what is sent to a node without a mailbox waits there for
// PS_REQUEST_TIMEOUT only. So a node is asked first, again and again. Pure.
class Acquaintances {
 public:
  using Packed = CollectiveSink::Packed;
  enum class Next { kSend, kAsk, kNothing };

  // What to do now. `*packed` is taken unless it is to be sent.
  Next Offer(Packed* packed) {
    Peer& peer = peers_[packed->node];
    if (peer.is_known) return Next::kSend;
    peer.kept.push_back(std::move(*packed));
    return std::exchange(peer.is_asked, true) ? Next::kNothing : Next::kAsk;
  }
  // It has said something: what was kept for it.
  std::vector<Packed> Meet(int node) {
    Peer& peer = peers_[node];
    peer.is_known = true;
    return std::exchange(peer.kept, {});
  }
  bool Knows(int node) const {
    const auto found = peers_.find(node);
    return found != peers_.end() && found->second.is_known;
  }
  // Nothing will be said: what will not be sent. The next one asks again.
  std::vector<Packed> GiveUp(int node) {
    Peer& peer = peers_[node];
    peer.is_asked = false;
    return std::exchange(peer.kept, {});
  }
  // Their places were taken by others.
  void Forget() { peers_.clear(); }

 private:
  struct Peer {
    bool is_known = false;
    bool is_asked = false;
    std::vector<Packed> kept;
  };
  std::map<int, Peer> peers_;
};

}  // namespace ps

#endif  // PS_COLLECTIVE_ACQUAINTANCES_H_
