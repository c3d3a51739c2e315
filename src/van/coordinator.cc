#include "van/coordinator.h"

#include <algorithm>

#include "base/address.h"
#include "base/mutex.h"
#include "base/parse.h"
#include "message/node_id.h"

namespace ps {
namespace {

// An applicant that is gone still counts as one that came.
constexpr int64_t kGoneMs = 1000;

// How long a newcomer waits for a place before it is refused.
int64_t ParkMs(const ClusterSettings& settings) {
  const bool watches = settings.heartbeat_interval_ms > 0 && settings.heartbeat_timeout_ms > 0;
  // A loss is noticed a little after the time-out.
  return watches ? settings.heartbeat_timeout_ms * 3 / 2 : Succession::kProbeMs;
}

}  // namespace

Coordinator::Coordinator(int num_workers, int num_servers, const ClusterSettings& settings,
                         const Node& scheduler, uint64_t job_id)
    : settings_(settings),
      membership_(num_workers, num_servers, settings, scheduler, job_id),
      succession_(ParkMs(settings)) {}

int64_t Coordinator::CheckEveryMs() const { return std::max<int64_t>(1, settings_.heartbeat_timeout_ms / 4); }

bool Coordinator::Shrinks(int node) const {
  return settings_.on_node_lost == OnNodeLost::kShrink && RoleOfId(node) == Node::WORKER;
}

// --- registrations and places ---

Coordinator::Output Coordinator::OnRegister(const Registration& registration, const ReturnPath& from,
                                            int64_t now_ms) {
  Output output;
  const uint64_t applicant = registration.node.incarnation;
  gone_ms_.erase(applicant);
  ForgetGone(now_ms);
  const Membership::Answer answer = membership_.Register(registration);
  if (answer.kind == Membership::Answer::kReject) {
    const Notice notice{answer.reason.code(), answer.reason.message(), 0};
    output.answers.push_back({from, applicant, HandshakeStep::kReject, notice, registration.node});
    return output;
  }
  Notice notice{StatusCode::kOk, membership_.Progress(), 0};
  if (answer.kind == Membership::Answer::kKnown) {
    const Address address{registration.node.hostname, registration.node.port};
    notice.text += "; all are there, but the roster does not reach this node at " + address.ToString() +
                   ": check DMLC_NODE_HOST, PS_BIND_HOST, DMLC_PORT and the firewall";
  }
  if (answer.kind == Membership::Answer::kLate && job_ended_) {
    notice.text = EndedText();
    output.answers.push_back({from, applicant, HandshakeStep::kWaiting, notice, registration.node});
    return output;
  }
  if (answer.kind == Membership::Answer::kLate) NoticeGap(now_ms);
  if (answer.kind == Membership::Answer::kLate && !succession_.Register(registration, now_ms)) {
    const Notice full{StatusCode::kResourceExhausted, notice.text + "; too many nodes wait for that already",
                      0};
    output.answers.push_back({from, applicant, HandshakeStep::kReject, full, registration.node});
    return output;
  }
  if (answer.kind != Membership::Answer::kKnown) applicants_[applicant] = from;
  if (answer.kind == Membership::Answer::kComplete) Complete(&output, now_ms);
  if (answer.kind == Membership::Answer::kLate) {
    Decide(&output, now_ms);
    const auto is_to_it = [applicant](const Answer& other) { return other.applicant == applicant; };
    const bool is_refused = std::any_of(output.answers.begin(), output.answers.end(), is_to_it);
    if (is_refused) return output;
    if (succession_.IsWaiting(applicant)) {
      notice.text =
          succession_.Refusal(applicant).message() + "; waiting in case a loss has not been noticed yet";
    }
  }
  output.answers.push_back({from, applicant, HandshakeStep::kWaiting, notice, registration.node});
  return output;
}

void Coordinator::Complete(Output* output, int64_t now_ms) {
  applicants_.clear();
  gone_ms_.clear();
  output->new_roster = true;
  if (membership_.arrival_decided()) {
    output->log.push_back(
        "the order of arrival decided about ranks; set DMLC_RANK or PS_NODE_KEY for ranks that stay the "
        "same");
  }
  for (const Node& node : membership_.roster().nodes) {
    present_.insert(node.id);
    if (node.role != Node::SCHEDULER) liveness_.Watch(node.id, now_ms);
  }
  membership_.ForEachMember(
      [this](int node, const Registration& registration) { succession_.SetMember(node, registration); });
  barriers_.SetMembers(present_);
  next_check_ms_ = now_ms + CheckEveryMs();
}

void Coordinator::OnApplicantGone(const ReturnPath& from, int64_t now_ms) {
  for (const auto& [incarnation, path] : applicants_) {
    if (path == from) gone_ms_.emplace(incarnation, now_ms);
  }
}

void Coordinator::ForgetGone(int64_t gone_before_ms) {
  for (auto gone = gone_ms_.begin(); gone != gone_ms_.end();) {
    if (gone->second > gone_before_ms) {
      ++gone;
      continue;
    }
    if (applicants_.erase(gone->first) != 0) {
      membership_.Forget(gone->first);
      succession_.Forget(gone->first);
    }
    gone = gone_ms_.erase(gone);
  }
}

Coordinator::Output Coordinator::OnEnd(const std::string& why) {
  Output output;
  if (membership_.complete()) {
    EndJob(&output);
    return output;
  }
  for (const auto& [incarnation, path] : applicants_) {
    output.answers.push_back(
        {path, incarnation, HandshakeStep::kReject, Notice{StatusCode::kDeadlineExceeded, why, 0}, Node()});
  }
  return output;
}

std::string Coordinator::EndedText() const {
  return "the job of the " + Describe(kSchedulerId) + " has ended; waiting for the next one";
}

void Coordinator::EndJob(Output* output) {
  if (job_ended_) return;
  job_ended_ = true;
  for (const auto& [incarnation, path] : applicants_) {
    output->answers.push_back(
        {path, incarnation, HandshakeStep::kWaiting, Notice{StatusCode::kOk, EndedText(), 0}, Node()});
    succession_.Forget(incarnation);
  }
  applicants_.clear();
}

// A place that was given away may decide about who matched its former owner: again until nothing changes.
void Coordinator::Decide(Output* output, int64_t now_ms) {
  while (true) {
    const std::vector<Succession::Outcome> outcomes = succession_.Decide(now_ms, &output->probes);
    for (const Succession::Outcome& outcome : outcomes) {
      if (outcome.node != 0) {
        TakePlace(outcome, output, now_ms);
      } else {
        Refuse(outcome, output);
      }
      succession_.Forget(outcome.newcomer);
      applicants_.erase(outcome.newcomer);
    }
    if (outcomes.empty()) return;
  }
}

void Coordinator::TakePlace(const Succession::Outcome& outcome, Output* output, int64_t now_ms) {
  const int id = outcome.node;
  if (outcome.was_alive) {
    Lose(id,
         Status::Unavailable(Describe(id) +
                             " is lost: a new process came for its place, and it has not answered for " +
                             FormatSeconds(Succession::kProbeMs) + " s"),
         output, now_ms);
  }
  const Registration newcomer = succession_.registration(outcome.newcomer);
  const Node old = lost_.at(id).node;
  // Before the others have passed the barrier of Start they wait for it there, as for anybody.
  membership_.Replace(id, newcomer, start_barrier_passed_ || !newcomer.start_barrier);
  succession_.SetMember(id, newcomer);
  lost_.erase(id);
  present_.insert(id);
  liveness_.Watch(id, now_ms);
  barriers_.Renew(id);
  UpdateMembers(output);
  for (auto& [group, waiting] : waiting_) {
    if (waiting.is_final && lost_.empty()) waiting.deadline_ms = CondVar::kNever;
  }
  output->new_roster = true;
  output->log.push_back("replace dead node " + old.DebugString() + " by node " +
                        membership_.roster().Find(id)->DebugString());
  Brief(id, output);
}

void Coordinator::Refuse(const Succession::Outcome& outcome, Output* output) {
  const Notice notice{outcome.why.code(), outcome.why.message(), 0};
  output->answers.push_back({applicants_[outcome.newcomer], outcome.newcomer, HandshakeStep::kReject, notice,
                             succession_.registration(outcome.newcomer).node});
}

void Coordinator::Brief(int newcomer, Output* output) const {
  for (const Node& node : membership_.roster().nodes) {
    const auto lost = lost_.find(node.id);
    if (lost == lost_.end() && left_.count(node.id) == 0) continue;
    const std::string reason = lost == lost_.end() ? "" : lost->second.why.message();
    output->briefings.push_back({newcomer, Departure{node.id, node.incarnation, reason}});
  }
}

// --- signs of life, losses ---

std::string Coordinator::Describe(int id) const {
  const Node* node = membership_.roster().Find(id);
  return node != nullptr ? DescribeNode(*node) : DescribeNodeId(id);
}

void Coordinator::Heard(int node, int64_t now_ms) {
  liveness_.Heard(node, now_ms);
  succession_.Heard(node, now_ms);
}

Coordinator::Output Coordinator::OnLeave(int node, const std::string& reason, int64_t now_ms) {
  Output output;
  if (present_.count(node) == 0) return output;
  if (!reason.empty()) {
    NoticeGap(now_ms);
    Lose(node, Status::Unavailable(Describe(node) + " " + reason), &output, now_ms);
    Decide(&output, now_ms);
    return output;
  }
  liveness_.Forget(node);
  succession_.SetLeft(node);
  present_.erase(node);
  left_.insert(node);
  UpdateMembers(&output);
  return output;
}

void Coordinator::Lose(int node, const Status& why, Output* output, int64_t now_ms) {
  liveness_.Forget(node);
  succession_.SetLost(node);
  present_.erase(node);
  const Gone gone{*membership_.roster().Find(node), why};
  lost_.emplace(node, gone);
  output->lost.push_back(gone);
  if (Holds()) {
    // It comes back as a new incarnation, which has not arrived anywhere.
    barriers_.Renew(node);
    HoldFinalBarriers(now_ms);
    return;
  }
  std::vector<int> failing;
  for (const auto& [group, waiting] : waiting_) {
    const bool is_member = (GroupOfRole(RoleOfId(node)) & group) != 0;
    if (is_member && !waiting.is_final && !Shrinks(node)) failing.push_back(group);
  }
  for (int group : failing) FailBarrier(group, why, output);
  if (Shrinks(node)) {
    membership_.Remove(node);
    output->new_roster = true;
  }
  UpdateMembers(output);
}

// A timer that comes late says that this process stood still: what the nodes have sent meanwhile has not been
// read yet.
void Coordinator::NoticeGap(int64_t now_ms) {
  const int64_t late_ms = now_ms - NextDue();
  if (Watches() && late_ms > CheckEveryMs()) {
    for (int node : present_) liveness_.Heard(node, now_ms);
  }
  if (late_ms > Succession::kAskEveryMs) succession_.AskAgain(now_ms);
}

void Coordinator::LoseSilent(Output* output, int64_t now_ms) {
  next_check_ms_ = now_ms + CheckEveryMs();
  for (int node : liveness_.Silent(settings_.heartbeat_timeout_ms, now_ms)) {
    const std::string silent = FormatSeconds(liveness_.SilentFor(node, now_ms) / 100 * 100) + " s";
    Lose(node,
         Status::Unavailable(Describe(node) + " is lost: silent for " + silent + " (PS_HEARTBEAT_TIMEOUT)"),
         output, now_ms);
  }
}

Coordinator::Output Coordinator::OnTimer(int64_t now_ms) {
  Output output;
  NoticeGap(now_ms);
  ForgetGone(now_ms - kGoneMs);
  std::vector<int> late;
  for (const auto& [group, waiting] : waiting_) {
    if (waiting.deadline_ms <= now_ms) late.push_back(group);
  }
  for (int group : late) {
    FailBarrier(group, Status::DeadlineExceeded(MissingText(group, now_ms)), &output);
  }
  if (Watches()) LoseSilent(&output, now_ms);
  Decide(&output, now_ms);
  return output;
}

int64_t Coordinator::NextDue() const {
  int64_t due = succession_.NextDue();
  for (const auto& [incarnation, gone_ms] : gone_ms_) due = std::min(due, gone_ms + kGoneMs);
  for (const auto& [group, waiting] : waiting_) due = std::min(due, waiting.deadline_ms);
  if (Watches() && !AllGone()) due = std::min(due, next_check_ms_);
  return due;
}

bool Coordinator::AllGone() const {
  return present_.empty() || (present_.size() == 1 && *present_.begin() == kSchedulerId);
}

std::vector<int> Coordinator::Silent(int64_t timeout_ms, int64_t now_ms) const {
  std::vector<int> silent = liveness_.Silent(timeout_ms, now_ms);
  for (const auto& [node, gone] : lost_) silent.push_back(node);
  std::sort(silent.begin(), silent.end());
  return silent;
}

}  // namespace ps
