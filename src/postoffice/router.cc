#include "postoffice/router.h"

#include <algorithm>
#include <optional>

namespace ps {
namespace {

uint64_t BytesOf(const Message& message) {
  return static_cast<uint64_t>(message.meta.data_size) + message.meta.body.size();
}

template <typename A, typename B>
bool GoTogether(const A& a, const B& b) {
  return a.app_id == b.app_id && a.customer_id == b.customer_id;
}

}  // namespace

std::string NoCustomerText(int app) { return "has no customer for app " + std::to_string(app); }

void Router::Reset(const Bounds& bounds, bool is_worker) {
  MutexLock lock(mutex_);
  bounds_ = bounds;
  is_worker_ = is_worker;
  parked_.clear();
  reserved_.clear();
  parked_bytes_ = 0;
}

Router::Entry* Router::Named(int app_id, int customer_id) {
  const auto found = mailboxes_.find({app_id, customer_id});
  return found == mailboxes_.end() || found->second.is_leaving ? nullptr : &found->second;
}

Router::Entry* Router::OnlyOneOf(int app_id) {
  const auto first = mailboxes_.lower_bound({app_id, INT_MIN});
  if (first == mailboxes_.end() || first->first.first != app_id) return nullptr;
  const auto second = std::next(first);
  const bool alone = second == mailboxes_.end() || second->first.first != app_id;
  return alone && !first->second.is_leaving ? &first->second : nullptr;
}

Router::Entry* Router::Pick(const Meta& meta) {
  if (!meta.request) return Named(meta.app_id, meta.customer_id);
  Entry* const named = Named(meta.app_id, is_worker_ ? meta.customer_id : meta.app_id);
  return named != nullptr ? named : OnlyOneOf(meta.app_id);
}

class Router::Call {
 public:
  Call(Router* router, Entry* entry) : router_(router), entry_(entry) {}
  ~Call() {
    MutexLock lock(router_->mutex_);
    if (--entry_->num_calls == 0) router_->changed_.NotifyAll();
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

 private:
  Router* const router_;
  Entry* const entry_;
};

bool Router::Add(Mailbox* mailbox) {
  MutexLock lock(mutex_);
  if (!mailboxes_.emplace(Name{mailbox->app_id(), mailbox->customer_id()}, Entry{mailbox}).second) {
    return false;
  }
  const auto reserved = reserved_.find({mailbox->app_id(), mailbox->customer_id()});
  if (reserved != reserved_.end()) mailbox->BeginTimestampsAt(reserved->second);
  std::deque<Parked> still_parked;
  for (Parked& parked : parked_) {
    Entry* const receiver = Pick(parked.message.meta);
    if (receiver == nullptr) {
      still_parked.push_back(std::move(parked));
      continue;
    }
    parked_bytes_ -= BytesOf(parked.message);
    receiver->mailbox->Deliver(std::move(parked.message));
  }
  parked_.swap(still_parked);
  changed_.NotifyAll();
  return true;
}

void Router::Remove(Mailbox* mailbox) {
  const Name name{mailbox->app_id(), mailbox->customer_id()};
  MutexLock lock(mutex_);
  auto found = mailboxes_.find(name);
  while (found != mailboxes_.end() && found->second.mailbox == mailbox && found->second.num_calls > 0) {
    found->second.is_leaving = true;
    changed_.Wait(mutex_);
    found = mailboxes_.find(name);
  }
  if (found == mailboxes_.end() || found->second.mailbox != mailbox) return;
  mailboxes_.erase(found);
  const int reserved = mailbox->ReservedTimestamps();
  if (reserved > 0) reserved_[name] = reserved;
}

Mailbox* Router::Find(int app_id, int customer_id, Deadline deadline) {
  MutexLock lock(mutex_);
  Entry* found = Named(app_id, customer_id);
  while (found == nullptr && changed_.WaitUntil(mutex_, deadline.at_ms())) {
    found = Named(app_id, customer_id);
  }
  if (found == nullptr) found = Named(app_id, customer_id);
  return found == nullptr ? nullptr : found->mailbox;
}

size_t Router::Deliver(Message* first, size_t count) {
  Entry* receiver;
  {
    MutexLock lock(mutex_);
    receiver = Pick(first->meta);
    if (receiver == nullptr) return 0;
    ++receiver->num_calls;
  }
  const Call call(this, receiver);
  const auto goes_elsewhere = [meta = &first->meta](const Message& message) {
    return !GoTogether(message.meta, *meta) || message.meta.request != meta->request;
  };
  const auto run = std::find_if(first + 1, first + count, goes_elsewhere) - first;
  receiver->mailbox->DeliverAll(first, static_cast<size_t>(run));
  return static_cast<size_t>(run);
}

size_t Router::Deliver(const BareAnswer* first, size_t count) {
  Entry* receiver;
  {
    MutexLock lock(mutex_);
    receiver = Named(first->app_id, first->customer_id);
    if (receiver == nullptr) return 0;
    ++receiver->num_calls;
  }
  const Call call(this, receiver);
  const auto goes_elsewhere = [first](const BareAnswer& answer) { return !GoTogether(answer, *first); };
  const auto run = std::find_if(first + 1, first + count, goes_elsewhere) - first;
  receiver->mailbox->DeliverAnswers(first, static_cast<size_t>(run));
  return static_cast<size_t>(run);
}

Router::Fate Router::Route(Message* message, int64_t now_ms) {
  while (true) {
    if (Deliver(message, 1) > 0) return Fate::kDelivered;
    MutexLock lock(mutex_);
    if (Pick(message->meta) == nullptr) return Park(message, now_ms);
  }
}

Router::Fate Router::Park(Message* message, int64_t now_ms) {
  if (!message->meta.request) return Fate::kDropped;
  const uint64_t bytes = BytesOf(*message);
  const bool has_room = parked_.empty() || parked_bytes_ + bytes <= bounds_.bytes;
  if (parked_.size() >= bounds_.messages || !has_room) return Fate::kNoRoom;
  parked_bytes_ += bytes;
  Message kept = *message;
  kept.meta.room_returned = true;
  if (kept.meta.borrowed) {
    // Whoever comes for it may not be one who borrows, and the sender gets its memory back.
    for (SArray<char>& block : kept.data) {
      SArray<char> copy;
      copy.CopyFrom(block.data(), block.size());
      block = std::move(copy);
    }
    kept.meta.borrowed = false;
  }
  const int64_t timeout_ms = kept.meta.app_id == kCollectiveApp ? 0 : bounds_.timeout_ms;
  parked_.push_back({std::move(kept), Deadline::AfterAt(now_ms, timeout_ms).at_ms()});
  return Fate::kParked;
}

bool Router::Borrows(const Meta& meta) {
  MutexLock lock(mutex_);
  const Entry* const receiver = Pick(meta);
  return receiver != nullptr && receiver->mailbox->Borrows(meta);
}

std::vector<Message> Router::Expire(int64_t now_ms, int64_t* next_ms) {
  std::vector<Message> expired;
  MutexLock lock(mutex_);
  const auto first = std::stable_partition(
      parked_.begin(), parked_.end(), [now_ms](const Parked& parked) { return parked.deadline_ms > now_ms; });
  for (auto parked = first; parked != parked_.end(); ++parked) {
    parked_bytes_ -= BytesOf(parked->message);
    expired.push_back(std::move(parked->message));
  }
  parked_.erase(first, parked_.end());
  for (const Parked& parked : parked_) *next_ms = std::min(*next_ms, parked.deadline_ms);
  return expired;
}

void Router::ForEach(const std::function<void(Mailbox*)>& visit) {
  MutexLock lock(mutex_);
  for (const auto& [name, entry] : mailboxes_) visit(entry.mailbox);
}

void Router::Visit(int app_id, int customer_id, const std::function<void(Mailbox*)>& visit) {
  MutexLock lock(mutex_);
  Entry* const entry = Named(app_id, customer_id);
  if (entry != nullptr) visit(entry->mailbox);
}

void Router::WaitIdle() {
  // One after the other: a callback of one may remove another, which waits until no call of it is running.
  std::optional<Name> last;
  while (true) {
    Entry* entry = nullptr;
    {
      MutexLock lock(mutex_);
      const auto next = last ? mailboxes_.upper_bound(*last) : mailboxes_.begin();
      if (next == mailboxes_.end()) return;
      last = next->first;
      entry = &next->second;
      ++entry->num_calls;
    }
    const Call call(this, entry);
    entry->mailbox->WaitIdle();
  }
}

}  // namespace ps
