// The timers of NodeVan: heartbeats, deadlines and what is sent late. On ps-io.
#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "base/log.h"
#include "base/parse.h"
#include "message/node_id.h"
#include "van/listen.h"
#include "van/node_van.h"

namespace ps {

// While the scheduler is silent it may have given this node up: those who can still be reached say so.
void NodeVan::SendHeartbeats() {
  for (const std::shared_ptr<Route>& route : routes_->All()) {
    if (route->peer().id == kSchedulerId || scheduler_silent_.load()) route->SendBare(FrameKind::kHeartbeat);
  }
}

int64_t NodeVan::Heartbeat(int64_t now_ms) {
  const int64_t interval = heartbeat_interval_ms_.load();
  if (!ready() || is_scheduler() || interval <= 0) return CondVar::kNever;
  const int64_t timeout = heartbeat_timeout_ms_.load();
  // This process stood still: what the scheduler has sent meanwhile has not been read yet.
  if (next_heartbeat_ms_ > 0 && now_ms - next_heartbeat_ms_ > timeout / 2) scheduler_heard_ms_.store(now_ms);
  if (now_ms >= next_heartbeat_ms_) {
    SendHeartbeats();
    counters_.Add(Counter::kHeartbeatsSent);
    next_heartbeat_ms_ = now_ms + interval;
  }
  const int64_t silent = now_ms - scheduler_heard_ms_.load();
  const bool is_told = scheduler_silent_.load() || scheduler_gone_.load() || left_.load();
  if (timeout > 0 && silent >= timeout && !is_told) {
    receiver_->Post([this] { OnSchedulerSilent(); });
  }
  return next_heartbeat_ms_;
}

// What only the scheduler can do ends with an error; pushes and pulls between the others go on. On ps-rx,
// where it may have been heard meanwhile.
void NodeVan::OnSchedulerSilent() {
  const int64_t silent_ms = Clock::Real().NowMs() - scheduler_heard_ms_.load();
  const Node* const scheduler = roster_.Find(kSchedulerId);
  if (silent_ms < heartbeat_timeout_ms_.load() || scheduler == nullptr || scheduler_gone_.load() ||
      scheduler_silent_.exchange(true))
    return;
  const Status why =
      Status::Unavailable("the scheduler at " + RootAddress(config_).ToString() + " is lost: silent for " +
                          FormatSeconds(silent_ms) + " s (PS_HEARTBEAT_TIMEOUT)");
  PS_LOG(kWarning, name(), why.message());
  barriers_.Interrupt(why);
  sink_->OnNodeGone(*scheduler, why);
}

int64_t NodeVan::TickLeader(int64_t now_ms) {
  // Until the one that was posted has run, which wakes ps-io.
  if (leader_due_.load()) return CondVar::kNever;
  const int64_t due = leader_->NextDue();
  if (due > now_ms) return due;
  leader_due_.store(true);
  receiver_->Post([this] {
    leader_due_.store(false);
    leader_->OnTimer();
    io_->Wake();
  });
  return CondVar::kNever;
}

int64_t NodeVan::OnTick(int64_t now_ms) {
  receiver_->OnTimer();
  int64_t next = Heartbeat(now_ms);
  std::vector<Undelivered> expired;
  for (const std::shared_ptr<Route>& route : routes_->AllAndRetired()) {
    next = std::min(next, route->OnTimer(now_ms, &expired));
  }
  routes_->Reap();
  Report(expired);
  if (has_untold_gone_.load()) receiver_->Post([this] { TellUntold(); });
  if (leader_ != nullptr) next = std::min(next, TickLeader(now_ms));
  return std::min(next, sink_->OnTimer(now_ms));
}

void NodeVan::Report(const std::vector<Undelivered>& undelivered) {
  for (const Undelivered& message : undelivered) sink_->OnUndelivered(message.meta, message.why);
}

}  // namespace ps
