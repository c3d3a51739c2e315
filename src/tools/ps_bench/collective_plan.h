#ifndef PS_TOOLS_PS_BENCH_COLLECTIVE_PLAN_H_
#define PS_TOOLS_PS_BENCH_COLLECTIVE_PLAN_H_

#include <vector>

#include "tools/ps_bench/plan.h"

namespace ps::bench {

// The row `collective`: jobs without servers, of 2 and 4 workers.
std::vector<Measurement> CollectiveMeasurements(const Options& options);

}  // namespace ps::bench

#endif  // PS_TOOLS_PS_BENCH_COLLECTIVE_PLAN_H_
