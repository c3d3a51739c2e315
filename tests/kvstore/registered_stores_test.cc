#include "kvstore/registered_stores.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "tests/support/log_capture.h"

namespace ps {
namespace {

// What nobody has overridden is not supported.
class BareStore : public KVStore {
 public:
  explicit BareStore(const std::string& type) : KVStore(type) {}
};

KVStoreFactory MakesBare() {
  return [](const std::string& type, const KVStoreOptions&) { return std::make_unique<BareStore>(type); };
}

TEST(RegisteredStoresTest, ARegisteredTypeIsMadeByItsFactory) {
  RegisterKVStore("BareStore", MakesBare());
  const std::unique_ptr<KVStore> store = KVStore::Create("barestore");
  EXPECT_EQ(store->Type(), "barestore");
  EXPECT_NE(RegisteredStores::Get().Names().find("barestore"), std::string::npos);
  EXPECT_FALSE(store->is_capable("optimizer"));
  EXPECT_THROW(static_cast<void>(store->is_capable("flying")), Error);
  store->Barrier();
  EXPECT_EQ(store->NumDeadNode(7), 0);
}

TEST(RegisteredStoresTest, WhatATypeLacksIsSaidByName) {
  RegisterKVStore("barestore2", MakesBare());
  const std::unique_ptr<KVStore> store = KVStore::Create("barestore2");
  try {
    store->SetOptimizer("sgd");
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), StatusCode::kFailedPrecondition);
    EXPECT_NE(std::string(error.what()).find("barestore2 does not support SetOptimizer"), std::string::npos);
  }
  EXPECT_THROW(store->SaveOptimizerStates("x"), Error);
  EXPECT_THROW(store->LoadOptimizerStates("x"), Error);
  EXPECT_THROW(static_cast<void>(store->Pull(1, {Tensor()})), Error);
}

TEST(RegisteredStoresTest, AgainMeansReplacedWithAWarning) {
  RegisterKVStore("twice", MakesBare());
  LogCapture log;
  RegisterKVStore("twice", MakesBare());
  EXPECT_EQ(log.Count("twice"), 1);
}

TEST(RegisteredStoresTest, ATypeNeedsANameAndAFactory) {
  EXPECT_THROW(RegisterKVStore("", MakesBare()), Error);
  EXPECT_THROW(RegisterKVStore("nothing", nullptr), Error);
}

}  // namespace
}  // namespace ps
