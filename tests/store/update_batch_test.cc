#include "store/update_batch.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "store/elements.h"
#include "tests/store/test_updaters.h"

namespace ps {
namespace {

// Notes the sizes of the runs it gets, call by call.
class NotingUpdater : public TestUpdater {
 public:
  void Update(const UpdateRun* runs, std::size_t num_runs, const UpdateContext& context) override {
    calls.emplace_back();
    for (std::size_t i = 0; i < num_runs; ++i) calls.back().push_back(runs[i].size);
    last = context;
  }

  std::vector<std::vector<std::size_t>> calls;
  UpdateContext last;
};

ElementRun RunAt(std::vector<float>* values, std::size_t at) {
  char* const place = reinterpret_cast<char*>(values->data() + at);
  return {place, place, nullptr};
}

TEST(UpdateBatchTest, HandsOverManyRunsAtATimeInOrder) {
  NotingUpdater updater;
  UpdateBatch batch({DType::kF32, DType::kF32, false, 0}, &updater);
  UpdateContext context;
  context.count = 9;
  context.worker = 3;
  batch.Begin(context, DType::kF32);
  std::vector<float> values(1000);
  for (std::size_t i = 0; i < 100; ++i) batch.Add(RunAt(&values, i), values.data(), i + 1);
  batch.Flush();
  std::vector<std::size_t> sizes;
  for (const auto& call : updater.calls) sizes.insert(sizes.end(), call.begin(), call.end());
  ASSERT_EQ(sizes.size(), 100U);
  for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(sizes[i], i + 1);
  EXPECT_LE(updater.calls.size(), 2U);
  EXPECT_EQ(updater.last.count, 9);
  EXPECT_EQ(updater.last.worker, 3);
}

TEST(UpdateBatchTest, FlushingNothingCallsNobody) {
  NotingUpdater updater;
  UpdateBatch batch({DType::kF32, DType::kF32, false, 0}, &updater);
  batch.Begin({}, DType::kF32);
  batch.Flush();
  EXPECT_TRUE(updater.calls.empty());
}

TEST(UpdateBatchTest, LongRunsOfHalvesGoThroughInPieces) {
  SumTimesCount<float> rule;
  const ElementFormat format{DType::kF16, DType::kF32, false, 2};
  UpdateBatch batch(format, &rule);
  constexpr std::size_t kCount = 5000;
  std::vector<std::uint16_t> values(kCount);
  std::vector<float> states(2 * kCount, 0.0F);
  const std::vector<std::uint16_t> ones(kCount, 0x3c00);
  UpdateContext context;
  context.state_step = kCount * sizeof(float);
  batch.Begin(context, DType::kF16);
  const ElementRun run{reinterpret_cast<char*>(values.data()), nullptr,
                       reinterpret_cast<char*>(states.data())};
  // The second time must see what the first one has left.
  for (int i = 0; i < 3; ++i) batch.Add(run, ones.data(), kCount);
  batch.Flush();
  std::vector<float> wide(kCount);
  WidenElements(DType::kF16, values.data(), wide.data(), kCount);
  EXPECT_EQ(wide, std::vector<float>(kCount, 9.0F));
  EXPECT_EQ(states, std::vector<float>(2 * kCount, 3.0F));
  EXPECT_LT(rule.largest_run(), kCount);
}

}  // namespace
}  // namespace ps
