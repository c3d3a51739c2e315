#include "kvstore/key_table.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <numeric>
#include <vector>

#include "tests/support/kv_values.h"

namespace ps {
namespace {

// A key of floats, in slices of `slice_bytes` (0: whole), on three servers.
class KeyTableTest : public testing::Test {
 protected:
  static KeyLayout Layout(const Shape& shape, std::int64_t slice_bytes) {
    KeyPlan plan;
    plan.type.is_distributed = true;
    plan.slice_bytes = slice_bytes;
    return PlanKey(KeySpace("kv"), "w", Tensor::Full(shape, 0), plan).value();
  }
  static std::vector<float> Counting(std::size_t size, float first) {
    std::vector<float> values(size);
    std::iota(values.begin(), values.end(), first);
    return values;
  }

  const std::vector<std::unique_ptr<Store>> stores_ = Store::Local({3, 2, 0});
};

TEST_F(KeyTableTest, ItsSlicesAreOneArray) {
  const KeyLayout layout = Layout({1000}, 400);
  ASSERT_GT(layout.tables.size(), 5U);
  KeyTable first(stores_[0].get(), layout);
  KeyTable second(stores_[1].get(), layout);
  EXPECT_EQ(first.Servers(3), (std::vector<int>{0, 1, 2}));
  const std::vector<float> initial = Counting(1000, 5);
  first.Set(Rows::All(), initial.data()).Wait();
  std::vector<float> pulled(1000);
  second.Pull(Rows::All(), pulled.data(), {}).Wait();
  EXPECT_EQ(pulled, initial);
  const std::vector<float> a = Counting(1000, 0);
  const std::vector<float> b = Counting(1000, 100);
  const Ticket pushed = first.Push(Rows::All(), a.data(), {});
  second.PushPull(b.data(), pulled.data(), {}).Wait();
  pushed.Wait();
  for (std::size_t i = 0; i < pulled.size(); ++i) ASSERT_EQ(pulled[i], a[i] + b[i]) << i;
}

TEST_F(KeyTableTest, AWholeKeyIsOnOneServer) {
  KeyTable table(stores_[0].get(), Layout({1000}, 0));
  EXPECT_EQ(table.Servers(3).size(), 1U);
}

TEST_F(KeyTableTest, ARuleIsForAllSlices) {
  KeyTable first(stores_[0].get(), Layout({1000}, 400));
  KeyTable second(stores_[1].get(), Layout({1000}, 400));
  first.SetOptimizer(ParseOptimizer("sgd lr=1").value()).Wait();
  first.SetHyper("lr=0.5 ", 0).Wait();
  const std::vector<float> ones(1000, 1);
  std::vector<float> pulled(1000);
  const Ticket pushed = second.Push(Rows::All(), ones.data(), {});
  first.PushPull(ones.data(), pulled.data(), {}).Wait();
  pushed.Wait();
  EXPECT_EQ(pulled, std::vector<float>(1000, -1));
}

TEST_F(KeyTableTest, WhoLeavesIsNotWaitedForInAnySlice) {
  KeyTable first(stores_[0].get(), Layout({1000}, 400));
  KeyTable second(stores_[1].get(), Layout({1000}, 400));
  second.Leave().Wait();
  const std::vector<float> ones(1000, 1);
  std::vector<float> pulled(1000);
  first.PushPull(ones.data(), pulled.data(), {}).Wait();
  EXPECT_EQ(pulled, ones);
}

TEST_F(KeyTableTest, WhatIsErasedMayBeMadeAnewWithAnotherShape) {
  {
    KeyTable table(stores_[0].get(), Layout({1000}, 400));
    ExpectError([&] { KeyTable(stores_[1].get(), Layout({900}, 400)); }, "kv/t/w");
    table.Erase().Wait();
  }
  KeyTable anew(stores_[1].get(), Layout({10}, 400));
  std::vector<float> pulled(10, 7);
  const std::vector<float> ones(10, 1);
  anew.Set(Rows::All(), ones.data()).Wait();
  anew.Pull(Rows::All(), pulled.data(), {}).Wait();
  EXPECT_EQ(pulled, ones);
}

}  // namespace
}  // namespace ps
