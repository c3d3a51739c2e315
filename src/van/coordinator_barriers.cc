// The barriers of Coordinator: who is waited for, and what a loss does to them.
#include <algorithm>
#include <sstream>

#include "base/mutex.h"
#include "base/parse.h"
#include "message/node_id.h"
#include "van/coordinator.h"

namespace ps {
namespace {

constexpr int kEverybody = 7;

}  // namespace

Status Coordinator::LostIn(int group) const {
  if (Holds()) return Status::Ok();
  for (const auto& [node, gone] : lost_) {
    if ((GroupOfRole(RoleOfId(node)) & group) != 0 && !Shrinks(node)) return gone.why;
  }
  return Status::Ok();
}

void Coordinator::EndBarrier(const BarrierCounter::Release& release, const Status& outcome, Output* output) {
  const auto waiting = waiting_.find(release.group);
  const bool is_final = waiting != waiting_.end() && waiting->second.is_final;
  if (waiting != waiting_.end()) waiting_.erase(waiting);
  if (release.group == kEverybody && outcome.ok()) start_barrier_passed_ = true;
  if (release.group == kEverybody && outcome.ok() && is_final) EndJob(output);
  for (int node : release.members) {
    BarrierNotice notice;
    notice.group = release.group;
    notice.round = release.round;
    notice.code = outcome.code();
    notice.text = outcome.message();
    output->releases.push_back({node, notice});
  }
}

void Coordinator::FailBarrier(int group, const Status& why, Output* output) {
  EndBarrier(barriers_.Fail(group), why, output);
}

// Who is gone may have been the one that the others waited for.
void Coordinator::UpdateMembers(Output* output) {
  std::set<int> members = present_;
  for (const auto& [node, gone] : lost_) {
    if (Holds()) members.insert(node);
  }
  for (const BarrierCounter::Release& release : barriers_.SetMembers(members)) {
    EndBarrier(release, LostIn(release.group), output);
  }
}

Coordinator::Output Coordinator::OnBarrier(int node, const BarrierNotice& arrival, int64_t now_ms) {
  Output output;
  const BarrierCounter::Arrival result = barriers_.Arrive(node, arrival.group, arrival.round);
  if (!result.error.empty()) {
    BarrierNotice refusal = arrival;
    refusal.code = StatusCode::kInvalidArgument;
    refusal.text = result.error;
    output.releases.push_back({node, refusal});
    return output;
  }
  if (result.count > 0) {
    output.log.push_back("Barrier count for " + std::to_string(arrival.group) + " : " +
                         std::to_string(result.count));
  }
  const Status lost = LostIn(arrival.group);
  if (result.released && result.count == 0) {  // an earlier release again
    BarrierNotice again;
    again.group = result.release.group;
    again.round = result.release.round;
    output.releases.push_back({node, again});
    return output;
  }
  if (result.released) {
    // Complete, but maybe without one that is lost.
    EndBarrier(result.release, lost, &output);
    return output;
  }
  Await(arrival, now_ms);
  if (!lost.ok() && !waiting_[arrival.group].is_final) FailBarrier(arrival.group, lost, &output);
  return output;
}

void Coordinator::Await(const BarrierNotice& arrival, int64_t now_ms) {
  // What a node asks for may be any number.
  const bool has_deadline = arrival.timeout_ms > 0 && arrival.timeout_ms < CondVar::kNever - now_ms;
  const int64_t deadline = has_deadline ? now_ms + arrival.timeout_ms : CondVar::kNever;
  Waiting& waiting = waiting_.try_emplace(arrival.group, Waiting{CondVar::kNever, true}).first->second;
  waiting.deadline_ms = std::min(waiting.deadline_ms, deadline);
  waiting.is_final = waiting.is_final && arrival.is_final;
  if (Holds() && !lost_.empty()) HoldFinalBarriers(now_ms);
}

// The barrier of Finalize, which has no deadline, waits for a lost node no longer than others do.
void Coordinator::HoldFinalBarriers(int64_t now_ms) {
  if (settings_.barrier_timeout_ms <= 0) return;
  for (auto& [group, waiting] : waiting_) {
    if (!waiting.is_final) continue;
    waiting.deadline_ms = std::min(waiting.deadline_ms, now_ms + settings_.barrier_timeout_ms);
  }
}

std::string Coordinator::MissingText(int group, int64_t now_ms) const {
  std::ostringstream text;
  text << "barrier of group " << group << ": " << barriers_.Arrived(group) << " of " << barriers_.Size(group)
       << " arrived, missing ";
  const char* separator = "";
  for (int id : barriers_.Missing(group)) {
    // Goes into the brackets of the name: `worker 1 (id 11, 10.0.0.5:4711, last heard 0.4 s ago)`.
    std::string name = Describe(id);
    const int64_t silent = liveness_.SilentFor(id, now_ms);
    if (silent >= 0)
      name.insert(name.size() - 1, ", last heard " + FormatSeconds(silent / 100 * 100) + " s" + " ago");
    if (lost_.count(id) != 0) name.insert(name.size() - 1, ", lost");
    text << separator << name;
    separator = ", ";
  }
  return text.str();
}

}  // namespace ps
