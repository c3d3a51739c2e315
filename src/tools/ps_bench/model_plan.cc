#include "tools/ps_bench/model_plan.h"

#include <string>
#include <utility>

namespace ps::bench {

// The bars are what mshadow-ps takes.
std::vector<Measurement> ModelMeasurements(const Options& options) {
  const double bytes = 4 << 20;
  std::vector<Measurement> rounds;
  for (const auto& [devices, most_ms] : {std::pair(1, 4.8), std::pair(2, 11.3), std::pair(4, 19.7)}) {
    Measurement round;
    round.row = "model";
    round.job = {options.servers,
                 options.workers,
                 options.transport,
                 "model-round",
                 {{"devices", devices}, {"bytes", bytes}, {"count", options.quick ? 3 : 50}},
                 {}};
    round.floor = {"memcpy", {{"bytes", bytes}, {"total_bytes", options.quick ? 2 * bytes : 32 * bytes}}};
    const std::string label = "SharedModel round, 1 M floats, " + std::to_string(devices);
    round.lines = {
        {label + (devices == 1 ? " device" : " devices"), "p50_us", "", "ms", 1e-3, 1, Bar::AtMost(most_ms)}};
    rounds.push_back(round);
  }
  return rounds;
}

}  // namespace ps::bench
