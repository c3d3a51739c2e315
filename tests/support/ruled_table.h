// A table whose rule is changed, and one that had it from the beginning.
#ifndef PS_TESTS_SUPPORT_RULED_TABLE_H_
#define PS_TESTS_SUPPORT_RULED_TABLE_H_

#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include "tests/support/store_world.h"

namespace ps {

using Floats = std::vector<float>;

constexpr std::size_t kSize = 202;  // elements of the table

inline UpdaterChoice Choice(const std::string& text) { return ParseUpdater(text).value(); }

inline Floats Gradient(int step, std::size_t size = kSize) {
  std::mt19937 random(static_cast<unsigned>(step));
  std::uniform_real_distribution<float> uniform(-1, 1);
  Floats values(size);
  for (float& value : values) value = uniform(random);
  return values;
}

inline Floats Values(StoreTable& table) {
  Floats values(kSize);
  table.Get(Rows::All(), values.data());
  return values;
}

inline void Step(StoreTable& table, int step) { table.Add(Rows::All(), Gradient(step).data()); }

inline TableSpec Spec(const std::string& updater, const Consistency& consistency = Consistency::Asp()) {
  TableSpec spec = DenseSpec("w", 101, 2);
  spec.updater = updater;
  spec.consistency = consistency;
  if (consistency.mode == Consistency::kBsp) spec.apply = TableSpec::kMerged;
  return spec;
}

// A table that had the rule from the beginning, and begins with these values.
inline Floats Unbroken(const std::string& rule, const Floats& values, int from, int to) {
  StoreWorld world(Way::kLoopback, 1, 1);
  TableSpec spec = Spec("assign");
  spec.updater = Choice(rule).name;
  spec.updater_options = Choice(rule).options;
  const auto table = world[0].Create(spec);
  table->SetAsync(Rows::All(), values.data()).Wait();
  for (int step = from; step <= to; ++step) Step(*table, step);
  return Values(*table);
}

}  // namespace ps

#endif  // PS_TESTS_SUPPORT_RULED_TABLE_H_
