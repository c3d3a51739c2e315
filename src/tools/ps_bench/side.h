// The two sides of a measurement that take turns: a floor, and a job of the library.
#ifndef PS_TOOLS_PS_BENCH_SIDE_H_
#define PS_TOOLS_PS_BENCH_SIDE_H_

#include <memory>

#include "tools/ps_bench/plan.h"

namespace ps::bench {

// Ready to measure when it is constructed. Throws as Child does.
class Side {
 public:
  virtual ~Side() = default;
  virtual Figures Run() = 0;
  // After the last Run: what has to hold at its end, too.
  virtual void Finish() = 0;
};

// Null where there is no floor.
std::unique_ptr<Side> MakeFloorSide(const Measurement& measurement, const Interrupts* interrupts);
// Not for kFloor, which has none.
std::unique_ptr<Side> MakeJobSide(const Measurement& measurement, const Interrupts* interrupts);

}  // namespace ps::bench

#endif  // PS_TOOLS_PS_BENCH_SIDE_H_
