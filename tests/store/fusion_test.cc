#include "store/fusion.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/fake_server_link.h"

namespace ps {
namespace {

std::shared_ptr<AnswerSink> Sink() { return std::make_shared<KeepingSink>(); }

TEST(FusionTest, NothingGoesBeforeItIsTaken) {
  Fusion fusion(2, {});
  std::vector<Fusion::Fused> out;
  fusion.Add({1, RequestOf(OpCode::kAdd, {5}, 4)}, Sink(), &out);
  EXPECT_TRUE(out.empty());
  fusion.TakeAll(&out);
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out[0].server, 1);
  fusion.TakeAll(&out);
  EXPECT_EQ(out.size(), 1u);
}

TEST(FusionTest, OneMessageHasTheOperationsOfManyInOrder) {
  Fusion fusion(1, {});
  std::vector<Fusion::Fused> out;
  fusion.Add({0, RequestOf(OpCode::kAdd, {5}, 4)}, Sink(), &out);
  fusion.Add({0, RequestOf(OpCode::kGet, {6, 7})}, Sink(), &out);
  fusion.Add({0, RequestOf(OpCode::kAdd, {8}, 3)}, Sink(), &out);
  fusion.TakeAll(&out);
  ASSERT_EQ(out.size(), 1u);
  const StoreRequest& request = out[0].request;
  EXPECT_EQ(std::vector<Key>(request.keys.begin(), request.keys.end()), (std::vector<Key>{5, 6, 7, 8}));
  EXPECT_EQ(out[0].pieces.size(), 3u);
  const auto ops = OpCodec::DecodeOps(OpCodec::Encode(request.ops), request.keys.size(), request.vals.size());
  ASSERT_TRUE(ops.ok()) << ops.status();
  EXPECT_EQ(ops.value()[1].code, OpCode::kGet);
  EXPECT_EQ(std::string(request.vals.data(), 4), "vvvv");
  EXPECT_EQ(std::string(request.vals.data() + 64, 3), "vvv");
}

TEST(FusionTest, WithEnoughTogetherItGoes) {
  Fusion::Bounds bounds;
  bounds.max_small_bytes = 100;
  bounds.max_fused_bytes = 300;
  Fusion fusion(1, bounds);
  std::vector<Fusion::Fused> out;
  for (int i = 0; i < 10; ++i) fusion.Add({0, RequestOf(OpCode::kAdd, {}, 64)}, Sink(), &out);
  ASSERT_EQ(out.size(), 2u);
  EXPECT_EQ(out[0].pieces.size(), 5u);
}

TEST(FusionTest, ALargeOneGoesAloneAfterWhatCameBefore) {
  Fusion::Bounds bounds;
  bounds.max_small_bytes = 100;
  Fusion fusion(1, bounds);
  std::vector<Fusion::Fused> out;
  fusion.Add({0, RequestOf(OpCode::kAdd, {}, 10)}, Sink(), &out);
  StoreRequest large = RequestOf(OpCode::kAdd, {}, 1000);
  const char* const memory = large.vals.data();
  fusion.Add({0, std::move(large)}, Sink(), &out);
  ASSERT_EQ(out.size(), 2u);
  EXPECT_EQ(out[0].request.vals.size(), 10u);
  EXPECT_EQ(out[1].request.vals.data(), memory) << "it was copied";
}

// Nor does a later call for its table overtake it.
TEST(FusionTest, WhatMayWaitForOthersTravelsApartAndBehindWhatCameBefore) {
  Fusion fusion(1, {});
  std::vector<Fusion::Fused> out;
  const auto add = [&](OpCode code, std::uint64_t table, bool may_wait) {
    StoreRequest request = RequestOf(code);
    request.ops[0].table = table;
    request.may_wait = may_wait;
    fusion.Add({0, std::move(request)}, std::make_shared<KeepingSink>(), &out);
  };
  for (const std::uint64_t table : {1, 2}) {
    add(OpCode::kAdd, table, false);
    add(OpCode::kGet, table, true);
    if (table == 1) continue;
    add(OpCode::kAdd, table, false);
  }
  ASSERT_EQ(out.size(), 2u);
  EXPECT_EQ(out[0].request.ops.size(), 2u);
  EXPECT_EQ(out[0].request.ops[1].code, OpCode::kAdd);
  EXPECT_EQ(out[1].request.ops.size(), 2u);
  EXPECT_EQ(out[1].request.ops[1].code, OpCode::kGet);
  add(OpCode::kAdd, 1, false);
  EXPECT_EQ(out.size(), 2u);
  fusion.TakeAll(&out);
  ASSERT_EQ(out.size(), 3u);
  EXPECT_EQ(out[2].request.ops.size(), 2u);
}

}  // namespace
}  // namespace ps
