#ifndef PS_EXAMPLES_MLP_SHARED_SYNCHRONISER_H_
#define PS_EXAMPLES_MLP_SHARED_SYNCHRONISER_H_

#include <chrono>
#include <cstddef>
#include <functional>
#include <mutex>
#include <vector>

#include "examples/mlp_shared/exchange.h"

namespace mlp {

// What synchronising took, in seconds, summed over steps (and devices).
struct SyncTimes {
  double synchronised = 0;  // from a step's first Begin to the last sum that was there
  double waited = 0;        // the device's thread stood in Begin and Wait, and did nothing else
  std::size_t steps = 0;

  SyncTimes& operator+=(const SyncTimes& other);
  // The share of the synchronisation that was beside other work: 0 if each was waited for.
  double overlap() const;
};

// One device's use of the exchange, and how long it waits for it. The device's thread calls it.
class Synchroniser {
 public:
  // `overlaps`: gradients travel as soon as they are known; else when the way back has ended, and the device
  // waits for them then. Keys are numbers below `num_keys`; lower ones are needed first.
  Synchroniser(Exchange* exchange, int device, int num_keys, bool overlaps);

  // The gradient of a key is known. `then` as of Exchange::Begin.
  void Begin(int key, float* gradient, std::function<void()> then);
  // All gradients of this step are known.
  void EndBackward();
  // Before a key's weights are used in the next step, and its gradient changes.
  void Wait(int key);
  // Of the steps that all keys have been waited for.
  SyncTimes times() const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Deferred {
    int key;
    float* gradient;
    std::function<void()> then;
  };
  void Send(int key, float* gradient, std::function<void()> then);

  Exchange* const exchange_;
  const int device_;
  const int num_keys_;
  const bool overlaps_;
  std::vector<Deferred> deferred_;
  Clock::time_point first_;         // Begin of this step
  std::vector<bool> is_under_way_;  // by key
  int num_under_way_ = 0;
  mutable std::mutex mutex_;
  Clock::time_point last_done_;  // under mutex_: sums come on other threads
  SyncTimes times_;
};

}  // namespace mlp

#endif  // PS_EXAMPLES_MLP_SHARED_SYNCHRONISER_H_
