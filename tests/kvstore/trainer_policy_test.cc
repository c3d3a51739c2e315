#include "kvstore/trainer_policy.h"

#include <gtest/gtest.h>

#include <string>

namespace ps {
namespace {

TrainerSituation With(const std::string& type, int devices = 1) {
  TrainerSituation situation;
  situation.type = type;
  situation.num_devices = devices;
  return situation;
}

TEST(TrainerPolicyTest, OneDeviceAloneNeedsNoStore) {
  EXPECT_FALSE(PlanTrainer(With("device")).value().has_store);
  EXPECT_TRUE(PlanTrainer(With("device", 2)).value().has_store);
  EXPECT_TRUE(PlanTrainer(With("dist_sync")).value().has_store);
  EXPECT_FALSE(PlanTrainer(With("", 2)).value().has_store);
  TrainerSituation given = With("local");
  given.is_given = true;
  EXPECT_TRUE(PlanTrainer(given).value().has_store);
}

TEST(TrainerPolicyTest, TheStoreUpdatesUnlessTold) {
  EXPECT_TRUE(PlanTrainer(With("device", 2)).value().update_on_kvstore);
  TrainerSituation told = With("device", 2);
  told.update_on_kvstore = false;
  EXPECT_FALSE(PlanTrainer(told).value().update_on_kvstore);
  TrainerSituation by_variable = With("dist_sync");
  by_variable.update_by_default = false;
  EXPECT_FALSE(PlanTrainer(by_variable).value().update_on_kvstore);
  TrainerSituation can_not = With("teststore", 2);
  can_not.is_capable = false;
  EXPECT_FALSE(PlanTrainer(can_not).value().update_on_kvstore);
}

TEST(TrainerPolicyTest, LargeParametersOfALocalStoreAreUpdatedByTheirDevices) {
  TrainerSituation large = With("local", 2);
  large.largest = 16 * 1024 * 1024;
  EXPECT_TRUE(PlanTrainer(large).value().update_on_kvstore);
  ++large.largest;
  EXPECT_FALSE(PlanTrainer(large).value().update_on_kvstore);
  large.type = "device";
  EXPECT_TRUE(PlanTrainer(large).value().update_on_kvstore);
}

TEST(TrainerPolicyTest, WhatCanNotBeIsSaidInMxnetsWords) {
  for (const char* type : {"dist_async", "dist_ssp:2"}) {
    TrainerSituation async = With(type);
    async.update_on_kvstore = false;
    EXPECT_EQ(PlanTrainer(async).status().message(),
              "Please set update_on_kvstore=True when training in async mode.");
  }
  TrainerSituation sparse = With("dist_sync");
  sparse.has_sparse_gradients = true;
  sparse.update_on_kvstore = false;
  EXPECT_NE(PlanTrainer(sparse).status().message().find("Cannot set update_on_kvstore=False"),
            std::string::npos);
  TrainerSituation can_not = With("teststore", 2);
  can_not.is_capable = false;
  can_not.update_on_kvstore = true;
  EXPECT_NE(PlanTrainer(can_not).status().message().find("not capable"), std::string::npos);
}

}  // namespace
}  // namespace ps
