#include "transport/inproc/inbox.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace ps {

bool Inbox::Push(Parcel* parcel) {
  MutexLock lock(mutex_);
  if (closed_) return false;
  parcels_.push_back(std::move(*parcel));
  if (helper_ != nullptr) {
    helper_->Ring();
  } else {
    arrived_.NotifyOne();
  }
  return true;
}

void Inbox::Wait(int64_t deadline_ms) {
  MutexLock lock(mutex_);
  bool in_time = true;
  while ((parcels_.empty() || helper_ != nullptr) && !woken_ && !closed_ && in_time)
    in_time = arrived_.WaitUntil(mutex_, deadline_ms);
  woken_ = false;
}

void Inbox::SetHelper(Bell* bell) {
  MutexLock lock(mutex_);
  helper_ = bell;
  if (helper_ == nullptr && !parcels_.empty()) arrived_.NotifyOne();
}

void Inbox::Take(size_t max, std::vector<Parcel>* taken) {
  taken->clear();
  MutexLock lock(mutex_);
  for (; !parcels_.empty() && taken->size() < max; parcels_.pop_front())
    taken->push_back(std::move(parcels_.front()));
}

void Inbox::Wake() {
  MutexLock lock(mutex_);
  woken_ = true;
  arrived_.NotifyOne();
}

void Inbox::Discard(const Pipe* pipe) {
  std::vector<Parcel> dropped;
  MutexLock lock(mutex_);
  const auto others = std::stable_partition(parcels_.begin(), parcels_.end(),
                                            [&](const Parcel& p) { return p.pipe != pipe; });
  dropped.assign(std::make_move_iterator(others), std::make_move_iterator(parcels_.end()));
  parcels_.erase(others, parcels_.end());
}

void Inbox::Detach(const Pipe* pipe) {
  std::vector<Parcel> originals;
  MutexLock lock(mutex_);
  for (Parcel& parcel : parcels_) {
    if (parcel.pipe != pipe) continue;
    Parcel copy;
    copy.from = parcel.from;
    copy.frame = parcel.frame.DeepCopy();
    originals.push_back(std::exchange(parcel, std::move(copy)));
  }
}

void Inbox::Close() {
  std::deque<Parcel> dropped;
  MutexLock lock(mutex_);
  closed_ = true;
  dropped.swap(parcels_);
  arrived_.NotifyAll();
}

}  // namespace ps
