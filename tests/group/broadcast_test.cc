#include "group/broadcast.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/queue.h"
#include "device/devices.h"
#include "tests/group/resources_fixture.h"
#include "tests/support/tensors.h"

namespace ps {
namespace {

constexpr std::int64_t kBig = 2 * Workers::kPiece + 5;

class BroadcastTest : public ResourcesFixture {
 protected:
  BroadcastTest() : ResourcesFixture(kBig) {}
};

std::vector<float> Ramp(std::int64_t size) {
  std::vector<float> values;
  for (std::int64_t i = 0; i < size; ++i) values.push_back(static_cast<float>(i % 100));
  return values;
}

void ExpectCopies(Resources* resources, const DeviceId& source, std::int64_t size) {
  const Tensor from = TensorOf(Ramp(size), source);
  std::vector<Tensor> to;
  for (int device = 0; device < 5; ++device)
    to.push_back(Tensor::Full({size}, -1, DType::kF32, DeviceId::Cpu(device)));
  CopyToAll(resources, from, to, 3);
  for (const Tensor& output : to) EXPECT_EQ(ValuesOf<float>(output), Ramp(size));
}

TEST_F(BroadcastTest, EveryOutputGetsTheValueOnEveryDevice) {
  for (Resources* const resources : All()) {
    for (const std::int64_t size :
         {std::int64_t{0}, std::int64_t{1}, std::int64_t{77}, kBig - 1, kBig, kBig + 1}) {
      for (int source = 0; source < 3; ++source) ExpectCopies(resources, DeviceId::Cpu(source), size);
    }
  }
}

template <typename T>
void ExpectConverted(const Tensor& output, std::int64_t size) {
  const std::vector<T> values = ValuesOf<T>(output);
  const std::vector<float> expected = Ramp(size);
  for (std::size_t i = 0; i < values.size(); ++i)
    ASSERT_EQ(static_cast<float>(values[i]), expected[i]) << NameOf(output.view().dtype);
}

void ExpectConverted(const Tensor& output) {
  switch (output.view().dtype) {
    case DType::kF32: return ExpectConverted<float>(output, kBig);
    case DType::kF64: return ExpectConverted<double>(output, kBig);
    case DType::kF16: return ExpectConverted<Half>(output, kBig);
    case DType::kBF16: return ExpectConverted<BFloat16>(output, kBig);
    case DType::kI8: return ExpectConverted<std::int8_t>(output, kBig);
    case DType::kU8: return ExpectConverted<std::uint8_t>(output, kBig);
    case DType::kI16: return ExpectConverted<std::int16_t>(output, kBig);
    case DType::kU16: return ExpectConverted<std::uint16_t>(output, kBig);
    case DType::kI32: return ExpectConverted<std::int32_t>(output, kBig);
    case DType::kU32: return ExpectConverted<std::uint32_t>(output, kBig);
    case DType::kI64: return ExpectConverted<std::int64_t>(output, kBig);
    case DType::kU64: return ExpectConverted<std::uint64_t>(output, kBig);
    case DType::kBool: break;
  }
  const auto* const flags = static_cast<const std::uint8_t*>(output.Data());
  EXPECT_EQ(flags[0], 0);
  EXPECT_EQ(flags[99], 1);
}

TEST_F(BroadcastTest, OutputsOfOtherTypesGetItConverted) {
  // V025, in all types at once, two of each.
  std::vector<Tensor> to;
  for (std::uint8_t code = 0; IsDType(code); ++code) {
    for (const int device : {0, 2})
      to.push_back(Tensor::Empty({kBig}, static_cast<DType>(code), DeviceId::Cpu(device)));
  }
  for (Resources* const resources : All()) {
    for (int source = 0; source < 2; ++source) {
      for (const Tensor& output : to) std::memset(output.Data(), 1, output.view().bytes());
      CopyToAll(resources, TensorOf(Ramp(kBig), DeviceId::Cpu(source)), to, 0);
      for (const Tensor& output : to) ExpectConverted(output);
    }
  }
}

TEST_F(BroadcastTest, AnOutputMayBeTheValueItself) {
  for (Resources* const resources : All()) {
    const Tensor from = TensorOf(Ramp(9), DeviceId::Cpu(1));
    CopyToAll(resources, from, {from}, 0);
    EXPECT_EQ(ValuesOf<float>(from), Ramp(9));
  }
  CopyToAll(&one_thread_, TensorOf(Ramp(9)), {}, 4);
}

TEST_F(BroadcastTest, WaitsForTheValueButNotForWhoWritesTheOutputs) {
  for (Resources* const resources : All()) {
    Tensor output = TensorOf(Ramp(3), DeviceId::Cpu(1));
    // Whoever copies may be the one that the output waits for.
    output.SetWrite(std::make_shared<EndedWrite>(Status::Internal("not to be asked")));
    CopyToAll(resources, Tensor::Full({3}, 5), {output}, 0);
    EXPECT_EQ(static_cast<float*>(output.view().data)[2], 5);
    EXPECT_THROW(CopyToAll(resources, output, {output}, 0), Error);
  }
}

TEST_F(BroadcastTest, ForeignMemoryIsWrittenBehindItsStream) {
  for (Resources* const resources : All()) {
    const std::unique_ptr<Stream> stream = FindDevice(DeviceId::Cpu(1)).value()->NewStream();
    std::vector<float> memory(3, 0);
    TensorView view;
    view.data = memory.data();
    view.shape = {3};
    view.device = DeviceId::Cpu(1);
    view.stream = stream.get();
    std::vector<float> seen;
    stream->Run([&] { seen = memory; });
    CopyToAll(resources, Tensor::Full({3}, 5), {Tensor::Foreign(view)}, 0);
    EXPECT_EQ(seen, std::vector<float>(3, 0));
    EXPECT_EQ(memory, std::vector<float>(3, 5));
  }
}

TEST_F(BroadcastTest, WhatDoesNotFitIsNamedBeforeAnythingIsCopied) {
  const Tensor from = Tensor::Full({2, 3}, 5);
  const Tensor good = Tensor::Full({2, 3}, 1);
  const Tensor rows =
      Tensor::RowSparse({2, 3}, TensorOf(std::vector<std::int64_t>{1}), Tensor::Full({1, 3}, 1));
  const auto refusal = [&](const Tensor& value, const Tensor& bad) {
    const Status status = ThrownBy([&] { CopyToAll(&threads_, value, {good, bad}, 0); });
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
    return status.message();
  };
  EXPECT_EQ(refusal(from, Tensor::Full({3, 2}, 1)),
            "operands shape mismatch from.shape = [2,3] to.shape=[3,2]");
  EXPECT_EQ(refusal(from, rows), "output 1 is row-sparse, the value dense");
  EXPECT_EQ(refusal(from, Tensor()), "output 1 is no tensor");
  EXPECT_EQ(refusal(rows, good), "only dense tensors are copied to others");
  EXPECT_EQ(refusal(Tensor(), good), "only dense tensors are copied to others");
  EXPECT_EQ(ValuesOf<float>(good), std::vector<float>(6, 1));
}

}  // namespace
}  // namespace ps
