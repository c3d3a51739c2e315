#ifndef PS_TOOLS_PS_BENCH_MODEL_PLAN_H_
#define PS_TOOLS_PS_BENCH_MODEL_PLAN_H_

#include <vector>

#include "tools/ps_bench/plan.h"

namespace ps::bench {

// The row `model`: rounds of a SharedModel in one process, of 1, 2 and 4 devices.
std::vector<Measurement> ModelMeasurements(const Options& options);

}  // namespace ps::bench

#endif  // PS_TOOLS_PS_BENCH_MODEL_PLAN_H_
