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
  const std::size_t each = RequestOf(OpCode::kAdd, {}, 64).bytes() + kValueAlignment;
  bounds.max_small_bytes = each;
  bounds.max_fused_bytes = 5 * each;
  Fusion fusion(1, bounds);
  std::vector<Fusion::Fused> out;
  for (int i = 0; i < 10; ++i) fusion.Add({0, RequestOf(OpCode::kAdd, {}, 64)}, Sink(), &out);
  ASSERT_EQ(out.size(), 2u);
  EXPECT_EQ(out[0].pieces.size(), 5u);
}

TEST(FusionTest, ALargeOneGoesAloneAfterWhatCameBefore) {
  Fusion::Bounds bounds;
  bounds.max_small_bytes = 200;
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

TEST(FusionTest, NoMessageOrAnswerIsLargerThanOneMayBe) {
  const MessageLimit limit{2000};
  Fusion fusion(1, Fusion::Bounds().Within(limit));
  std::vector<Fusion::Fused> out;
  for (int i = 0; i < 100; ++i) {
    StoreRequest request = RequestOf(OpCode::kGet, {}, 0);
    request.answer_bytes = static_cast<std::size_t>(i % 2 == 0 ? 300 : 1500);
    fusion.Add({0, std::move(request)}, std::make_shared<KeepingSink>(), &out);
    fusion.Add({0, RequestOf(OpCode::kAdd, {}, 700)}, std::make_shared<KeepingSink>(), &out);
  }
  fusion.TakeAll(&out);
  std::size_t num_ops = 0;
  for (const Fusion::Fused& message : out) {
    EXPECT_LE(message.request.bytes(), limit.bytes);
    num_ops += message.request.ops.size();
    std::size_t answer = 0;
    for (const Op& op : message.request.ops) answer += op.code == OpCode::kGet ? 300 : 0;
    EXPECT_LE(answer, limit.bytes);
    EXPECT_LE(message.pieces.size(), 6u);
  }
  EXPECT_EQ(num_ops, 200u);
}

}  // namespace
}  // namespace ps
