#include "collective/early_packets.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace ps {
namespace {

bool IsEnd(const ArrivedPacket& arrived) { return arrived.packet.kind == Packet::kEnd; }

}  // namespace

std::size_t EarlyPackets::BytesOf(const ArrivedPacket& arrived) {
  return arrived.values.size() + arrived.packet.id.name.size();
}

bool EarlyPackets::HasRoom(const ArrivedPacket& arrived) const {
  if (IsEnd(arrived)) return num_ends_ < kMostEnds;
  return num_packets_ < bounds_.packets && BytesOf(arrived) <= bounds_.bytes - bytes_;
}

bool EarlyPackets::HasEndOf(const ArrivedPacket& arrived) const {
  const auto found = packets_.find(arrived.packet.id);
  return found != packets_.end() &&
         std::any_of(found->second.begin(), found->second.end(),
                     [&](const ArrivedPacket& kept) { return IsEnd(kept) && kept.node == arrived.node; });
}

bool EarlyPackets::Keep(ArrivedPacket* arrived) {
  if (IsEnd(*arrived) && HasEndOf(*arrived)) return true;
  if (!HasRoom(*arrived)) return false;
  const OperationId id = arrived->packet.id;
  if (IsEnd(*arrived)) {
    const Status& why = arrived->packet.status;
    if (why.message().size() > kMostTextBytes)
      arrived->packet.status = Status(why.code(), why.message().substr(0, kMostTextBytes) + "...");
    arrived->values = {};
  }
  const std::size_t bytes = BytesOf(*arrived);
  const bool is_end = IsEnd(*arrived);
  if (std::find(groups_.begin(), groups_.end(), id.group) == groups_.end()) groups_.push_back(id.group);
  packets_[id].push_back(std::move(*arrived));
  if (is_end) {
    ++num_ends_;
  } else {
    ++num_packets_;
    bytes_ += bytes;
  }
  return true;
}

EarlyPackets::Packets::iterator EarlyPackets::MoveTo(Packets::iterator from, std::vector<ArrivedPacket>* to) {
  for (ArrivedPacket& arrived : from->second) {
    if (IsEnd(arrived)) {
      --num_ends_;
    } else {
      --num_packets_;
      bytes_ -= BytesOf(arrived);
    }
    to->push_back(std::move(arrived));
  }
  return packets_.erase(from);
}

std::vector<ArrivedPacket> EarlyPackets::Take(const OperationId& id) {
  std::vector<ArrivedPacket> taken;
  const auto found = packets_.find(id);
  if (found == packets_.end()) return taken;
  taken.reserve(found->second.size());
  MoveTo(found, &taken);
  const auto of_group = packets_.lower_bound({id.group, "", 0});
  if (of_group == packets_.end() || of_group->first.group != id.group)
    groups_.erase(std::find(groups_.begin(), groups_.end(), id.group));
  std::stable_partition(taken.begin(), taken.end(), IsEnd);
  return taken;
}

std::vector<ArrivedPacket> EarlyPackets::TakeGroup(std::uint64_t group) {
  std::vector<ArrivedPacket> taken;
  auto next = packets_.lower_bound({group, "", 0});
  while (next != packets_.end() && next->first.group == group) next = MoveTo(next, &taken);
  groups_.erase(std::remove(groups_.begin(), groups_.end(), group), groups_.end());
  return taken;
}

std::vector<ArrivedPacket> EarlyPackets::TakeAll() {
  std::vector<ArrivedPacket> taken;
  for (auto next = packets_.begin(); next != packets_.end();) next = MoveTo(next, &taken);
  groups_.clear();
  return taken;
}

}  // namespace ps
