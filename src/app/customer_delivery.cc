// The part of CustomerCore that runs where messages are delivered, on the receiving thread.
#include <cstddef>
#include <exception>
#include <utility>

#include "app/customer_core.h"
#include "app/node_text.h"
#include "base/guarded.h"
#include "base/log.h"
#include "base/test_point.h"
#include "postoffice/binding.h"
#include "ps/postoffice.h"

namespace ps {

void CustomerCore::Push(Message* first, std::size_t count, bool returns_credit) {
  PushedMessages pushed{first, first + count, returns_credit};
  while (pushed.next != pushed.end) {
    try {
      PushSome(&pushed);
    } catch (const std::exception& error) {
      // Out of memory, above all. The others need not suffer.
      PS_LOG(kError, LogName(postoffice()),
             Describe() << ": a received message was dropped: " << error.what());
      ++pushed.next;
    }
  }
}

void CustomerCore::PushSome(PushedMessages* pushed) {
  const Meta& meta = pushed->next->meta;
  if (!meta.request && TakeDirectly(*pushed->next)) {
    ++pushed->next;
    return;
  }
  if (meta.request && pushed->returns_credit) HandleInline(pushed);
  if (pushed->next != pushed->end) Enqueue(pushed);
}

// An answer alone: the next one may be one to be taken directly.
void CustomerCore::Enqueue(PushedMessages* pushed) {
  MutexLock lock(mutex_);
  node_closed_ = false;
  RouseThread();
  bool is_request = true;
  for (; pushed->next != pushed->end && is_request; ++pushed->next) {
    is_request = pushed->next->meta.request;
    const uint64_t incarnation = pushed->next->meta.sender_incarnation;
    queue_.Push(pushed->next->meta.priority, {std::move(*pushed->next), pushed->returns_credit});
    if (!is_request) ++queued_answers_[incarnation];
  }
}

// --- inline handles ---

// Not when others come first, nor where the thread has user code to run, or the program's locks may be held.
bool CustomerCore::BeginInline() {
  if (ReceivesForCaller() || RunsInlineHandle()) return false;
  MutexLock lock(mutex_);
  if (busy_ || inline_busy_ || leaving_ || !queue_.empty() || held_.Blocks(HeldRequests::kData)) return false;
  node_closed_ = false;
  inline_busy_ = true;
  return true;
}

void CustomerCore::EndInline() {
  MutexLock lock(mutex_);
  inline_busy_ = false;
  if (num_waiting_idle_ > 0) idle_.NotifyAll();
  if (HasWork()) RouseThread();
}

void CustomerCore::HandleInline(PushedMessages* pushed) {
  if (!is_inline_.load(std::memory_order_relaxed) || pushed->next->meta.simple_app || !BeginInline()) return;
  struct Turn {
    CustomerCore* const core;
    CustomerCore* const before;
    ~Turn() {  // also where the answer to a failed one finds no memory
      SetRunsInlineHandle(false);
      current_ = before;
      core->EndInline();
    }
  };
  const Turn turn{this, std::exchange(current_, this)};
  SetRunsInlineHandle(true);
  const ScopedPostoffice bound(postoffice());
  for (; pushed->next != pushed->end && !pushed->next->meta.simple_app; ++pushed->next) {
    postoffice()->ReturnCredit(pushed->next->meta);
    RunRequestHandle(*pushed->next);
  }
}

// --- answers ---

void CustomerCore::PushAnswers(const BareAnswer* next, std::size_t count) {
  const BareAnswer* const end = next + count;
  while (next != end) {
    next += CountAnswers(next, end);
    if (next == end) return;
    Message answer = next->AsMessage();
    Push(&answer, 1, true);
    ++next;
  }
}

std::size_t CustomerCore::CountAnswers(const BareAnswer* first, const BareAnswer* end) {
  const BareAnswer* next = first;
  bool some_are_finished = false;
  MutexLock lock(mutex_);
  for (; next != end; ++next) {
    const RequestTracker::Counted counted =
        tracker_.Judge(next->timestamp, next->sender, RequestTracker::Taker::kReceiverAtOnce).counted;
    if (counted == RequestTracker::Counted::kNot) break;
    PS_TEST_POINT("answer.handle");
    node_closed_ = false;
    if (counted == RequestTracker::Counted::kLeftDone) RouseThread();
    if (counted != RequestTracker::Counted::kFinished) continue;
    PS_TEST_POINT("request.finish");
    some_are_finished = true;
  }
  if (some_are_finished) TellFinished();
  return static_cast<std::size_t>(next - first);
}

bool CustomerCore::TakeDirectly(const Message& answer) {
  const Meta& meta = answer.meta;
  // An error has to be put into words, which may need locks that this thread must not wait for.
  if (meta.status != StatusCode::kOk) return false;
  RequestTracker::Expectation expected;
  {
    MutexLock lock(mutex_);
    expected = tracker_.Judge(meta.timestamp, meta.sender, RequestTracker::Taker::kReceiver);
    if (!expected.claimed) return false;
    node_closed_ = false;
  }
  PS_TEST_POINT("answer.handle");
  const Status outcome =
      expected.sink == nullptr ? Status::Ok() : Guarded([&] { return expected.sink->OnAnswer(answer); });
  RequestTracker::Answered answered;
  {
    MutexLock lock(mutex_);
    answered = tracker_.Answer(meta.timestamp, meta.sender, outcome, RequestTracker::Taker::kReceiver);
    if (answered.left_done) RouseThread();
  }
  if (answered.done.has_value()) Finish(*answered.done);
  return true;
}

}  // namespace ps
