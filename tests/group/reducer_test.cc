#include "group/reducer.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "base/thread.h"
#include "tests/support/tensors.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

using Options = Reducer::Options;

Options OnHost() { return {}; }
Options OnDevice() {
  Options options;
  options.on_device = true;
  return options;
}
Options Apart() {
  Options options = OnDevice();
  options.cpus_are_apart = true;
  return options;
}
std::vector<Options> All() { return {OnHost(), OnDevice(), Apart()}; }

class ReducerTest : public testing::Test {
 protected:
  Watchdog watchdog_;
};

// One of `shape` on each of `num_devices`, filled with base + step * device.
std::vector<Tensor> OnEach(int num_devices, const Shape& shape, double base, double step = 0) {
  std::vector<Tensor> values;
  for (int i = 0; i < num_devices; ++i)
    values.push_back(Tensor::Full(shape, base + step * i, DType::kF32, DeviceId::Cpu(i)));
  return values;
}

std::vector<float> All(const Tensor& tensor) { return ValuesOf<float>(tensor); }

std::vector<float> Same(const Tensor& like, float value) {
  return std::vector<float>(static_cast<std::size_t>(like.view().size()), value);
}

TEST_F(ReducerTest, ValuesOfSeveralDevicesAreSummed) {
  for (const Options& options : All()) {
    Reducer reducer(options);
    // V024
    const Tensor sum = reducer.Sum(3, OnEach(4, {2, 3}, .25, .25));
    EXPECT_EQ(sum.view().shape, (Shape{2, 3}));
    EXPECT_EQ(All(sum), Same(sum, 2.5F));
    // V028
    for (const Shape& shape : {Shape{10}, Shape{100}, Shape{1000}, Shape{10000}, Shape{100000}, Shape{2, 2},
                               Shape{2, 3, 4, 5, 6, 7, 8}}) {
      for (int num_devices = 1; num_devices <= 5; ++num_devices) {
        const Tensor ones = reducer.Sum(4, OnEach(num_devices, shape, 1));
        EXPECT_EQ(ones.view().shape, shape);
        EXPECT_EQ(All(ones), Same(ones, static_cast<float>(num_devices)));
      }
    }
  }
}

TEST_F(ReducerTest, TheSumIsMemoryOfItsOwn) {
  for (const Options& options : All()) {
    Reducer reducer(options);
    std::vector<Tensor> one = OnEach(1, {3}, 1);
    const Tensor sum = reducer.Sum(3, one);
    const std::vector<float> later = {7, 7, 7};
    one[0].CopyFrom(later.data());
    EXPECT_EQ(All(sum), Same(sum, 1));
    const Tensor next = reducer.Sum(3, one);
    EXPECT_EQ(All(sum), Same(sum, 1));
    EXPECT_EQ(All(next), later);
  }
}

TEST_F(ReducerTest, KeysAreSummedWhereTheyWerePlaced) {
  const std::vector<DeviceId> two = {DeviceId::Cpu(1), DeviceId::Cpu(2)};
  for (const Options& options : {OnDevice(), Apart()}) {
    Reducer reducer(options);
    // V194
    for (const std::uint64_t size : {8, 6, 4, 2}) reducer.Place(size, size, two);
    const auto owner = [&](std::uint64_t key) { return reducer.Sum(key, OnEach(3, {5}, 1)).view().device; };
    EXPECT_EQ(owner(2), two[0]);
    EXPECT_EQ(owner(4), two[1]);
    EXPECT_EQ(owner(6), two[1]);
    EXPECT_EQ(owner(8), two[0]);
    EXPECT_EQ(owner(9), DeviceId::Cpu(0));  // not placed: where its first value lies
    reducer.Forget(4);
    EXPECT_EQ(owner(4), DeviceId::Cpu(0));
    EXPECT_THROW(reducer.Place(1, 1, {}), Error);
  }
  Reducer on_host(OnHost());
  on_host.Place(8, 8, two);
  EXPECT_EQ(on_host.Sum(8, OnEach(3, {5}, 1)).view().device, DeviceId::Cpu());
}

TEST_F(ReducerTest, RowSparseValuesGiveAllTheirRows) {
  for (const Options& options : All()) {
    Reducer reducer(options);
    std::vector<Tensor> values;
    for (int device = 0; device < 2; ++device) {
      const DeviceId id = DeviceId::Cpu(device + 1);
      values.push_back(Tensor::RowSparse({4, 1}, TensorOf(std::vector<std::int64_t>{device, 2}, id),
                                         Tensor::Full({2, 1}, device + 1, DType::kF32, id)));
    }
    const Tensor sum = reducer.Sum(3, values);
    EXPECT_TRUE(sum.is_row_sparse());
    EXPECT_EQ(All(sum), (std::vector<float>{1, 2, 3, 0}));
  }
}

TEST_F(ReducerTest, ValuesThatDifferAreNamed) {
  for (const Options& options : All()) {
    Reducer reducer(options);
    const Tensor dense = Tensor::Full({2, 3}, 1, DType::kF32, DeviceId::Cpu(1));
    const Tensor rows =
        Tensor::RowSparse({2, 3}, TensorOf(std::vector<std::int64_t>{0}), Tensor::Full({1, 3}, 1));
    const auto refusal = [&](const std::vector<Tensor>& values) {
      const Status status = ThrownBy([&] { reducer.Sum(7, values); });
      EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
      return status.message();
    };
    EXPECT_EQ(refusal({}), "there are no values of key 7 to be summed");
    EXPECT_EQ(refusal({dense, Tensor()}), "value 1 of key 7 is no tensor");
    EXPECT_EQ(refusal({dense, Tensor::Full({3, 2}, 1)}),
              "value 1 of key 7 is dense f32 [3,2] on cpu:0, but the first one dense f32 [2,3] on cpu:1");
    EXPECT_EQ(refusal({dense, dense, Tensor::Full({2, 3}, 1, DType::kF16)}),
              "value 2 of key 7 is dense f16 [2,3] on cpu:0, but the first one dense f32 [2,3] on cpu:1");
    EXPECT_EQ(
        refusal({dense, rows}),
        "value 1 of key 7 is row-sparse f32 [2,3] on cpu:0, but the first one dense f32 [2,3] on cpu:1");
    EXPECT_NE(refusal({Tensor::Full({2}, 1, DType::kBool), Tensor::Full({2}, 1, DType::kBool)}).find("bool"),
              std::string::npos);
  }
}

TEST_F(ReducerTest, AFailedWriteIsThrownAndTheNextSumIsRight) {
  for (const Options& options : All()) {
    Reducer reducer(options);
    std::vector<Tensor> values = OnEach(3, {1000}, 1);
    values[2].SetWrite(std::make_shared<EndedWrite>(Status::Unavailable("server 2 is lost")));
    EXPECT_EQ(ThrownBy([&] { reducer.Sum(7, values); }).message(), "server 2 is lost");
    values[2].SetWrite(nullptr);
    const Tensor sum = reducer.Sum(7, values);
    EXPECT_EQ(All(sum), Same(sum, 3));
  }
}

TEST_F(ReducerTest, TheSumGoesToAllDevices) {
  for (const Options& options : All()) {
    Reducer reducer(options);
    const std::vector<Tensor> values = OnEach(5, {3, 3}, 1);
    reducer.Broadcast(7, reducer.Sum(7, values), values);
    for (const Tensor& value : values) EXPECT_EQ(All(value), Same(value, 5));
    const Status status = ThrownBy([&] { reducer.Broadcast(7, values[0], {Tensor::Full({9}, 1)}); });
    EXPECT_EQ(status.message(), "operands shape mismatch from.shape = [3,3] to.shape=[9]");
  }
}

// A store that adds twice the sum.
class Twice {
 public:
  Twice(const Options& options, int num_devices) : reducer_(options), num_devices_(num_devices) {}

  float Push(double gradient) {
    const Tensor sum = reducer_.Sum(3, OnEach(num_devices_, {4, 4}, gradient));
    const float first = All(sum)[0];
    EXPECT_EQ(All(sum), Same(sum, first));
    return stored_ += 2 * first;
  }

 private:
  Reducer reducer_;
  const int num_devices_;
  float stored_ = 0;
};

std::vector<Options> Compressing(bool is_two_bit, float threshold) {
  std::vector<Options> all = {OnDevice(), Apart()};
  for (Options& options : all) {
    options.compresses = true;
    options.is_two_bit = is_two_bit;
    options.threshold = threshold;
  }
  return all;
}

TEST_F(ReducerTest, TwoBitsOfEveryDeviceAreSummed) {
  // V158, V160
  for (const Options& options : Compressing(true, .5F)) {
    Twice store(options, 4);
    EXPECT_EQ(store.Push(0), 0);
    EXPECT_EQ(store.Push(.5), 4);
    EXPECT_EQ(store.Push(.5), 8);
    for (int i = 1; i <= 10; ++i) EXPECT_EQ(store.Push(-.5), 8 - 4 * i);
  }
  // V161, V162: devices for workers.
  for (const Options& options : Compressing(true, .5F)) {
    Twice store(options, 4);
    std::vector<float> seen;
    for (const double gradient : {0., .4, .1, .2, .3, .5}) seen.push_back(store.Push(gradient));
    EXPECT_EQ(seen, (std::vector<float>{0, 0, 4, 4, 8, 12}));
  }
}

TEST_F(ReducerTest, OneBitOfEveryDeviceIsSummed) {
  // V168
  for (const float threshold : {-.5F, 0.F, .5F}) {
    for (const Options& options : Compressing(false, threshold)) {
      Twice store(options, 4);
      for (int i = 1; i <= 10; ++i) EXPECT_EQ(store.Push(1), 8 * i);
      for (int i = 1; i <= 10; ++i) EXPECT_EQ(store.Push(-1), 80 - 8 * i);
      EXPECT_EQ(store.Push(2), 8);
      EXPECT_EQ(store.Push(0), 16);
      EXPECT_EQ(store.Push(-2), 8);
    }
  }
}

TEST_F(ReducerTest, ForgettingAKeyForgetsItsResiduals) {
  for (const Options& options : Compressing(true, .5F)) {
    Reducer reducer(options);
    const std::vector<Tensor> values = OnEach(2, {1}, .3);
    EXPECT_EQ(All(reducer.Sum(3, values)), std::vector<float>{0});
    reducer.Forget(3);
    EXPECT_EQ(All(reducer.Sum(3, values)), std::vector<float>{0});
    EXPECT_EQ(All(reducer.Sum(4, values)), std::vector<float>{0});
    EXPECT_EQ(All(reducer.Sum(3, values)), std::vector<float>{1});
    const Status size = ThrownBy([&] { reducer.Sum(3, OnEach(2, {2}, .3)); });
    EXPECT_EQ(size.message(), "The value size can't be changed. For key 3");
    reducer.Forget(3);
    EXPECT_EQ(reducer.Sum(3, OnEach(2, {2}, .3)).view().size(), 2);
  }
}

TEST_F(ReducerTest, OnlyDenseFloatsAreCompressed) {
  for (const Options& options : Compressing(true, .5F)) {
    Reducer reducer(options);
    const Status type = ThrownBy([&] { reducer.Sum(3, {Tensor::Full({2}, 1, DType::kF16)}); });
    EXPECT_NE(type.message().find("only supported for float32 type of parameters"), std::string::npos)
        << type;
    const Tensor rows = Tensor::RowSparse({2}, TensorOf(std::vector<std::int64_t>{0}), Tensor::Full({1}, 1));
    EXPECT_EQ(ThrownBy([&] { reducer.Sum(3, {rows}); }).message(),
              "Gradient compression for row sparse storage type is not supported");
  }
}

// Several threads, each with keys of its own and one that all have.
void ExpectConcurrentSums(const Options& options) {
  Reducer reducer(options);
  std::atomic<int> failures{0};
  std::vector<std::unique_ptr<Thread>> threads;
  for (int i = 0; i < 3; ++i) {
    threads.push_back(std::make_unique<Thread>("summing", [&, i] {
      const auto key = static_cast<std::uint64_t>(i);
      reducer.Place(key, 100, {DeviceId::Cpu(1), DeviceId::Cpu(2)});
      for (int round = 1; round <= 3; ++round) {
        const std::vector<Tensor> values = OnEach(3, {40001}, round);
        reducer.Broadcast(key, reducer.Sum(key, values), values);
        for (const Tensor& value : values) failures += All(value) == Same(value, 3.F * round) ? 0 : 1;
        const Tensor shared = reducer.Sum(77, OnEach(2, {3}, 1));
        failures += All(shared) == Same(shared, 2) ? 0 : 1;
      }
      reducer.Forget(key);
    }));
  }
  threads.clear();
  EXPECT_EQ(failures, 0);
}

TEST_F(ReducerTest, SeveralThreadsMaySumAtATime) {
  for (Options options : All()) {
    options.big = 20000;
    ExpectConcurrentSums(options);
  }
  // Steps of 1 that leave nothing: the same sums, with residuals.
  for (Options options : Compressing(false, 0)) {
    options.big = 20000;
    Reducer reducer(options);
    std::atomic<int> failures{0};
    std::vector<std::unique_ptr<Thread>> threads;
    for (int i = 0; i < 3; ++i) {
      threads.push_back(std::make_unique<Thread>("summing", [&] {
        for (int round = 0; round < 3; ++round) {
          const Tensor sum = reducer.Sum(5, OnEach(3, {40001}, 1));
          failures += All(sum) == Same(sum, 3) ? 0 : 1;
        }
      }));
    }
    threads.clear();
    EXPECT_EQ(failures, 0);
  }
}

}  // namespace
}  // namespace ps
