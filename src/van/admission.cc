#include "van/admission.h"

#include "message/node_id.h"

namespace ps {
namespace {

Admission::Decision Drop(Counter reason) { return {Admission::Verdict::kDrop, reason}; }

}  // namespace

void Admission::AdmitScheduler(uint64_t incarnation) {
  accepted_ = {};
  if (!have_roster_) incarnation_of_[kSchedulerId] = incarnation;
}

void Admission::SetRoster(const Roster& roster) {
  accepted_ = {};
  std::map<uint32_t, uint64_t> fresh;
  for (const Node& node : roster.nodes) fresh[static_cast<uint32_t>(node.id)] = node.incarnation;
  for (const auto& [id, incarnation] : incarnation_of_) {
    const auto now = fresh.find(id);
    if (now == fresh.end() || now->second != incarnation) fenced_.try_emplace({id, incarnation});
  }
  incarnation_of_ = std::move(fresh);
  have_roster_ = true;
}

void Admission::Fence(int node, uint64_t incarnation) {
  accepted_ = {};
  fenced_[{static_cast<uint32_t>(node), incarnation}].is_lost = true;
}

Admission::Decision Admission::Judge(const Header& header) {
  if (header.kind == FrameKind::kHandshake) return {Verdict::kAccept, Counter{}};
  Accepted& accepted = accepted_[header.sender % accepted_.size()];
  const bool is_known = header.sender == accepted.sender &&
                        header.sender_incarnation == accepted.incarnation &&
                        header.receiver_incarnation == my_incarnation_ && header.sender != 0;
  if (is_known) return {Verdict::kAccept, Counter{}};
  const Decision decision = Decide(header);
  if (decision.verdict == Verdict::kAccept) accepted = {header.sender, header.sender_incarnation};
  return decision;
}

Admission::Decision Admission::Decide(const Header& header) const {
  const bool is_node = header.sender == kSchedulerId || header.sender >= kFirstNodeId;
  if (!is_node || header.sender_incarnation == 0) return Drop(Counter::kRejectedStranger);
  if (fenced_.count({header.sender, header.sender_incarnation}) != 0) return Drop(Counter::kRejectedStale);
  const auto known = incarnation_of_.find(header.sender);
  const bool admitted = known != incarnation_of_.end() && known->second == header.sender_incarnation;
  if (header.receiver_incarnation != my_incarnation_) {
    return Drop(admitted ? Counter::kRejectedMisrouted : Counter::kRejectedStranger);
  }
  return {admitted ? Verdict::kAccept : Verdict::kPark, Counter{}};
}

bool Admission::TellsFenced(const Header& header, int64_t now_ms) {
  const auto fenced = fenced_.find({header.sender, header.sender_incarnation});
  if (fenced == fenced_.end() || !fenced->second.is_lost) return false;
  if (header.receiver_incarnation != my_incarnation_) return false;
  const int64_t told_ms = fenced->second.told_ms;
  if (told_ms >= 0 && now_ms - told_ms < kTellEveryMs) return false;
  fenced->second.told_ms = now_ms;
  return true;
}

uint32_t Admission::IdOf(uint64_t incarnation) const {
  for (const auto& [id, known] : incarnation_of_) {
    if (known == incarnation) return id;
  }
  return 0;
}

}  // namespace ps
