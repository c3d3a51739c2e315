#include "van/leader.h"

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "base/log.h"
#include "base/test_point.h"
#include "message/node_id.h"
#include "van/identity.h"

namespace ps {
namespace {

// The answer of an address is looked for so often, the address asked again so often, and all that for so
// long.
constexpr int64_t kLookEveryMs = 10;
constexpr int64_t kAskEveryMs = 100;
constexpr int64_t kCheckMs = 2000;

int64_t NowMs() { return Clock::Real().NowMs(); }

ClusterSettings SettingsOf(const Config& config) {
  ClusterSettings settings;
  settings.heartbeat_interval_ms = config.heartbeat_interval_ms;
  settings.heartbeat_timeout_ms = config.heartbeat_timeout_ms;
  settings.on_node_lost = config.on_node_lost;
  settings.chunk_bytes = config.chunk_bytes;
  settings.barrier_timeout_ms = config.barrier_timeout_ms;
  return settings;
}

}  // namespace

Leader::Leader(const Config& config, const Node& scheduler, LeaderHost* host, Transport* transport,
               Counters* counters)
    : host_(host),
      transport_(transport),
      counters_(counters),
      coordinator_(config.num_workers, config.num_servers, SettingsOf(config), scheduler, RandomId()) {}

Leader::~Leader() = default;

// --- events ---

void Leader::OnRegister(const Registration& registration, const ReturnPath& from) {
  Coordinator::Output output;
  {
    MutexLock lock(mutex_);
    output = coordinator_.OnRegister(registration, from, NowMs());
  }
  Perform(output);
}

void Leader::OnEnd(const std::string& why) {
  Coordinator::Output output;
  {
    MutexLock lock(mutex_);
    output = coordinator_.OnEnd(why);
  }
  Perform(output);
}

void Leader::OnBarrier(int node, const BarrierNotice& arrival) {
  Coordinator::Output output;
  {
    MutexLock lock(mutex_);
    output = coordinator_.OnBarrier(node, arrival, NowMs());
  }
  Perform(output);
}

void Leader::OnLeave(int node, const std::string& reason) {
  Coordinator::Output output;
  {
    MutexLock lock(mutex_);
    output = coordinator_.OnLeave(node, reason, NowMs());
    someone_gone_.NotifyAll();
  }
  Perform(output);
}

void Leader::Heard(int node) {
  MutexLock lock(mutex_);
  coordinator_.Heard(node, NowMs());
}

void Leader::OnConnectionClosed(int node, const ReturnPath& from) {
  {
    MutexLock lock(mutex_);
    const int64_t now_ms = NowMs();
    coordinator_.OnApplicantGone(from, now_ms);
    const Node* const who = coordinator_.membership().roster().Find(node);
    if (who == nullptr || coordinator_.SilentFor(node, now_ms) < 0) return;
    Check& check = checks_[node];
    check.incarnation = who->incarnation;
    check.closed_ms = now_ms;
    Ask(*who, &check, now_ms);
    next_look_ms_ = 0;
  }
  host_->AskForLife(node);
}

void Leader::Ask(const Node& member, Check* check, int64_t now_ms) const {
  check->asked_ms = now_ms;
  check->reach = transport_->StartCheck(Address{member.hostname, member.port});
}

void Leader::OnTimer() {
  const int64_t now_ms = NowMs();
  LookAtChecks(now_ms);
  Coordinator::Output output;
  {
    MutexLock lock(mutex_);
    output = coordinator_.OnTimer(now_ms);
    if (!output.lost.empty()) someone_gone_.NotifyAll();
  }
  Perform(output);
}

void Leader::LookAtChecks(int64_t now_ms) {
  std::vector<int> refused;
  {
    MutexLock lock(mutex_);
    for (auto entry = checks_.begin(); entry != checks_.end();) {
      const ReachCheck::State state = LookAt(entry->first, &entry->second, now_ms);
      if (state == ReachCheck::State::kRefused) refused.push_back(entry->first);
      entry = state == ReachCheck::State::kPending ? std::next(entry) : checks_.erase(entry);
    }
    next_look_ms_ = now_ms + kLookEveryMs;
  }
  // One after the other: what follows from a loss is done before the next one is decided.
  for (int node : refused)
    OnLeave(node, "is lost: its connection has closed and nobody listens at its address");
}

// kPending as long as it is worth looking again.
ReachCheck::State Leader::LookAt(int node, Check* check, int64_t now_ms) const {
  const Node* const who = coordinator_.membership().roster().Find(node);
  const int64_t silent_ms = coordinator_.SilentFor(node, now_ms);
  const bool is_over = who == nullptr || who->incarnation != check->incarnation || silent_ms < 0 ||
                       silent_ms < now_ms - check->closed_ms || now_ms - check->closed_ms >= kCheckMs;
  if (is_over) return ReachCheck::State::kUnknown;
  const ReachCheck::State state = check->reach->Look();
  if (state == ReachCheck::State::kRefused) return state;
  if (state != ReachCheck::State::kPending && now_ms - check->asked_ms >= kAskEveryMs)
    Ask(*who, check, now_ms);
  return ReachCheck::State::kPending;
}

// --- what was decided ---

void Leader::Perform(const Coordinator::Output& output) {
  for (const std::string& line : output.log) host_->LogLife(line);
  for (const Coordinator::Answer& answer : output.answers) host_->SendAnswer(answer);
  for (const Coordinator::Gone& gone : output.lost) TellLost(gone);
  if (output.new_roster) SendRoster();
  for (const Coordinator::Briefing& briefing : output.briefings) {
    const bool is_lost = !briefing.departure.reason.empty();
    host_->SendControl(briefing.node, is_lost ? Control::NODE_LOST : Control::LEAVE,
                       EncodeDeparture(briefing.departure));
  }
  for (int node : output.probes) host_->AskForLife(node);
  Release(output);
}

void Leader::TellLost(const Coordinator::Gone& gone) {
  PS_LOG(kWarning, "H[1]", gone.why.message());
  counters_->Add(Counter::kNodesLost);
  const SArray<char> body = EncodeDeparture({gone.node.id, gone.node.incarnation, gone.why.message()});
  // The lost one too, which may not be in the roster any more: it may be alive, and then it has to know.
  host_->SendControl(gone.node.id, Control::NODE_LOST, body);
  for (const Node& node : CurrentRoster().nodes) {
    if (node.id != kSchedulerId && node.id != gone.node.id)
      host_->SendControl(node.id, Control::NODE_LOST, body);
  }
  host_->OnLost(gone.node, gone.why);
}

void Leader::SendRoster() {
  const Roster roster = CurrentRoster();
  for (const Node& node : roster.nodes) {
    if (roster_sent_ || node.role == Node::SCHEDULER) continue;
    Node unnumbered = node;
    unnumbered.id = Node::kEmpty;
    host_->LogLife("assign rank=" + std::to_string(node.id) + " to node " + unnumbered.DebugString());
  }
  roster_sent_ = true;
  host_->AcceptRoster(roster);
  const SArray<char> body = EncodeRoster(roster);
  for (const Node& node : roster.nodes) {
    PS_TEST_POINT("roster.before_send");
    if (node.id != kSchedulerId) host_->SendControl(node.id, Control::ADD_NODE, body);
  }
  PS_TEST_POINT("roster.after_send");
}

void Leader::Release(const Coordinator::Output& output) {
  const BarrierNotice* mine = nullptr;
  for (const Coordinator::Release& release : output.releases) {
    PS_TEST_POINT("barrier.before_release");
    if (release.node == kSchedulerId) {
      mine = &release.notice;
    } else {
      host_->SendControl(release.node, Control::BARRIER, EncodeBarrier(release.notice));
    }
  }
  // Last: the thread it wakes may end this node, and the others must have theirs before they hear of that.
  if (mine != nullptr) host_->OnReleased(*mine);
}

// --- questions ---

Roster Leader::CurrentRoster() const {
  MutexLock lock(mutex_);
  return coordinator_.membership().roster();
}

int64_t Leader::NextDue() const {
  MutexLock lock(mutex_);
  const int64_t due = coordinator_.NextDue();
  return checks_.empty() ? due : std::min(due, next_look_ms_);
}

std::string Leader::Progress() const {
  MutexLock lock(mutex_);
  return coordinator_.membership().Progress();
}

std::vector<int> Leader::Silent(int64_t timeout_ms, int64_t now_ms) const {
  MutexLock lock(mutex_);
  return coordinator_.Silent(timeout_ms, now_ms);
}

bool Leader::WaitAllGone(int64_t deadline_ms) {
  MutexLock lock(mutex_);
  while (!coordinator_.AllGone() && !ending_) {
    if (!someone_gone_.WaitUntil(mutex_, deadline_ms)) return coordinator_.AllGone();
  }
  return true;
}

void Leader::EndWait() {
  MutexLock lock(mutex_);
  ending_ = true;
  someone_gone_.NotifyAll();
}

}  // namespace ps
