#include "examples/mlp_shared/synchroniser.h"

#include <algorithm>
#include <utility>

namespace mlp {
namespace {

using Seconds = std::chrono::duration<double>;

}  // namespace

SyncTimes& SyncTimes::operator+=(const SyncTimes& other) {
  synchronised += other.synchronised;
  waited += other.waited;
  steps += other.steps;
  return *this;
}

double SyncTimes::overlap() const { return synchronised > 0 ? std::max(0.0, 1 - waited / synchronised) : 0; }

Synchroniser::Synchroniser(Exchange* exchange, int device, int num_keys, bool overlaps)
    : exchange_(exchange),
      device_(device),
      num_keys_(num_keys),
      overlaps_(overlaps),
      is_under_way_(static_cast<std::size_t>(num_keys)) {}

void Synchroniser::Begin(int key, float* gradient, std::function<void()> then) {
  if (overlaps_) return Send(key, gradient, std::move(then));
  deferred_.push_back({key, gradient, std::move(then)});
}

void Synchroniser::EndBackward() {
  if (overlaps_) return;
  for (Deferred& deferred : deferred_) Send(deferred.key, deferred.gradient, std::move(deferred.then));
  deferred_.clear();
  for (int key = 0; key < num_keys_; ++key) Wait(key);
}

void Synchroniser::Send(int key, float* gradient, std::function<void()> then) {
  const Clock::time_point begin = Clock::now();
  if (num_under_way_ == 0) first_ = begin;
  is_under_way_[static_cast<std::size_t>(key)] = true;
  ++num_under_way_;
  // What is needed first goes first.
  exchange_->Begin(key, gradient, device_, -key, [this, then = std::move(then)] {
    if (then != nullptr) then();
    const std::lock_guard<std::mutex> lock(mutex_);
    last_done_ = Clock::now();
  });
  times_.waited += Seconds(Clock::now() - begin).count();
}

void Synchroniser::Wait(int key) {
  if (!is_under_way_[static_cast<std::size_t>(key)]) return;
  const Clock::time_point begin = Clock::now();
  exchange_->Wait(key, device_);
  times_.waited += Seconds(Clock::now() - begin).count();
  is_under_way_[static_cast<std::size_t>(key)] = false;
  if (--num_under_way_ > 0) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  times_.synchronised += Seconds(last_done_ - first_).count();
  ++times_.steps;
}

SyncTimes Synchroniser::times() const { return times_; }

}  // namespace mlp
