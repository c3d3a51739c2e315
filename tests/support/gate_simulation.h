// The simulation that is the Gate's specification: random programs of 1 to 5 workers run on 1 to 3 servers,
// one Gate each, over channels that keep or break the order of messages, with workers that leave early and
// with backup workers.
#ifndef PS_TESTS_SUPPORT_GATE_SIMULATION_H_
#define PS_TESTS_SUPPORT_GATE_SIMULATION_H_

#include <cstdint>
#include <ostream>
#include <vector>

#include "ps/table_spec.h"

namespace ps {

struct GateCase {
  const char* name;
  Consistency consistency;
  bool early;       // some workers leave before the others
  bool reorder;     // messages overtake each other
  bool auto_close;  // each Add is a round
};
// Those of the specification.
std::vector<GateCase> GateCases();

// All but `reads` and `dropped` are failures.
struct GateTotals {
  std::int64_t reads = 0;
  std::int64_t deadlocks = 0;    // programs in which a read was never answered
  std::int64_t wrong = 0;        // reads that lack what their mode promises, or have what it forbids
  std::int64_t lost = 0;         // programs in which a contribution was neither applied nor dropped, or twice
  std::int64_t early_sums = 0;   // rounds whose sum differs when it is made as far as FirstMissing allows
  std::int64_t bits_differ = 0;  // BSP programs with other sums under another order of arrival
  std::int64_t refused = 0;      // events that the Gate took for errors
  std::int64_t dropped = 0;
  std::int64_t failures() const { return deadlocks + wrong + lost + early_sums + bits_differ + refused; }
};
std::ostream& operator<<(std::ostream& out, const GateTotals& totals);

// Runs so many random programs; of exact modes each one twice, under two schedules.
GateTotals SimulateGate(const GateCase& one, int num_programs, std::uint64_t seed);

}  // namespace ps
#endif  // PS_TESTS_SUPPORT_GATE_SIMULATION_H_
