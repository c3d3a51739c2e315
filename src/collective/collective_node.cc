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
#include "base/parse.h"
#include "postoffice/binding.h"
#include "ps/postoffice.h"

namespace ps {
namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

std::int64_t NowMs() { return Clock::Real().NowMs(); }

}  // namespace

CollectiveNode::CollectiveNode(Postoffice* postoffice)
    : postoffice_(postoffice),
      shrinks_(postoffice->on_node_lost() == OnNodeLost::kShrink),
      table_(
          this, [postoffice](int node) { return postoffice->Describe(node); },
          postoffice->config().barrier_timeout_ms, {},
          static_cast<std::size_t>(postoffice->config().send_buffer_bytes)),
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

Status CollectiveNode::Closed() const {
  return Status::Cancelled(postoffice_->Describe(Postoffice::WorkerRankToID(postoffice_->my_rank())) +
                           " has closed its collective operations");
}

// Its mailbox stays: what was said to the others at the end is on its way, and what they say is answered.
void CollectiveNode::Close() {
  if (IsForked()) return;
  {
    MutexLock lock(mutex_);
    if (!std::exchange(is_closing_, true))
      events_.push_back([why = Closed()](OperationTable* table) { table->EndAll(why); });
  }
  for (bool is_idle = false; !is_idle;) {
    Drive();
    MutexLock lock(mutex_);
    is_idle = IsThread() || (open_.empty() && !is_driving_);
    if (!is_idle && !HasNews()) idle_.Wait(mutex_);
  }
  {
    MutexLock lock(mutex_);
    may_quit_ = true;
    work_.NotifyAll();
    thread_bell_.Ring();
  }
  if (!IsThread()) JoinThread();
}

void CollectiveNode::JoinThread() {
  std::unique_ptr<Thread> thread;
  {
    MutexLock lock(mutex_);
    while (is_joining_) idle_.Wait(mutex_);
    if (thread_ == nullptr) return;
    thread = std::move(thread_);
    is_joining_ = true;
  }
  thread->Join();
  MutexLock lock(mutex_);
  is_joining_ = false;
  idle_.NotifyAll();
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

// With `shrink` a lost one counts no more, from when this node has heard of it. To a node that was declared
// lost itself all others are, and the group is as it was. Put down at once: what is called for a group begins
// after it.
void CollectiveNode::SeeWhoIsThere() {
  std::vector<GroupMembers::Member> members;
  for (const Node& node : postoffice_->Members(Node::WORKER)) {
    if (shrinks_ && !is_lost_ && lost_.count(node.incarnation) != 0) continue;
    members.push_back({node.id, node.incarnation});
  }
  group_ = GroupMembers(std::move(members), Postoffice::WorkerRankToID(postoffice_->my_rank()));
  events_.push_back([group = group_](OperationTable* table) { table->SetGroup(group); });
  if (!is_driving_) Rouse();
}

GroupMembers CollectiveNode::group() const {
  MutexLock lock(mutex_);
  return group_;
}

// --- calls ---

Status CollectiveNode::CheckMayCall(bool waits) const {
  PS_RETURN_IF_ERROR(CheckNotForked());
  if (waits && IsThread())
    return Status::FailedPrecondition("waiting in a continuation of a collective operation would never end");
  if (RunsInlineHandle())
    return Status::FailedPrecondition(
        "a collective operation inside an inline handle would keep everybody from receiving");
  return Status::Ok();
}

void CollectiveNode::CheckMayBegin(const std::string& name) const {
  if (is_closing_) ThrowIfError(Status::FailedPrecondition("the collective is closed"));
  if (has_ended_) ThrowIfError(Status::FailedPrecondition("the node has left the cluster"));
  if (!name.empty() && names_.count(name) != 0)
    ThrowIfError(Status::AlreadyExists("a collective operation of the name \"" + name +
                                       "\" is under way on this rank"));
}

std::shared_ptr<OpenOperation> CollectiveNode::Begin(Call&& call, bool is_async) {
  ThrowIfError(CheckMayCall(!is_async));
  auto operation = std::make_shared<OpenOperation>(call.name, is_async, std::move(call.finish));
  Enter(operation, {0, call.group, std::move(call.name), call.signature, call.algorithm, call.arrays});
  DriveTurn();
  HandOver();
  return operation;
}

void CollectiveNode::Enter(const std::shared_ptr<OpenOperation>& operation, OperationTable::Wish&& wish) {
  MutexLock lock(mutex_);
  CheckMayBegin(operation->name());
  if (operation->is_async()) StartThread();
  last_token_ = last_token_ == INT_MAX ? 1 : last_token_ + 1;
  const int token = wish.token = last_token_;
  try {
    if (!operation->name().empty()) names_.insert(operation->name());
    open_[token] = operation;
    events_.push_back([wish = std::move(wish), now_ms = NowMs(), this](OperationTable* table) {
      const Status begun = Guarded([&] { return table->Begin(OperationTable::Wish(wish), now_ms); });
      if (begun.ok()) return;
      table->OnRefused(wish.token, begun);  // where it had begun, others have heard of it
      End(wish.token, begun);
    });
  } catch (...) {
    names_.erase(operation->name());
    open_.erase(token);
    throw;
  }
  if (!operation->is_async()) return;
  // The thread looks for frames from now on.
  ++num_async_;
  work_.NotifyOne();
  thread_bell_.Ring();
}

Status CollectiveNode::Wait(OpenOperation* operation, std::int64_t deadline_ms) {
  if (operation->done()) return operation->outcome();
  PS_RETURN_IF_ERROR(CheckMayCall(true));
  const std::int64_t began_ms = NowMs();
  AwaitAsCaller([operation] { return operation->done(); }, deadline_ms);
  if (operation->done()) return operation->outcome();
  return NotInTime(operation, NowMs() - began_ms);
}

Status CollectiveNode::NotInTime(const OpenOperation* operation, std::int64_t waited_ms) {
  int token = OperationTable::kNoToken;
  {
    MutexLock lock(mutex_);
    for (const auto& [key, open] : open_)
      if (open.get() == operation) token = key;
  }
  std::string progress;
  {
    MutexLock lock(table_mutex_);
    progress = table_.Progress(token);
  }
  if (progress.empty()) progress = "the collective operation \"" + operation->name() + "\" is not done";
  return Status::DeadlineExceeded(progress + " after a wait of " + FormatSeconds(waited_ms) +
                                  " s, as long as was given; it goes on");
}

void CollectiveNode::LetGo(const std::string& names) {
  MutexLock lock(mutex_);
  for (const auto& [token, operation] : open_)
    if (operation->name().compare(0, names.size(), names) == 0) operation->LetGo();
  idle_.NotifyAll();
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

// --- what the table has to say ---

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
  const Status sent = postoffice_->Send(std::move(message), Postoffice::SentFrom::kForThisLife);
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
    names_.erase(operation->name());  // whoever sees that it is done may use it again
  }
  for (OpenOperation::Continuation& continuation : operation->Finish(outcome))
    Follow([continuation = std::move(continuation), operation] { continuation(operation->outcome()); });
  MutexLock lock(mutex_);
  open_.erase(token);
  if (operation->is_async()) --num_async_;
  if (num_callers_ > 0) news_.NotifyAll();
  if (helping_callers_.load() > 0) callers_bell_.Ring();
  idle_.NotifyAll();
  if (MayQuit()) {
    work_.NotifyOne();
    thread_bell_.Ring();
  }
}

}  // namespace ps
