#include "collective/collective_node.h"

#include <algorithm>
#include <climits>
#include <limits>
#include <utility>

#include "app/node_text.h"
#include "base/clock.h"
#include "base/fork.h"
#include "base/guarded.h"
#include "base/log.h"
#include "postoffice/binding.h"
#include "ps/postoffice.h"

namespace ps {
namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

thread_local const CollectiveNode* thread_of = nullptr;

Status Closed() { return Status::Cancelled("the collective was closed"); }

std::int64_t NowMs() { return Clock::Real().NowMs(); }

}  // namespace

CollectiveNode::CollectiveNode(Postoffice* postoffice)
    : postoffice_(postoffice),
      shrinks_(postoffice->on_node_lost() == OnNodeLost::kShrink),
      table_(this, [postoffice](int node) { return postoffice->Describe(node); },
             postoffice->config().barrier_timeout_ms, {}),
      next_ms_(kNever),
      alarm_ms_(kNever) {}

CollectiveNode::~CollectiveNode() { Leave(); }

void CollectiveNode::Open() {
  ThrowIfError(postoffice_->Attach(this));
  {
    MutexLock lock(mutex_);
    is_attached_ = true;
  }
  OnRoster();
  Drive();
}

// Its mailbox stays: what was said to the others at the end is on its way, and what they say is answered.
void CollectiveNode::Close() {
  if (IsForked()) return;
  std::unique_ptr<Thread> thread;
  {
    MutexLock lock(mutex_);
    if (is_closing_) return;
    is_closing_ = true;
  }
  PutDown([](OperationTable* table) { table->EndAll(Closed()); });
  Drive();
  {
    MutexLock lock(mutex_);
    while (!IsThread() && (!open_.empty() || is_driving_)) idle_.Wait(mutex_);
    may_quit_ = true;
    thread = std::move(thread_);
    work_.NotifyAll();
    thread_bell_.Ring();
  }
  if (thread != nullptr) thread->Join();
}

void CollectiveNode::Leave() {
  Close();
  {
    MutexLock lock(mutex_);
    if (!is_attached_ || IsForked()) return;
    is_attached_ = false;
  }
  postoffice_->Detach(this);
}

// With `shrink` a lost one counts no more, from when this node has heard of it.
void CollectiveNode::SeeWhoIsThere() {
  std::vector<GroupMembers::Member> members;
  MutexLock lock(mutex_);
  for (const Node& node : postoffice_->Members(Node::WORKER)) {
    if (shrinks_ && lost_.count(node.incarnation) != 0) continue;
    members.push_back({node.id, node.incarnation});
  }
  group_ = GroupMembers(std::move(members), Postoffice::WorkerRankToID(postoffice_->my_rank()));
}

GroupMembers CollectiveNode::group() const {
  MutexLock lock(mutex_);
  return group_;
}

// --- calls ---

Status CollectiveNode::CheckMayCall() const {
  PS_RETURN_IF_ERROR(CheckNotForked());
  if (IsThread())
    return Status::FailedPrecondition("waiting in a continuation of a collective operation would never end");
  if (RunsInlineHandle())
    return Status::FailedPrecondition(
        "a collective operation inside an inline handle would keep everybody from receiving");
  return Status::Ok();
}

void CollectiveNode::CheckMayBegin(const std::string& name) {
  if (is_closing_) ThrowIfError(Status::FailedPrecondition("the collective is closed"));
  if (has_ended_) ThrowIfError(Status::FailedPrecondition("the node has left the cluster"));
  if (!name.empty() && !names_.insert(name).second)
    ThrowIfError(Status::AlreadyExists("a collective operation of the name \"" + name +
                                       "\" is under way on this rank"));
}

std::shared_ptr<OpenOperation> CollectiveNode::Begin(Call&& call, bool is_async) {
  if (!is_async) ThrowIfError(CheckMayCall());
  ThrowIfError(CheckNotForked());
  auto operation = std::make_shared<OpenOperation>(call.name, is_async, std::move(call.finish));
  OperationTable::Wish wish{0, std::move(call.name), call.signature, call.algorithm, call.arrays};
  {
    MutexLock lock(mutex_);
    CheckMayBegin(operation->name());
    last_token_ = last_token_ == INT_MAX ? 1 : last_token_ + 1;
    wish.token = last_token_;
    open_[wish.token] = operation;
    if (is_async) {
      ++num_async_;
      StartThread();
      work_.NotifyOne();  // from now on it receives
    }
    events_.push_back([wish, now_ms = NowMs(), this](OperationTable* table) {
      OperationTable::Wish mine = wish;
      const Status begun = table->Begin(std::move(mine), now_ms);
      if (!begun.ok()) End(wish.token, begun);
    });
  }
  Drive();
  return operation;
}

Status CollectiveNode::Wait(OpenOperation* operation, std::int64_t deadline_ms) {
  if (operation->done()) return operation->outcome();
  PS_RETURN_IF_ERROR(CheckMayCall());
  AwaitAsCaller([operation] { return operation->done(); }, deadline_ms);
  if (operation->done()) return operation->outcome();
  return Status::DeadlineExceeded("the collective operation is not done in the time given to this wait");
}

bool CollectiveNode::Post(std::function<void()> code) {
  MutexLock lock(mutex_);
  if (may_quit_ || IsForked()) return false;
  StartThread();
  if (thread_ == nullptr) return false;
  posted_.push_back(std::move(code));
  work_.NotifyOne();
  thread_bell_.Ring();
  return true;
}

// --- who does the work ---

void CollectiveNode::PutDown(Event event) {
  MutexLock lock(mutex_);
  events_.push_back(std::move(event));
  if (!is_driving_) Rouse();
}

void CollectiveNode::Rouse() {
  if (num_callers_ > 0) {
    news_.NotifyAll();
    if (helping_callers_.load() > 0) callers_bell_.Ring();
  } else if (thread_ != nullptr) {
    work_.NotifyOne();
    thread_bell_.Ring();
  }
}

bool CollectiveNode::TakeTurn(std::deque<Event>* events) {
  MutexLock lock(mutex_);
  if (!HasNews()) return false;
  is_driving_ = true;
  events->swap(events_);
  return true;
}

void CollectiveNode::EndTurn() {
  MutexLock lock(mutex_);
  is_driving_ = false;
  if (is_closing_) idle_.NotifyAll();
}

void CollectiveNode::Drive() {
  std::deque<Event> events;
  while (TakeTurn(&events)) {
    {
      MutexLock lock(table_mutex_);
      for (const Event& event : events) CarryOut(event);
      next_ms_.store(table_.next_ms());
    }
    events.clear();
    EndTurn();
    const std::int64_t next_ms = next_ms_.load();
    if (next_ms < alarm_ms_.load()) {
      alarm_ms_.store(next_ms);
      postoffice_->WakeAt(next_ms);
    }
  }
}

void CollectiveNode::CarryOut(const Event& event) {
  const Status done = Guarded([&] {
    event(&table_);
    return Status::Ok();
  });
  if (!done.ok()) PS_LOG(kError, LogName(postoffice_), "an event of a collective was lost: " << done);
}

void CollectiveNode::Send(Packed&& packed) {
  Message message;
  message.meta.app_id = kCollectiveApp;
  message.meta.customer_id = kCollectiveApp;
  message.meta.request = true;
  message.meta.push = !packed.values.empty();
  message.meta.head = 0;
  message.meta.timestamp = packed.token;
  message.meta.recver = packed.node;
  message.meta.body = std::move(packed.packet);
  if (!packed.values.empty()) {
    message.AddData(SArray<char>());
    message.AddData(packed.values);
  }
  const Status sent = postoffice_->Send(std::move(message), Postoffice::SentFrom::kInlineHandle);
  if (sent.ok() || packed.token == OperationTable::kNoToken) return;
  PutDown([token = packed.token, sent](OperationTable* table) { table->OnRefused(token, sent); });
}

void CollectiveNode::SendAnswer(const Asked& asked, const Status& outcome) {
  Message message;
  Meta& meta = message.meta;
  meta.app_id = kCollectiveApp;
  meta.customer_id = asked.customer_id;
  meta.timestamp = asked.timestamp;
  meta.recver = asked.sender;
  meta.sender_incarnation = asked.sender_incarnation;
  meta.head = asked.head;
  meta.push = asked.push;
  meta.pull = asked.pull;
  meta.simple_app = asked.simple_app;
  meta.status = outcome.code();
  meta.body = outcome.message();
  // Where it does not arrive nobody waits for it.
  const Status sent = postoffice_->Send(std::move(message), Postoffice::SentFrom::kInlineHandle);
  if (!sent.ok()) PS_VLOG(2) << "answer to " << asked.sender << " not sent: " << sent;
}

void CollectiveNode::End(int token, const Status& outcome) {
  std::shared_ptr<OpenOperation> operation;
  {
    MutexLock lock(mutex_);
    const auto found = open_.find(token);
    if (found == open_.end()) return;
    operation = found->second;
  }
  for (OpenOperation::Continuation& continuation : operation->Finish(outcome)) {
    const auto run = [continuation = std::move(continuation), operation] {
      continuation(operation->outcome());
    };
    if (!Post(run)) run();
  }
  MutexLock lock(mutex_);
  open_.erase(token);
  names_.erase(operation->name());
  if (operation->is_async()) --num_async_;
  if (num_callers_ > 0) news_.NotifyAll();
  if (helping_callers_.load() > 0) callers_bell_.Ring();
  if (open_.empty()) idle_.NotifyAll();
}

// --- waiting ---

bool CollectiveNode::Help(Bell* bell, ReceiveToken::Rank rank, std::int64_t deadline_ms,
                          const std::function<bool()>& ends) {
  return postoffice_->Help({ends, bell, deadline_ms, rank});
}

// Drives as a helper, with the token held as inline handles run: who left for each event would have to come
// back, and `ps-io` would be told to see whether it does.
void CollectiveNode::AwaitAsCaller(const IsDone& is_done, std::int64_t deadline_ms) {
  const auto drives_until_done = [&] {
    Drive();
    return is_done();
  };
  {
    MutexLock lock(mutex_);
    ++num_callers_;
  }
  for (bool in_time = true; in_time && !drives_until_done();) {
    helping_callers_.fetch_add(1);
    SetReceivesForCaller(true);
    const bool helped = Help(&callers_bell_, ReceiveToken::Rank::kCaller, deadline_ms, drives_until_done);
    SetReceivesForCaller(false);
    helping_callers_.fetch_sub(1);
    in_time = deadline_ms == kNever || NowMs() < deadline_ms;
    if (helped) continue;
    const DependsOnFrames depends(postoffice_->dependents());
    MutexLock lock(mutex_);
    while (in_time && !HasNews() && !is_done()) in_time = news_.WaitUntil(mutex_, deadline_ms);
  }
  MutexLock lock(mutex_);
  --num_callers_;
  if (!events_.empty() && !is_driving_) Rouse();
}

// --- the thread ---

bool CollectiveNode::IsThread() const { return thread_of == this; }

void CollectiveNode::StartThread() {
  if (thread_ != nullptr || is_closing_) return;
  thread_ = std::make_unique<Thread>("ps-coll", [self = shared_from_this()] { self->Run(); });
}

void CollectiveNode::Run() {
  thread_of = this;
  const ScopedPostoffice bound(postoffice_);
  while (true) {
    std::function<void()> code;
    {
      MutexLock lock(mutex_);
      if (posted_.empty() && may_quit_) break;
      if (!posted_.empty()) {
        code = std::move(posted_.front());
        posted_.pop_front();
      }
    }
    if (!code) {
      AwaitAsThread();
      continue;
    }
    const Status ran = Guarded([&] {
      code();
      return Status::Ok();
    });
    if (!ran.ok())
      PS_LOG(kError, LogName(postoffice_), "what was to follow a collective operation has failed: " << ran);
  }
  thread_of = nullptr;
}

void CollectiveNode::DriveIfNobodyElse() {
  {
    MutexLock lock(mutex_);
    if (num_callers_ > 0) return;
  }
  Drive();
}

// Until there is something for the thread, which drives while no caller does.
void CollectiveNode::AwaitAsThread() {
  const auto has_own = [this]() PS_NO_THREAD_SAFETY_ANALYSIS {
    return !posted_.empty() || may_quit_ || (HasNews() && num_callers_ == 0);
  };
  DriveIfNobodyElse();
  bool has_async;
  {
    MutexLock lock(mutex_);
    if (has_own()) return;
    has_async = num_async_ > 0;
  }
  const bool helped = has_async && Help(&thread_bell_, ReceiveToken::Rank::kIdle, kNever, [&] {
                        DriveIfNobodyElse();
                        MutexLock lock(mutex_);
                        return has_own() || num_async_ == 0;
                      });
  if (helped) return;
  std::optional<DependsOnFrames> depends;
  if (has_async) depends.emplace(postoffice_->dependents());
  MutexLock lock(mutex_);
  while (!has_own() && (num_async_ > 0) == has_async) work_.Wait(mutex_);
}

}  // namespace ps
