#ifndef PS_COLLECTIVE_EARLY_PACKETS_H_
#define PS_COLLECTIVE_EARLY_PACKETS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "app/asked.h"
#include "collective/packet.h"
#include "ps/sarray.h"

namespace ps {

// A packet with the values beside it, as it came.
struct ArrivedPacket {
  int node = 0;  // the sender's id
  Packet packet;
  SArray<char> values;
  Asked asked;
};

// Packets of operations that have not begun here, bounded. That an operation has failed (Packet::kEnd) has
// room of its own, so that a rank which is far behind hears of it: once of each sender, without values, its
// text cut. Pure.
class EarlyPackets {
 public:
  struct Bounds {
    std::size_t packets = 100000;
    std::size_t bytes = std::size_t{64} << 20;
  };
  static constexpr std::size_t kMostEnds = 10000;
  static constexpr std::size_t kMostTextBytes = 2000;

  explicit EarlyPackets(const Bounds& bounds) : bounds_(bounds) {}

  // False: there is no room, and `*arrived` is as it was.
  bool Keep(ArrivedPacket* arrived);
  // Those of an operation, ends first, else as they came.
  std::vector<ArrivedPacket> Take(const OperationId& id);
  // Those of a group.
  std::vector<ArrivedPacket> TakeGroup(std::uint64_t group);
  std::vector<ArrivedPacket> TakeAll();
  // Whose first packet came first. Only if not empty.
  std::uint64_t oldest_group() const { return groups_.front(); }
  bool empty() const { return groups_.empty(); }
  std::size_t bytes() const { return bytes_; }

 private:
  using Packets = std::map<OperationId, std::vector<ArrivedPacket>>;

  static std::size_t BytesOf(const ArrivedPacket& arrived);
  bool HasRoom(const ArrivedPacket& arrived) const;
  bool HasEndOf(const ArrivedPacket& arrived) const;
  Packets::iterator MoveTo(Packets::iterator from, std::vector<ArrivedPacket>* to);

  const Bounds bounds_;
  Packets packets_;                    // by group first
  std::vector<std::uint64_t> groups_;  // in order of arrival
  std::size_t num_packets_ = 0;        // but for ends
  std::size_t bytes_ = 0;              // of these
  std::size_t num_ends_ = 0;
};

}  // namespace ps

#endif  // PS_COLLECTIVE_EARLY_PACKETS_H_
