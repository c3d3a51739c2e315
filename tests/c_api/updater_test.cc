#include "ps/c/updater.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <vector>

#include "ps/c/base.h"
#include "ps/c/table.h"
#include "ps/c/tensor.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

// values += delta, states count; negative deltas are an error.
int AddPositive(const PSUpdaterCall* call, void* context) {
  if (call->struct_size < sizeof *call || call->dtype != PS_F32) return PS_INTERNAL;
  const auto* const delta = static_cast<const float*>(call->delta);
  for (size_t i = 0; i < call->size; ++i) {
    if (delta[i] < 0) return PSSetLastError(PS_INVALID_ARGUMENT, "a negative delta");
    static_cast<float*>(call->values)[i] += delta[i];
    static_cast<float*>(call->states[0])[i] += 1;
    static_cast<float*>(call->values)[i] += 100 * static_cast<float*>(call->states[0])[i];
  }
  static_cast<std::atomic<int>*>(context)->fetch_add(static_cast<int>(call->size));
  return PS_OK;
}

int Silent(const PSUpdaterCall* /*call*/, void* /*context*/) { return PS_UNAVAILABLE; }

class CApiUpdaterTest : public testing::Test {
 protected:
  CApiUpdaterTest() { EXPECT_EQ(PSStoreLocal(1, 1, 0, &store_), PS_OK); }
  ~CApiUpdaterTest() override { EXPECT_EQ(PSStoreFree(store_), PS_OK); }

  PSTable Make(const char* updater) {
    PSTableOptions options{};
    options.struct_size = sizeof options;
    options.kind = PS_ARRAY;
    options.name = updater;
    options.rows = 2;
    options.updater = updater;
    PSTable table = nullptr;
    EXPECT_EQ(PSTableCreate(store_, &options, &table), PS_OK) << PSGetLastError();
    return table;
  }
  static int Add(PSTable table, float value) {
    std::vector<float> values(2, value);
    PSTableValues what{};
    what.struct_size = sizeof what;
    what.values = values.data();
    what.num_values = 2;
    return PSTableAdd(table, &what, nullptr);
  }

  Watchdog watchdog_;
  PSStore store_ = nullptr;
};

TEST_F(CApiUpdaterTest, AFunctionGetsElementsStatesAndItsContext) {
  static std::atomic<int> seen{0};
  ASSERT_EQ(PSRegisterUpdater("add_positive", AddPositive, 1, &seen), PS_OK) << PSGetLastError();
  const PSTable table = Make("add_positive");
  EXPECT_EQ(Add(table, 1), PS_OK);
  EXPECT_EQ(Add(table, 2), PS_OK);
  std::vector<float> read(2);
  PSTableValues what{};
  what.struct_size = sizeof what;
  what.values = read.data();
  what.num_values = 2;
  EXPECT_EQ(PSTableGet(table, &what, nullptr), PS_OK);
  EXPECT_EQ(read, std::vector<float>(2, 303.0F));
  EXPECT_EQ(seen, 4);
  EXPECT_EQ(Add(table, -1), PS_INVALID_ARGUMENT);
  EXPECT_NE(std::string(PSGetLastError()).find("a negative delta"), std::string::npos) << PSGetLastError();
  EXPECT_EQ(PSTableFree(table), PS_OK);
}

TEST_F(CApiUpdaterTest, AFunctionThatFailsInSilenceIsAnErrorAllTheSame) {
  ASSERT_EQ(PSRegisterUpdater("silent", Silent, 0, nullptr), PS_OK);
  const PSTable table = Make("silent");
  EXPECT_EQ(Add(table, 1), PS_UNAVAILABLE) << PSGetLastError();
  EXPECT_NE(std::string(PSGetLastError()).find("PSSetLastError"), std::string::npos) << PSGetLastError();
  EXPECT_EQ(PSTableFree(table), PS_OK);
}

TEST_F(CApiUpdaterTest, ItHasNoOptions) {
  ASSERT_EQ(PSRegisterUpdater("plain", Silent, 0, nullptr), PS_OK);
  const PSTable table = Make("plain");
  EXPECT_EQ(PSTableSetOptions(table, "lr=1", 0, nullptr), PS_INVALID_ARGUMENT);
  EXPECT_EQ(PSTableFree(table), PS_OK);
}

TEST_F(CApiUpdaterTest, WhatCanNotBeIsRefused) {
  EXPECT_EQ(PSRegisterUpdater(nullptr, Silent, 0, nullptr), PS_INVALID_ARGUMENT);
  EXPECT_EQ(PSRegisterUpdater("x", nullptr, 0, nullptr), PS_INVALID_ARGUMENT);
  EXPECT_EQ(PSRegisterUpdater("x", Silent, -1, nullptr), PS_INVALID_ARGUMENT);
  EXPECT_EQ(PSRegisterUpdater("x", Silent, 1 << 20, nullptr), PS_INVALID_ARGUMENT);
  EXPECT_EQ(PSRegisterUpdater("a b", Silent, 0, nullptr), PS_INVALID_ARGUMENT);
  EXPECT_EQ(PSRegisterUpdater("sgd", Silent, 0, nullptr), PS_ALREADY_EXISTS);
}

}  // namespace
}  // namespace ps
