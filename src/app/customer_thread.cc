// The half of CustomerCore that runs on the Customer's thread.
#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "app/customer_core.h"
#include "app/node_text.h"
#include "base/clock.h"
#include "base/guarded.h"
#include "base/log.h"
#include "base/parse.h"
#include "base/test_point.h"
#include "ps/postoffice.h"

namespace ps {
namespace {

constexpr int64_t kNever = std::numeric_limits<int64_t>::max();
constexpr int64_t kDefaultCommandMs = 1000;  // how long a command waits for a handle

int64_t NowMs() { return Clock::Real().NowMs(); }

}  // namespace

void CustomerCore::Run() {
  current_ = this;
  // Nothing of what was done stays while the thread waits: it may be memory that somebody has lent.
  for (bool goes_on = true; goes_on;) {
    CustomerWork work;  // not const: a handle may take its arrays (KVServerBase::Process)
    NextWork(&work);
    goes_on = work.kind != CustomerWork::kQuit;
    if (goes_on) Perform(work);
  }
  current_ = nullptr;
}

void CustomerCore::NextWork(CustomerWork* work) {
  bool may_help = true;
  while (true) {
    int64_t until_ms;
    {
      MutexLock lock(mutex_);
      if (num_waiting_idle_ > 0) idle_.NotifyAll();
      // Where nothing has a deadline the time need not be known.
      const bool has_deadlines = std::min(held_.next_expiry_ms(), tracker_.next_deadline_ms()) != kNever;
      TakeWork(has_deadlines ? NowMs() : 0, work);
      busy_ = work->kind != CustomerWork::kNothing;
      if (busy_) return;
      const int64_t now_ms = NowMs();
      // An alarm once set stays until its time, although the request it was set for is done: so issuing a
      // request seldom has to wake this thread.
      if (alarm_ms_ <= now_ms) alarm_ms_ = kNever;
      alarm_ms_ = std::min(alarm_ms_, tracker_.next_deadline_ms());
      until_ms = std::min(alarm_ms_, held_.next_expiry_ms());
      if (!may_help) {
        work_.WaitUntil(mutex_, until_ms);
        continue;
      }
      is_thread_helping_ = true;
    }
    may_help = HelpUntilWork(until_ms);
  }
}

// False: sleep. A deadline earlier than `until_ms` may come meanwhile.
bool CustomerCore::HelpUntilWork(int64_t until_ms) {
  const auto has_work = [this, until_ms] {
    MutexLock lock(mutex_);
    return HasWork() || tracker_.next_deadline_ms() < until_ms;
  };
  const bool helped = postoffice()->Help({has_work, &thread_bell_, until_ms, ReceiveToken::Rank::kIdle});
  MutexLock lock(mutex_);
  is_thread_helping_ = false;
  return helped;
}

bool CustomerCore::HasWork() const {
  if (inline_busy_) return false;
  return tracker_.counts().done > 0 || closing_ || held_.has_released() || !queue_.empty() ||
         !losses_.empty();
}

// An answer that has come counts, also when its sender is gone by the time it is handled.
void CustomerCore::ApplyLosses() {
  std::vector<NodeLoss> waiting;
  for (const NodeLoss& loss : losses_) {
    if (queued_answers_.count(loss.incarnation) != 0) {
      waiting.push_back(loss);
    } else {
      tracker_.Fail(RequestTracker::kEveryRequest, loss.node, loss.why, loss.before);
    }
  }
  losses_.swap(waiting);
}

void CustomerCore::TakeWork(int64_t now_ms, CustomerWork* work) {
  if (inline_busy_) return;  // one at a time
  if (!losses_.empty()) ApplyLosses();
  if (auto done = tracker_.TakeDone()) {
    work->kind = CustomerWork::kFinish;
    work->done = std::move(*done);
  } else if (closing_) {
    work->kind = CustomerWork::kQuit;
  } else if (auto released = held_.TakeReleased()) {
    work->kind = CustomerWork::kReleased;
    work->incoming.message = std::move(*released);
  } else if (auto expired = held_.TakeExpired(now_ms)) {
    work->kind = CustomerWork::kExpired;
    work->incoming.message = std::move(*expired);
  } else if (tracker_.next_deadline_ms() <= now_ms) {
    work->kind = CustomerWork::kOverdue;
    work->overdue = tracker_.TakeOverdue(now_ms);
  } else if (!queue_.empty()) {
    work->kind = CustomerWork::kIncoming;
    queue_.Pop(&work->incoming);
    work->must_wait = held_.Blocks(HeldRequests::LaneOf(work->incoming.message.meta));
  }
}

void CustomerCore::Perform(const CustomerWork& work) {
  const ScopedPostoffice bound(postoffice());
  switch (work.kind) {
    case CustomerWork::kFinish: return Finish(work.done);
    case CustomerWork::kOverdue: return FailOverdue(work.overdue);
    case CustomerWork::kIncoming: return HandleIncoming(work.incoming, work.must_wait);
    case CustomerWork::kReleased: return RunRequestHandle(work.incoming.message);
    case CustomerWork::kExpired: return AnswerExpired(work.incoming.message.meta);
    case CustomerWork::kNothing:
    case CustomerWork::kQuit: return;
  }
}

// For Close, when there is no thread to do it or the thread itself closes.
void CustomerCore::FinishAll() {
  CustomerCore* const before = current_;
  current_ = this;
  const ScopedPostoffice bound(postoffice());
  while (true) {
    std::optional<RequestTracker::Done> done;
    {
      MutexLock lock(mutex_);
      done = tracker_.TakeDone();
    }
    if (!done) break;
    Finish(*done);
  }
  current_ = before;
}

void CustomerCore::Finish(const RequestTracker::Done& done) {
  PS_TEST_POINT("request.finish");
  Status outcome = done.status;
  if (done.is_unanswered) postoffice()->GiveUp(app_id_, customer_id_, done.timestamp);
  if (done.sink != nullptr) outcome = Guarded([&] { return done.sink->OnDone(done.status); });
  MutexLock lock(mutex_);
  tracker_.Finish(done, outcome);
  if (!done.direct && --num_called_back_ == 0) callbacks_depend_.reset();
  TellFinished();
}

void CustomerCore::TellFinished() {
  if (num_waiting_ > 0) finished_.NotifyAll();
  if (helping_callers_.load() > 0) callers_bell_.Ring();
  if (num_waiting_idle_ > 0) idle_.NotifyAll();
}

void CustomerCore::FailOverdue(const std::vector<RequestTracker::Overdue>& overdue) {
  for (const RequestTracker::Overdue& request : overdue) {
    const Status why = Status::DeadlineExceeded(
        "request " + std::to_string(request.timestamp) + " of " + Describe() + " has no answer from " +
        DescribeNodes(postoffice(), request.silent) + " after " + FormatSeconds(request.age_ms) +
        " s (PS_BARRIER_TIMEOUT bounds how long a node may put a request aside)");
    // First: from then on nothing refers to what the request has lent, and it may end.
    postoffice()->GiveUp(app_id_, customer_id_, request.timestamp);
    MutexLock lock(mutex_);
    tracker_.Fail(request.timestamp, RequestTracker::kEveryNode, why);
  }
}

// --- requests of others ---

void CustomerCore::HandleIncoming(const IncomingMessage& incoming, bool must_wait) {
  const Message& message = incoming.message;
  if (!message.meta.request) {
    HandleAnswer(message);
    MutexLock lock(mutex_);
    const auto queued = queued_answers_.find(message.meta.sender_incarnation);
    if (queued != queued_answers_.end() && --queued->second == 0) queued_answers_.erase(queued);
    return;
  }
  if (incoming.returns_credit) postoffice()->ReturnCredit(message.meta);
  if (must_wait) return Hold(message);
  RunRequestHandle(message);
}

void CustomerCore::RunRequestHandle(const Message& request) {
  PS_TEST_POINT("handle.before");
  const Status outcome = Guarded([&] {
    handle_(request);
    return Status::Ok();
  });
  PS_TEST_POINT("handle.after");
  if (!outcome.ok()) SendError(request.meta, outcome);
}

void CustomerCore::Hold(const Message& request) {
  const bool command = HeldRequests::LaneOf(request.meta) == HeldRequests::kCommands;
  const int64_t timeout_ms = command ? kDefaultCommandMs : settings().request_timeout_ms;
  const int64_t until_ms = Deadline::After(timeout_ms).at_ms();
  bool answer_now;
  bool held = false;
  {
    MutexLock lock(mutex_);
    answer_now = command && default_commands_;
    Message kept = request;
    if (!answer_now) held = held_.Hold(&kept, until_ms);
  }
  if (answer_now) return AnswerExpired(request.meta);
  if (held) return;
  SendError(request.meta,
            Status::ResourceExhausted(Describe() +
                                      " has no request handle, and too many requests wait for it already"));
}

void CustomerCore::ReleaseHeld(HeldRequests::Lane lane) {
  MutexLock lock(mutex_);
  held_.Release(lane);
  if (lane == HeldRequests::kCommands) default_commands_ = false;
  RouseThread();
}

void CustomerCore::AnswerExpired(const Meta& request) {
  if (HeldRequests::LaneOf(request) == HeldRequests::kData) {
    return SendError(request, Status::DeadlineExceeded(Describe() + " has had no request handle for " +
                                                       FormatSeconds(settings().request_timeout_ms) +
                                                       " s (PS_REQUEST_TIMEOUT)"));
  }
  {
    MutexLock lock(mutex_);
    default_commands_ = true;
  }
  SendResponse(request, Message());
}

// Requests nobody will handle any more: their senders are told, instead of waiting for their deadline.
void CustomerCore::RefuseQueued() {
  std::vector<IncomingMessage> refused;
  std::optional<Meta> extra;
  {
    MutexLock lock(mutex_);
    for (auto held = held_.TakeAny(); held; held = held_.TakeAny())
      refused.push_back({std::move(*held), false});
    while (!queue_.empty()) refused.push_back(queue_.Pop());
    for (const IncomingMessage& incoming : refused)
      if (IsExtra(incoming.message.meta)) extra = incoming.message.meta;
    if (node_closed_) refused.clear();
  }
  if (extra) ReportExtra(*extra);
  const Status why = Status::Unavailable(Describe() + " was closed");
  for (const IncomingMessage& incoming : refused) {
    if (!incoming.message.meta.request) continue;
    if (incoming.returns_credit) postoffice()->ReturnCredit(incoming.message.meta);
    SendError(incoming.message.meta, why);
  }
}

// --- answers ---

void CustomerCore::HandleAnswer(const Message& answer) {
  const Meta& meta = answer.meta;
  PS_TEST_POINT("answer.handle");
  RequestTracker::Expectation expected;
  {
    MutexLock lock(mutex_);
    expected = tracker_.Judge(meta.timestamp, meta.sender);
  }
  if (expected.verdict == RequestTracker::Expectation::kLate) return;
  if (expected.verdict != RequestTracker::Expectation::kExpected) return ReportExtra(meta);
  const Status outcome =
      meta.status == StatusCode::kOk
          ? Guarded([&] { return RunAnswerHandle(answer, expected.sink.get()); })
          : Status(meta.status, postoffice()->Describe(meta.sender) + " answered: " + meta.body);
  MutexLock lock(mutex_);
  tracker_.Answer(meta.timestamp, meta.sender, outcome);
}

Status CustomerCore::RunAnswerHandle(const Message& answer, RequestSink* sink) {
  if (sink != nullptr) PS_RETURN_IF_ERROR(sink->OnAnswer(answer));
  handle_(answer);
  return Status::Ok();
}

// An answer too many tells of a server that answers twice, also where nobody is left to handle it.
bool CustomerCore::IsExtra(const Meta& meta) {
  if (meta.request) return false;
  const auto verdict = tracker_.Judge(meta.timestamp, meta.sender).verdict;
  return verdict == RequestTracker::Expectation::kExtra || verdict == RequestTracker::Expectation::kUnknown;
}

void CustomerCore::ReportExtra(const Meta& meta) {
  {
    MutexLock lock(mutex_);
    if (extra_reported_) return;
    extra_reported_ = true;
  }
  PS_LOG(
      kWarning, LogName(postoffice()),
      "ignored an answer of " << postoffice()->Describe(meta.sender) << " to request " << meta.timestamp
                              << " of " << Describe()
                              << ": it is not waited for (answered twice?); further ones are not reported");
}

void CustomerCore::ReportUnobserved() {
  std::string text;
  {
    MutexLock lock(mutex_);
    text = tracker_.finished().TellUnobserved();
  }
  if (!text.empty()) PS_LOG(kError, LogName(postoffice()), Describe() << ": " << text);
}

}  // namespace ps
