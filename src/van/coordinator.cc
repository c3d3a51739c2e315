#include "van/coordinator.h"

#include <algorithm>
#include <sstream>

#include "base/address.h"
#include "base/mutex.h"
#include "message/node_id.h"

namespace ps {
namespace {

std::string Seconds(int64_t ms) {
  std::ostringstream text;
  text << static_cast<double>(ms / 100) / 10 << " s";
  return text.str();
}

}  // namespace

Coordinator::Coordinator(int num_workers, int num_servers, const ClusterSettings& settings,
                         const Node& scheduler, uint64_t job_id)
    : settings_(settings), membership_(num_workers, num_servers, settings, scheduler, job_id) {}

Coordinator::Output Coordinator::OnRegister(const Registration& registration, const ReturnPath& from,
                                            int64_t now_ms) {
  Output output;
  const uint64_t applicant = registration.node.incarnation;
  const Membership::Answer answer = membership_.Register(registration);
  if (answer.kind == Membership::Answer::kReject) {
    const Notice notice{answer.reason.code(), answer.reason.message(), 0};
    output.answers.push_back({from, applicant, HandshakeStep::kReject, notice});
    return output;
  }
  Notice notice{StatusCode::kOk, membership_.Progress(), 0};
  if (answer.kind == Membership::Answer::kKnown) {
    const Address address{registration.node.hostname, registration.node.port};
    notice.text += "; all are there, but the roster does not reach this node at " + address.ToString() +
                   ": check DMLC_NODE_HOST, PS_BIND_HOST, DMLC_PORT and the firewall";
  }
  output.answers.push_back({from, applicant, HandshakeStep::kWaiting, notice});
  if (answer.kind == Membership::Answer::kWait) applicants_[applicant] = from;
  if (answer.kind == Membership::Answer::kComplete) Complete(&output, now_ms);
  return output;
}

void Coordinator::Complete(Output* output, int64_t now_ms) {
  applicants_.clear();
  output->complete = true;
  if (membership_.arrival_decided()) {
    output->log.push_back(
        "the order of arrival decided about ranks; set DMLC_RANK or PS_NODE_KEY for ranks that stay the "
        "same");
  }
  std::set<int> ids;
  for (const Node& node : membership_.roster().nodes) {
    ids.insert(node.id);
    if (node.role != Node::SCHEDULER) liveness_.Watch(node.id, now_ms);
  }
  present_ = ids;
  barriers_.SetMembers(ids);
}

Coordinator::Output Coordinator::OnStartFailed(const std::string& why) {
  Output output;
  for (const auto& [incarnation, path] : applicants_) {
    output.answers.push_back(
        {path, incarnation, HandshakeStep::kReject, Notice{StatusCode::kDeadlineExceeded, why, 0}});
  }
  return output;
}

Status Coordinator::LostIn(int group) const {
  for (const auto& [node, why] : lost_) {
    if ((GroupOfRole(RoleOfId(node)) & group) != 0) return why;
  }
  return Status::Ok();
}

void Coordinator::Append(const BarrierCounter::Release& release, Output* output) {
  for (int node : release.members) {
    BarrierNotice notice;
    notice.group = release.group;
    notice.round = release.round;
    output->releases.push_back({node, notice});
  }
}

// The last `count` releases end their barrier with an error.
void Coordinator::Mark(const Status& why, size_t count, Output* output) {
  for (size_t i = output->releases.size() - count; i < output->releases.size(); ++i) {
    output->releases[i].notice.code = why.code();
    output->releases[i].notice.text = why.message();
  }
}

void Coordinator::FailBarrier(int group, const Status& why, Output* output) {
  const BarrierCounter::Release release = barriers_.Fail(group);
  waiting_.erase(group);
  Append(release, output);
  Mark(why, release.members.size(), output);
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
  if (result.released) {
    Append(result.release, &output);
    if (result.count == 0) return output;  // an earlier release again
    waiting_.erase(arrival.group);
    // Complete, but without the one that is lost.
    if (!lost.ok()) Mark(lost, output.releases.size(), &output);
    return output;
  }
  if (!lost.ok()) {
    FailBarrier(arrival.group, lost, &output);
    return output;
  }
  const int64_t deadline = arrival.timeout_ms > 0 ? now_ms + arrival.timeout_ms : CondVar::kNever;
  const auto [entry, first] = waiting_.try_emplace(arrival.group, Waiting{deadline});
  if (!first) entry->second.deadline_ms = std::min(entry->second.deadline_ms, deadline);
  return output;
}

std::string Coordinator::Describe(int id) const {
  const Node* node = membership_.roster().Find(id);
  return node != nullptr ? DescribeNode(*node) : DescribeNodeId(id);
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
    if (silent >= 0) name.insert(name.size() - 1, ", last heard " + Seconds(silent) + " ago");
    text << separator << name;
    separator = ", ";
  }
  return text.str();
}

Coordinator::Output Coordinator::OnLeave(int node, const std::string& reason) {
  Output output;
  if (present_.count(node) == 0) return output;
  if (!reason.empty()) {
    Lose(node, Status::Unavailable(Describe(node) + " " + reason), &output);
    return output;
  }
  liveness_.Forget(node);
  present_.erase(node);
  for (const BarrierCounter::Release& release : barriers_.SetMembers(present_)) {
    waiting_.erase(release.group);
    Append(release, &output);
  }
  return output;
}

void Coordinator::Lose(int node, const Status& why, Output* output) {
  liveness_.Forget(node);
  present_.erase(node);
  lost_.emplace(node, why);
  const Node* who = membership_.roster().Find(node);
  output->lost.push_back({who != nullptr ? *who : Node(), why});
  std::vector<int> waiting_groups;
  for (const auto& [group, waiting] : waiting_) waiting_groups.push_back(group);
  for (int group : waiting_groups) {
    if ((GroupOfRole(RoleOfId(node)) & group) != 0) FailBarrier(group, why, output);
  }
}

Coordinator::Output Coordinator::OnTimer(int64_t now_ms) {
  Output output;
  std::vector<int> late;
  for (const auto& [group, waiting] : waiting_) {
    if (waiting.deadline_ms <= now_ms) late.push_back(group);
  }
  for (int group : late) {
    FailBarrier(group, Status::DeadlineExceeded(MissingText(group, now_ms)), &output);
  }
  if (settings_.heartbeat_interval_ms > 0 && settings_.heartbeat_timeout_ms > 0) {
    // NextDue asks for a call every quarter of the time-out. After a longer gap it was this process that
    // stood still: what the nodes have sent meanwhile has not been read yet.
    const bool stood_still =
        last_timer_ms_ >= 0 && now_ms - last_timer_ms_ > settings_.heartbeat_timeout_ms / 2;
    last_timer_ms_ = now_ms;
    if (stood_still) {
      for (int node : present_) liveness_.Heard(node, now_ms);
    }
    for (int node : liveness_.Silent(settings_.heartbeat_timeout_ms, now_ms)) {
      const std::string silent = Seconds(liveness_.SilentFor(node, now_ms));
      Lose(node,
           Status::Unavailable(Describe(node) + " is lost: silent for " + silent + " (PS_HEARTBEAT_TIMEOUT)"),
           &output);
    }
  }
  return output;
}

int64_t Coordinator::NextDue(int64_t now_ms) const {
  int64_t due = CondVar::kNever;
  for (const auto& [group, waiting] : waiting_) due = std::min(due, waiting.deadline_ms);
  if (settings_.heartbeat_interval_ms > 0 && settings_.heartbeat_timeout_ms > 0 && !AllGone()) {
    due = std::min(due, now_ms + std::max<int64_t>(1, settings_.heartbeat_timeout_ms / 4));
  }
  return due;
}

bool Coordinator::AllGone() const {
  return present_.empty() || (present_.size() == 1 && *present_.begin() == kSchedulerId);
}

std::vector<int> Coordinator::Silent(int64_t timeout_ms, int64_t now_ms) const {
  std::vector<int> silent = liveness_.Silent(timeout_ms, now_ms);
  for (const auto& [node, why] : lost_) silent.push_back(node);
  std::sort(silent.begin(), silent.end());
  return silent;
}

}  // namespace ps
