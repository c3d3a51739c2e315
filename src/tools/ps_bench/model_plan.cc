#include "tools/ps_bench/model_plan.h"

#include <string>
#include <utility>

namespace ps::bench {

// The bars are what mshadow-ps takes; beside it the bare sum of four arrays.
std::vector<Measurement> ModelMeasurements(const Options& options) {
  const Figures settings = {{"bytes", 4 << 20}, {"count", options.quick ? 3 : 50}};
  std::vector<Measurement> rounds;
  for (const auto& [devices, most_ms] : {std::pair(1, 4.8), std::pair(2, 11.3), std::pair(4, 19.7)}) {
    Measurement round;
    round.row = "model";
    round.job = {options.servers, options.workers, options.transport, "model-round", settings, {}};
    round.job.settings["devices"] = devices;
    round.floor = {"sum", settings};
    round.lines = {{"SharedModel round, 1 M floats, devices: " + std::to_string(devices), "p50_us", "p50_us",
                    "ms", 1e-3, 1e-3, Bar::AtMost(most_ms)}};
    rounds.push_back(round);
  }
  return rounds;
}

}  // namespace ps::bench
