#ifndef PS_EXAMPLES_MLP_SHARED_STEP_TIMES_H_
#define PS_EXAMPLES_MLP_SHARED_STEP_TIMES_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <ostream>

#include "examples/mlp_shared/exchange.h"

namespace mlp {

// A network whose layers are of one size and take a given time.
struct LayersOptions {
  int devices = 2;
  int layers = 4;
  std::size_t weights = std::size_t{4} << 20;  // of each layer
  int slices = 1;            // keys of a layer, each known when its part of the layer's time is over
  double compute_ms = 0;     // of a step; 0: as long as the synchronisation takes
  double forward_share = 0;  // of the time, before the first gradient; the rest is the way back
  int steps = 20;
};

struct StepTimes {
  double synchronisation = 0;  // seconds of a step without any computation
  double computation = 0;      // simulated
  double apart = 0;            // a step with both, one after the other
  double together = 0;         // and with gradients that travel as soon as they are known
  double overlap = 0;          // of it, see SyncTimes
  double ratio = 0;            // of the latter step to the longer of its two parts
};

// Medians over turns, in each of which the three kinds of steps are measured. `make` makes the exchange of so
// many devices, for each kind one.
StepTimes MeasureSteps(const LayersOptions& options,
                       const std::function<std::unique_ptr<Exchange>(int devices)>& make);
void Print(const LayersOptions& options, const StepTimes& times, std::ostream* out);

}  // namespace mlp

#endif  // PS_EXAMPLES_MLP_SHARED_STEP_TIMES_H_
