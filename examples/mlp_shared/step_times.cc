#include "examples/mlp_shared/step_times.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <thread>
#include <utility>
#include <vector>

#include "examples/mlp_shared/device_threads.h"
#include "examples/mlp_shared/synchroniser.h"

namespace mlp {
namespace {

using Seconds = std::chrono::duration<double>;
using Clock = std::chrono::steady_clock;
constexpr int kTurns = 5;  // of the three kinds of steps, so that all see the same hours of the machine
using MakeExchange = std::function<std::unique_ptr<Exchange>(int devices)>;

// Time that a device of its own would work, without this processor. What follows at once begins where the
// last work ended, not when the thread has woken up.
class SimulatedDevice {
 public:
  void Compute(double seconds) {
    if (seconds <= 0) return;
    until_ += std::chrono::duration_cast<Clock::duration>(Seconds(seconds));
    std::this_thread::sleep_until(until_);
  }
  // It has waited for something.
  void BeginNow() { until_ = Clock::now(); }

 private:
  Clock::time_point until_;
};

// The steps of one device.
class Stepper {
 public:
  Stepper(const LayersOptions& options, Exchange* exchange, int device, bool overlaps)
      : options_(options),
        num_keys_(options.layers * options.slices),
        gradients_(static_cast<std::size_t>(num_keys_),
                   std::vector<float>(options.weights / static_cast<std::size_t>(options.slices), 1)),
        sync_(exchange, device, num_keys_, overlaps) {
    for (int key = 0; key < num_keys_; ++key) exchange->InitKey(key, gradients_.front().size(), device);
  }

  void Step(double compute) {
    const double forward = compute * options_.forward_share / options_.layers;
    const double backward = compute * (1 - options_.forward_share) / num_keys_;
    for (int key = 0; key < num_keys_; ++key) {
      sync_.Wait(key);
      if ((key + 1) % options_.slices != 0) continue;
      device_.BeginNow();
      device_.Compute(forward);
    }
    device_.BeginNow();
    for (int key = num_keys_ - 1; key >= 0; --key) {
      device_.Compute(backward);
      sync_.Begin(key, gradients_[static_cast<std::size_t>(key)].data(), nullptr);
    }
    sync_.EndBackward();
  }
  void Finish() {
    for (int key = 0; key < num_keys_; ++key) sync_.Wait(key);
  }
  SyncTimes times() const { return sync_.times(); }

 private:
  const LayersOptions options_;
  const int num_keys_;
  std::vector<std::vector<float>> gradients_;  // by key
  Synchroniser sync_;
  SimulatedDevice device_;
};

double MedianOf(std::vector<double> seconds) {
  std::sort(seconds.begin(), seconds.end());
  return seconds[seconds.size() / 2];
}

// Steps of one kind, by all devices.
class Series {
 public:
  Series(const LayersOptions& options, const MakeExchange& make, bool overlaps)
      : devices_(options.devices), exchange_(make(options.devices)) {
    for (int device = 0; device < options.devices; ++device)
      steppers_.push_back(std::make_unique<Stepper>(options, exchange_.get(), device, overlaps));
  }

  // So many steps more, and one before them that does not count. Their median time, of the first device.
  double Run(int steps, double compute) {
    std::vector<double> seconds;
    OnDevices(exchange_.get(), devices_, [&](int device) {
      Stepper& stepper = *steppers_[static_cast<std::size_t>(device)];
      for (int step = -1; step < steps; ++step) {
        const Clock::time_point begin = Clock::now();
        stepper.Step(compute);
        if (device == 0 && step >= 0) seconds.push_back(Seconds(Clock::now() - begin).count());
      }
      stepper.Finish();
    });
    return MedianOf(std::move(seconds));
  }
  SyncTimes times() const {
    SyncTimes all;
    for (const auto& stepper : steppers_) all += stepper->times();
    return all;
  }

 private:
  const int devices_;
  const std::unique_ptr<Exchange> exchange_;
  std::vector<std::unique_ptr<Stepper>> steppers_;  // by device; they use the exchange
};

}  // namespace

StepTimes MeasureSteps(const LayersOptions& options, const MakeExchange& make) {
  const int steps = std::max(options.steps / kTurns, 1);
  Series alone(options, make, false);
  Series apart(options, make, false);
  Series together(options, make, true);
  alone.Run(steps, 0);  // workers, servers and memory are warm after it
  std::vector<StepTimes> turns(kTurns);
  for (StepTimes& turn : turns) {
    turn.synchronisation = alone.Run(steps, 0);
    turn.computation = options.compute_ms > 0 ? options.compute_ms / 1000 : turn.synchronisation;
    turn.apart = apart.Run(steps, turn.computation);
    turn.together = together.Run(steps, turn.computation);
    turn.ratio = turn.together / std::max(turn.synchronisation, turn.computation);
  }
  const auto median = [&turns](double StepTimes::*part) {
    std::vector<double> values;
    for (const StepTimes& turn : turns) values.push_back(turn.*part);
    return MedianOf(std::move(values));
  };
  StepTimes times;
  for (double StepTimes::*part : {&StepTimes::synchronisation, &StepTimes::computation, &StepTimes::apart,
                                  &StepTimes::together, &StepTimes::ratio})
    times.*part = median(part);
  times.overlap = together.times().overlap();
  return times;
}

void Print(const LayersOptions& options, const StepTimes& times, std::ostream* out) {
  std::array<char, 400> text{};
  std::snprintf(
      text.data(), text.size(),
      "%d layers of %zu weights in %d keys each, %d devices, medians of %d turns of %d steps:\n"
      "  synchronisation %.1f ms, computation %.1f ms (simulated, %.0f %% of it forward)\n"
      "  a step without overlap %.1f ms, with overlap %.1f ms: %.2f x the longer of the two, %.0f %% of "
      "the synchronisation was not waited for\n",
      options.layers, options.weights, options.slices, options.devices, kTurns,
      std::max(options.steps / kTurns, 1), times.synchronisation * 1e3, times.computation * 1e3,
      options.forward_share * 100, times.apart * 1e3, times.together * 1e3, times.ratio, times.overlap * 100);
  *out << text.data();
}

}  // namespace mlp
