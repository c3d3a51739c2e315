#include "c_api/pushed_arrays.h"

#include <utility>

namespace ps::c_api {

void PushedArrays::SetAlone() {
  MutexLock lock(mutex_);
  is_alone_ = true;
}

void PushedArrays::SetRounds(std::uint64_t rounds) {
  MutexLock lock(mutex_);
  rounds_ = rounds;
}

bool PushedArrays::IsUsed(const Slot& slot, const Entry& entry) const {
  if (entry.number <= slot.delivered) return false;
  if (!entry.merged.Done()) return true;
  return is_alone_ && (slot.num_pulls > 0 || slot.last - entry.number <= rounds_);
}

std::deque<PushedArrays::Entry> PushedArrays::Take(Slot* slot) {
  std::deque<Entry> taken;
  while (!slot->entries.empty() && !IsUsed(*slot, slot->entries.front())) {
    taken.push_back(std::move(slot->entries.front()));
    slot->entries.pop_front();
  }
  return taken;
}

void PushedArrays::Add(int key, int device, Tensor array, Ticket merged) {
  std::deque<Entry> gone;
  MutexLock lock(mutex_);
  Slot& slot = slots_[{key, device}];
  slot.entries.push_back({++slot.last, std::move(array), std::move(merged)});
  gone = Take(&slot);
}

std::uint64_t PushedArrays::BeginPull(int key, int device) {
  MutexLock lock(mutex_);
  Slot& slot = slots_[{key, device}];
  ++slot.num_pulls;
  return slot.last;
}

void PushedArrays::EndPull(int key, int device, std::uint64_t number, bool is_delivered) {
  std::deque<Entry> gone;
  MutexLock lock(mutex_);
  Slot& slot = slots_[{key, device}];
  --slot.num_pulls;
  if (is_delivered && number > slot.delivered) slot.delivered = number;
  gone = Take(&slot);
  // Nothing was ever pushed: the key or the device may be none of the model's.
  if (slot.last == 0 && slot.num_pulls == 0) slots_.erase({key, device});
}

void PushedArrays::Clear() {
  std::map<std::pair<int, int>, std::deque<Entry>> gone;
  MutexLock lock(mutex_);
  for (auto& [which, slot] : slots_) gone[which].swap(slot.entries);
}

std::size_t PushedArrays::size() const {
  MutexLock lock(mutex_);
  std::size_t size = 0;
  for (const auto& [which, slot] : slots_) size += slot.entries.size();
  return size;
}

}  // namespace ps::c_api
