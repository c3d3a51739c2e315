#include "app/customer_core.h"

#include <climits>
#include <utility>

#include "app/node_text.h"
#include "base/clock.h"
#include "base/fork.h"
#include "base/log.h"
#include "base/test_point.h"
#include "postoffice/binding.h"
#include "postoffice/compat.h"
#include "ps/mailbox.h"
#include "ps/postoffice.h"

namespace ps {
namespace {

int64_t NowMs() { return Clock::Real().NowMs(); }

std::string ThreadName(int app_id, int customer_id) {
  return "ps-app-" + std::to_string(app_id) + "." + std::to_string(customer_id);
}

}  // namespace

CustomerCore::CustomerCore(Mailbox* mailbox, int app_id, int customer_id, Handle handle,
                           Postoffice* postoffice)
    : app_id_(app_id),
      customer_id_(customer_id),
      handle_(std::move(handle)),
      mailbox_(mailbox),
      postoffice_(postoffice) {
  if (postoffice != nullptr) return;
  LegacyProcess& process = LegacyProcess::OfThread();
  postoffice_ = process.NodeFor(customer_id);
  if (process.Find(customer_id) == nullptr) undecided_ = &process;
}

thread_local CustomerCore* CustomerCore::current_ = nullptr;

CustomerCore* CustomerCore::Current() { return current_; }

std::string CustomerCore::Describe() const {
  return "app " + std::to_string(app_id_) + ", customer " + std::to_string(customer_id_) + " of " +
         DescribeSelf(postoffice());
}

CustomerCore::Settings CustomerCore::settings() {
  Postoffice* const node = postoffice();
  const Van* const van = node->van();
  {
    MutexLock lock(mutex_);
    if (van != nullptr && van == settings_of_) return settings_;
  }
  const Config config = node->config();
  std::shared_ptr<Dependents> dependents = node->dependents();
  MutexLock lock(mutex_);
  dependents_ = std::move(dependents);
  settings_ = {config.barrier_timeout_ms, config.request_timeout_ms, config.key_partition};
  settings_of_ = van;
  return settings_;
}

Postoffice::SentFrom CustomerCore::From() {
  if (RunsInlineHandle()) return Postoffice::SentFrom::kInlineHandle;
  return Current() != nullptr ? Postoffice::SentFrom::kHandler : Postoffice::SentFrom::kCaller;
}

// --- life ---

Status CustomerCore::Open() {
  Postoffice* where;
  LegacyProcess* process;
  {
    MutexLock lock(mutex_);
    where = postoffice_;
    process = undecided_;
    attached_ = true;
  }
  // The thread first: where there can be none, nothing was attached.
  thread_ = std::make_unique<Thread>(ThreadName(app_id_, customer_id_),
                                     [self = shared_from_this()] { self->Run(); });
  const Status attached = where->Attach(mailbox_);
  if (!attached.ok()) {
    {
      MutexLock lock(mutex_);
      attached_ = false;
      undecided_ = nullptr;
      closing_ = true;
      RouseThread();
    }
    thread_.reset();
    return attached;
  }
  if (process != nullptr) process->AddUndecided(mailbox_, where);
  return Status::Ok();
}

void CustomerCore::Close() {
  if (IsForked()) return;
  Decide();
  bool attached;
  {
    MutexLock lock(mutex_);
    if (leaving_) return;
    leaving_ = true;
    attached = attached_;
    idle_.NotifyAll();  // Detach waits for who is in WaitIdle
  }
  // First: from then on nothing touches what the requests have lent, and they may end.
  if (attached) postoffice()->Detach(mailbox_);
  ReportUnobserved();  // before what the program cancels by this very call
  const Status why = Status::Cancelled(Describe() + " was closed");
  {
    MutexLock lock(mutex_);
    tracker_.Fail(RequestTracker::kEveryRequest, RequestTracker::kEveryNode, why);
    closing_ = true;
    RouseThread();
  }
  if (thread_ != nullptr && !thread_->IsCurrent()) {
    thread_->Join();
  } else {
    FinishAll();
  }
  RefuseQueued();
}

void CustomerCore::Decide() {
  LegacyProcess* process;
  {
    MutexLock lock(mutex_);
    process = undecided_;
    undecided_ = nullptr;
  }
  if (process != nullptr) process->Decide(mailbox_);
}

// --- requests ---

Status CustomerCore::CheckOpen() {
  bool node_closed;
  {
    MutexLock lock(mutex_);
    if (leaving_) return Status::FailedPrecondition("the customer is closed: no new requests");
    node_closed = node_closed_;
  }
  if (!node_closed) return Status::Ok();
  Van* const van = postoffice()->van();
  if (van == nullptr || !van->IsReady())
    return Status::FailedPrecondition(Describe() + ": the node has left the cluster: no new requests");
  MutexLock lock(mutex_);
  node_closed_ = false;
  settings_of_ = nullptr;
  return Status::Ok();
}

int CustomerCore::Issue(RequestTracker::Request request) {
  ThrowIfError(CheckNotForked());  // before any lock: a thread of the parent may hold it
  {
    MutexLock lock(mutex_);
    if (undecided_ == nullptr && !leaving_ && !node_closed_ && settings_of_ != nullptr)
      return IssueNow(std::move(request));
  }
  Decide();
  ThrowIfError(CheckOpen());
  (void)settings();  // reads them
  MutexLock lock(mutex_);
  if (leaving_) ThrowIfError(Status::FailedPrecondition("the customer is closed: no new requests"));
  return IssueNow(std::move(request));
}

int CustomerCore::IssueNow(RequestTracker::Request&& request) {
  const bool done_at_once = request.receivers.empty();
  const bool is_called_back = !request.direct;
  const int timestamp = tracker_.Issue(std::move(request), NowMs(), settings_.barrier_timeout_ms);
  ++num_issued_;
  if (is_called_back && num_called_back_++ == 0)
    callbacks_depend_.emplace(dependents_, DependsOnFrames::kCallback);
  next_timestamp_ = timestamp == INT_MAX ? 0 : timestamp + 1;
  if (done_at_once || tracker_.next_deadline_ms() < alarm_ms_) RouseThread();
  return timestamp;
}

void CustomerCore::SendRequest(Message&& message) {
  message.meta.app_id = app_id_;
  message.meta.customer_id = customer_id_;
  message.meta.request = true;
  const int timestamp = message.meta.timestamp;
  const int receiver = message.meta.recver;
  PS_TEST_POINT("request.before_send");
  const Status sent = postoffice()->Send(std::move(message), From());
  PS_TEST_POINT("request.after_send");
  if (sent.ok()) return;
  MutexLock lock(mutex_);
  tracker_.Fail(timestamp, receiver, sent);
  RouseThread();
}

void CustomerCore::SendResponse(const Asked& request, Message&& message) {
  Meta& meta = message.meta;
  meta.app_id = app_id_;
  meta.customer_id = request.customer_id;
  meta.timestamp = request.timestamp;
  meta.recver = request.sender;
  meta.sender_incarnation = request.sender_incarnation;
  meta.head = request.head;
  meta.push = request.push;
  meta.pull = request.pull;
  meta.simple_app = request.simple_app;
  meta.request = false;
  const bool is_error = meta.status != StatusCode::kOk;
  PS_TEST_POINT("response.before_send");
  const Status sent = postoffice()->Send(std::move(message), From());
  PS_TEST_POINT("response.after_send");
  if (sent.ok()) return;
  // Not the way but the answer is at fault: whoever asked can be told, and need not wait for its deadline.
  const bool cannot_be_sent =
      sent.code() == StatusCode::kResourceExhausted || sent.code() == StatusCode::kInvalidArgument;
  if (cannot_be_sent && !is_error) return SendError(request, sent);
  PS_VLOG(2) << "response to " << request.sender << " not sent: " << sent;
}

void CustomerCore::SendError(const Asked& request, const Status& why) {
  Message message;
  message.meta.status = why.code();
  message.meta.body = why.message();
  SendResponse(request, std::move(message));
}

std::optional<Status> CustomerCore::OutcomeOf(int timestamp) {
  MutexLock lock(mutex_);
  const RequestTracker::State state = tracker_.Look(timestamp);
  if (!state.finished) return std::nullopt;
  return tracker_.finished().TellOutcome(timestamp);
}

// Not for long where nobody can help.
void CustomerCore::HelpUntilFinished(int timestamp, int64_t deadline_ms) {
  const auto is_finished = [this, timestamp] {
    MutexLock lock(mutex_);
    const RequestTracker::State state = tracker_.Look(timestamp);
    return !state.known || state.finished;
  };
  helping_callers_.fetch_add(1);
  SetReceivesForCaller(true);
  postoffice()->Help({is_finished, &callers_bell_, deadline_ms, ReceiveToken::Rank::kCaller});
  SetReceivesForCaller(false);
  helping_callers_.fetch_sub(1);
}

Status CustomerCore::WaitUntil(int timestamp, int64_t deadline_ms) {
  PS_RETURN_IF_ERROR(CheckNotForked());
  const auto what = [&] {
    return "request " + std::to_string(timestamp) + " of app " + std::to_string(app_id_) + ", customer " +
           std::to_string(customer_id_);
  };
  if (Current() == this) {
    return Status::FailedPrecondition("waiting for " + what() +
                                      " inside a handle or callback of the same customer would never end");
  }
  if (RunsInlineHandle()) {
    return Status::FailedPrecondition(
        "waiting for " + what() +
        " inside an inline handle would keep everybody from receiving: use kOnAppThread");
  }
  if (const std::optional<Status> outcome = OutcomeOf(timestamp)) return *outcome;
  // The answer may be received right here.
  HelpUntilFinished(timestamp, deadline_ms);
  if (const std::optional<Status> outcome = OutcomeOf(timestamp)) return *outcome;
  std::vector<int> silent;
  {
    const DependsOnFrames depends(postoffice()->dependents());
    MutexLock lock(mutex_);
    ++num_waiting_;
    RequestTracker::State state = tracker_.Look(timestamp);
    bool in_time = true;
    while (state.known && !state.finished && in_time) {
      in_time = finished_.WaitUntil(mutex_, deadline_ms);
      state = tracker_.Look(timestamp);
    }
    --num_waiting_;
    if (!state.known) return Status::InvalidArgument(what() + " was never issued");
    if (state.finished) return tracker_.finished().TellOutcome(timestamp);
    silent = *state.silent;
  }
  return Status::DeadlineExceeded(what() +
                                  " is not done in the time given to this wait; no answer yet from " +
                                  DescribeNodes(postoffice(), silent));
}

Result<int> CustomerCore::NumAnswers(int timestamp) {
  MutexLock lock(mutex_);
  const RequestTracker::State state = tracker_.Look(timestamp);
  if (!state.known)
    return Status::InvalidArgument("request " + std::to_string(timestamp) + " was never issued");
  if (state.num_answers >= 0) return state.num_answers;
  return Status::NotFound("request " + std::to_string(timestamp) +
                          " was done too long ago: its answers are forgotten");
}

Status CustomerCore::Credit(int timestamp, int num) {
  MutexLock lock(mutex_);
  if (num < 0 || !tracker_.Credit(timestamp, num)) {
    return Status::InvalidArgument(std::to_string(num) + " answers credited to request " +
                                   std::to_string(timestamp) + ", which is not in flight");
  }
  RouseThread();
  return Status::Ok();
}

bool CustomerCore::Idle() const {
  return leaving_ || (tracker_.counts().live == 0 && !(node_closed_ && (busy_ || inline_busy_)));
}

void CustomerCore::WaitIdle() {
  if (Current() == this) return;
  {
    const DependsOnFrames depends(postoffice()->dependents());
    MutexLock lock(mutex_);
    ++num_waiting_idle_;
    while (!Idle()) idle_.Wait(mutex_);
    --num_waiting_idle_;
  }
  ReportUnobserved();
}

// --- events ---

void CustomerCore::OnUndelivered(const Meta& meta, const Status& why) {
  if (!meta.request) return;
  MutexLock lock(mutex_);
  tracker_.Fail(meta.timestamp, meta.recver, why);
  RouseThread();
}

void CustomerCore::OnNodeGone(int node, uint64_t incarnation, const Status& why) {
  MutexLock lock(mutex_);
  losses_.push_back({node, incarnation, num_issued_, why});
  RouseThread();
}

void CustomerCore::OnClose(const Status& why) {
  std::optional<Meta> extra;
  {
    MutexLock lock(mutex_);
    node_closed_ = true;
    settings_of_ = nullptr;
    while (!queue_.empty()) {
      const IncomingMessage dropped = queue_.Pop();
      if (IsExtra(dropped.message.meta)) extra = dropped.message.meta;
    }
    queued_answers_.clear();
    losses_.clear();
    held_ = HeldRequests();
    tracker_.Fail(RequestTracker::kEveryRequest, RequestTracker::kEveryNode, why);
    RouseThread();
  }
  if (extra) ReportExtra(*extra);
}

int CustomerCore::ReservedTimestamps() {
  MutexLock lock(mutex_);
  return tracker_.counts().live == 0 ? 0 : next_timestamp_;
}

void CustomerCore::BeginTimestampsAt(int first) {
  MutexLock lock(mutex_);
  if (next_timestamp_ >= first) return;  // it has issued requests already
  tracker_ = RequestTracker(first);
  num_issued_ = 0;
  next_timestamp_ = first;
}

void CustomerCore::OnMoved(Postoffice* to) {
  MutexLock lock(mutex_);
  postoffice_ = to;
  undecided_ = nullptr;
  settings_of_ = nullptr;
}

}  // namespace ps
