#include "group/merge.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <iterator>
#include <thread>
#include <vector>

#include "ps/half.h"
#include "tests/group/resources_fixture.h"
#include "tests/support/model_arrays.h"

namespace ps {
namespace {

using Floats = std::vector<float>;

class MergeTest : public ResourcesFixture {
 protected:
  MergeTest() : ResourcesFixture(1) {}

  static Floats Read(const Tensor& tensor) {
    Floats values(static_cast<std::size_t>(tensor.view().size()));
    tensor.CopyTo(values.data());
    return values;
  }
  static TensorView On(int device, TensorView view) {
    view.device = DeviceId::Cpu(device);
    return view;
  }
};

TEST_F(MergeTest, SumsMeansAndConcatenationsOnAllKindsOfDevices) {
  Floats a{1, 2, 3, 4};
  Floats b{10, 20, 30, 40};
  for (Resources* resources : All()) {
    for (const int first : {0, 1}) {
      const std::vector<TensorView> parts = {On(first, ViewOf(&a, {2, 2})), On(2, ViewOf(&b, {2, 2}))};
      const MergedValue sum = MergeParts(resources, MergeKind::kSum, parts, false);
      EXPECT_EQ(Read(sum.values), (Floats{11, 22, 33, 44}));
      EXPECT_FALSE(sum.is_lent);
      EXPECT_EQ(Read(MergeParts(resources, MergeKind::kMean, parts, false).values),
                (Floats{5.5, 11, 16.5, 22}));
      const MergedValue all = MergeParts(resources, MergeKind::kGather, parts, false);
      EXPECT_EQ(Read(all.values), (Floats{1, 2, 3, 4, 10, 20, 30, 40}));
      EXPECT_EQ(all.values.view().shape, (Shape{4, 2}));
    }
  }
}

TEST_F(MergeTest, OneContributionIsHandedOnWithoutACopy) {
  Floats a{1, 2};
  for (const MergeKind kind : {MergeKind::kSum, MergeKind::kMean, MergeKind::kGather}) {
    const MergedValue merged = MergeParts(&one_thread_, kind, {ViewOf(&a, {1, 2})}, true);
    EXPECT_TRUE(merged.is_lent);
    EXPECT_EQ(merged.values.view().data, a.data());
  }
}

TEST_F(MergeTest, AValueMayStayOnItsDevice) {
  Floats a{1, 2};
  Floats b{3, 4};
  const std::vector<TensorView> parts = {On(1, ViewOf(&a, {1, 2})), On(2, ViewOf(&b, {1, 2}))};
  EXPECT_EQ(MergeParts(&apart_, MergeKind::kSum, parts, true).values.view().device, DeviceId::Cpu(1));
  EXPECT_EQ(MergeParts(&apart_, MergeKind::kSum, parts, false).values.view().device, DeviceId::Cpu());
  const MergedValue alone = MergeParts(&apart_, MergeKind::kSum, {parts[0]}, false);
  EXPECT_FALSE(alone.is_lent) << "it had to be brought to the processor's memory";
  EXPECT_EQ(Read(alone.values), a);
}

TEST_F(MergeTest, BitsDoNotDependOnThreads) {
  std::vector<Floats> values(3, Floats(100001));
  float next = 1;
  for (Floats& each : values) {
    for (float& value : each) value = (next = next * 1.7F - static_cast<float>(static_cast<int>(next)));
  }
  std::vector<TensorView> parts;
  for (Floats& each : values) parts.push_back(ViewOf(&each, {100001, 1}));
  const Floats expected = Read(MergeParts(&one_thread_, MergeKind::kMean, parts, false).values);
  const Floats with_threads = Read(MergeParts(&threads_, MergeKind::kMean, parts, false).values);
  EXPECT_EQ(std::memcmp(expected.data(), with_threads.data(), expected.size() * sizeof(float)), 0);
}

// Of this process.
auto NumThreads() {
  const std::filesystem::directory_iterator threads("/proc/self/task");
  return std::distance(begin(threads), end(threads));
}

TEST_F(MergeTest, WhatIsLargeIsCountedInElements) {
  constexpr std::size_t kBound = 2 * Workers::kPiece;
  const auto before = NumThreads();
  for (const MergeKind kind : {MergeKind::kSum, MergeKind::kMean, MergeKind::kGather}) {
    for (const std::size_t size : {kBound - 1, kBound, kBound + 1}) {
      while (NumThreads() != before) std::this_thread::yield();  // those that have ended are going
      Resources resources(2, kBound, false);
      Floats values(size, 1);
      const TensorView part = ViewOf(&values, {static_cast<std::int64_t>(size), 1});
      const Floats merged = Read(MergeParts(&resources, kind, {part, part}, true).values);
      EXPECT_EQ(merged.back(), kind == MergeKind::kSum ? 2 : 1);
      EXPECT_EQ(NumThreads() - before, size < kBound ? 0 : 1) << size;
    }
  }
}

TEST_F(MergeTest, WhatHasNoSumIsRefused) {
  std::vector<std::uint8_t> flags{1, 0};
  TensorView view = ViewOf(&flags, {1, 2});
  view.dtype = DType::kBool;
  ExpectRefused(StatusCode::kInvalidArgument, {"bool"}, [&] {
    MergeParts(&one_thread_, MergeKind::kSum, {view, view}, false);
  });
}

}  // namespace
}  // namespace ps
