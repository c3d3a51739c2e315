#include "postoffice/router.h"

#include <algorithm>
#include <optional>

namespace ps {
namespace {

uint64_t BytesOf(const Message& message) {
  return static_cast<uint64_t>(message.meta.data_size) + message.meta.body.size();
}

}  // namespace

void Router::Reset(const Bounds& bounds, bool is_worker) {
  MutexLock lock(mutex_);
  bounds_ = bounds;
  is_worker_ = is_worker;
  parked_.clear();
  reserved_.clear();
  parked_bytes_ = 0;
}

Mailbox* Router::Named(int app_id, int customer_id) {
  const auto found = mailboxes_.find({app_id, customer_id});
  return found == mailboxes_.end() ? nullptr : found->second;
}

Mailbox* Router::OnlyOneOf(int app_id) {
  const auto first = mailboxes_.lower_bound({app_id, INT_MIN});
  if (first == mailboxes_.end() || first->first.first != app_id) return nullptr;
  const auto second = std::next(first);
  const bool alone = second == mailboxes_.end() || second->first.first != app_id;
  return alone ? first->second : nullptr;
}

Mailbox* Router::Pick(const Meta& meta) {
  if (!meta.request) return Named(meta.app_id, meta.customer_id);
  Mailbox* const named = Named(meta.app_id, is_worker_ ? meta.customer_id : meta.app_id);
  return named != nullptr ? named : OnlyOneOf(meta.app_id);
}

bool Router::Add(Mailbox* mailbox) {
  MutexLock lock(mutex_);
  if (!mailboxes_.emplace(Name{mailbox->app_id(), mailbox->customer_id()}, mailbox).second) {
    return false;
  }
  const auto reserved = reserved_.find({mailbox->app_id(), mailbox->customer_id()});
  if (reserved != reserved_.end()) mailbox->BeginTimestampsAt(reserved->second);
  std::deque<Parked> still_parked;
  for (Parked& parked : parked_) {
    Mailbox* const receiver = Pick(parked.message.meta);
    if (receiver == nullptr) {
      still_parked.push_back(std::move(parked));
      continue;
    }
    parked_bytes_ -= BytesOf(parked.message);
    receiver->Deliver(std::move(parked.message));
  }
  parked_.swap(still_parked);
  changed_.NotifyAll();
  return true;
}

void Router::Remove(Mailbox* mailbox) {
  MutexLock lock(mutex_);
  while (pinned_.count(mailbox) != 0) changed_.Wait(mutex_);
  const Name name{mailbox->app_id(), mailbox->customer_id()};
  const auto found = mailboxes_.find(name);
  if (found == mailboxes_.end() || found->second != mailbox) return;
  mailboxes_.erase(found);
  const int reserved = mailbox->ReservedTimestamps();
  if (reserved > 0) reserved_[name] = reserved;
}

Mailbox* Router::Find(int app_id, int customer_id, Deadline deadline) {
  MutexLock lock(mutex_);
  Mailbox* found = Named(app_id, customer_id);
  while (found == nullptr && changed_.WaitUntil(mutex_, deadline.at_ms())) {
    found = Named(app_id, customer_id);
  }
  return found != nullptr ? found : Named(app_id, customer_id);
}

Router::Fate Router::Route(Message* message, int64_t now_ms) {
  MutexLock lock(mutex_);
  Mailbox* const receiver = Pick(message->meta);
  if (receiver != nullptr) {
    receiver->Deliver(std::move(*message));
    return Fate::kDelivered;
  }
  if (!message->meta.request) return Fate::kDropped;
  const uint64_t bytes = BytesOf(*message);
  const bool has_room = parked_.empty() || parked_bytes_ + bytes <= bounds_.bytes;
  if (parked_.size() >= bounds_.messages || !has_room) {
    return Fate::kNoRoom;
  }
  parked_bytes_ += bytes;
  Message kept = *message;
  kept.meta.room_returned = true;
  parked_.push_back({std::move(kept), Deadline::AfterAt(now_ms, bounds_.timeout_ms).at_ms()});
  return Fate::kParked;
}

std::vector<Message> Router::Expire(int64_t now_ms, int64_t* next_ms) {
  std::vector<Message> expired;
  MutexLock lock(mutex_);
  // All have the same time-out, so the oldest is in front.
  while (!parked_.empty() && parked_.front().deadline_ms <= now_ms) {
    parked_bytes_ -= BytesOf(parked_.front().message);
    expired.push_back(std::move(parked_.front().message));
    parked_.pop_front();
  }
  if (!parked_.empty()) *next_ms = std::min(*next_ms, parked_.front().deadline_ms);
  return expired;
}

void Router::ForEach(const std::function<void(Mailbox*)>& visit) {
  MutexLock lock(mutex_);
  for (const auto& [name, mailbox] : mailboxes_) visit(mailbox);
}

void Router::Visit(int app_id, int customer_id, const std::function<void(Mailbox*)>& visit) {
  MutexLock lock(mutex_);
  Mailbox* const mailbox = Named(app_id, customer_id);
  if (mailbox != nullptr) visit(mailbox);
}

void Router::WaitIdle() {
  // One after the other: a callback of one may remove another, which waits until that is not pinned.
  std::optional<Name> last;
  while (true) {
    Mailbox* mailbox = nullptr;
    {
      MutexLock lock(mutex_);
      const auto next = last ? mailboxes_.upper_bound(*last) : mailboxes_.begin();
      if (next == mailboxes_.end()) return;
      last = next->first;
      mailbox = next->second;
      ++pinned_[mailbox];
    }
    mailbox->WaitIdle();
    MutexLock lock(mutex_);
    if (--pinned_[mailbox] == 0) pinned_.erase(mailbox);
    changed_.NotifyAll();
  }
}

}  // namespace ps
