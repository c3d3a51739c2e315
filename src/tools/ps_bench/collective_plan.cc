#include "tools/ps_bench/collective_plan.h"

#include <string>

namespace ps::bench {
namespace {

Measurement MeasurementOf(const Options& options, int workers, const Figures& settings) {
  Measurement measurement;
  measurement.row = "collective";
  measurement.job = {0, workers, options.transport, "allreduce", settings, {}};
  return measurement;
}

// Beside processes that move the same bytes through shared memory, and nothing else.
Measurement LargeOf(const Options& options, int ranks) {
  const double bytes = 4 << 20;
  const double count = options.quick ? 5 : 50;
  Measurement large = MeasurementOf(options, ranks, {{"bytes", bytes}, {"count", count}});
  if (options.over_shm)
    large.floor = {"exchange", {{"bytes", bytes}, {"count", ranks}, {"total_bytes", count * bytes}}};
  const std::string label = "allreduce 4 MB, " + std::to_string(ranks) + " processes";
  large.lines = {{label, "p50_us", options.over_shm ? "p50_us" : "", "ms", 1e-3, 1e-3,
                  options.over_shm ? Bar::RatioAtMost(1.5) : Bar()}};
  return large;
}

}  // namespace

std::vector<Measurement> CollectiveMeasurements(const Options& options) {
  Measurement small = MeasurementOf(options, 2, {{"bytes", 64}, {"count", options.quick ? 100 : 2000}});
  if (options.over_shm) small.floor = {"futex-ping", {{"count", options.quick ? 100 : 2000}}};
  small.lines = {
      {"allreduce 64 B, 2 processes: p50", "p50_us", options.over_shm ? "p50_us" : "", "us", 1, 1, {}}};
  return {LargeOf(options, 2), LargeOf(options, 4), small};
}

}  // namespace ps::bench
