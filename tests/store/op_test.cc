#include "store/op.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace ps {
namespace {

Op SomeOp() {
  Op op;
  op.code = OpCode::kAddGet;
  op.flags = Op::kWhole | Op::kAuto;
  op.table = 0x0123456789abcdefull;
  op.round = 1ull << 60;
  op.since = 77;
  op.epoch = 3;
  op.parts = 5;
  op.num_keys = 2;
  op.num_bytes = 10;
  op.text = std::string("a\0b", 3);
  return op;
}

TEST(OpCodecTest, OperationsComeBackAsTheyWere) {
  Op second;
  second.code = OpCode::kStat;
  const std::string body = OpCodec::Encode({SomeOp(), second});
  const auto ops = OpCodec::DecodeOps(body, 2, 10).value();
  ASSERT_EQ(ops.size(), 2u);
  const Op& op = ops[0];
  EXPECT_EQ(op.code, OpCode::kAddGet);
  EXPECT_TRUE(op.whole() && op.adds() && op.reads() && !op.delta());
  EXPECT_EQ(op.table, 0x0123456789abcdefull);
  EXPECT_EQ(op.round, 1ull << 60);
  EXPECT_EQ(op.since, 77u);
  EXPECT_EQ(op.epoch, 3u);
  EXPECT_EQ(op.parts, 5u);
  EXPECT_EQ(op.text, std::string("a\0b", 3));
  EXPECT_EQ(ops[1].code, OpCode::kStat);
}

TEST(OpCodecTest, AnswersComeBackAsTheyWere) {
  OpReply reply;
  reply.status = Status::NotFound("no such table");
  reply.version = 9;
  reply.round = 8;
  reply.epoch = 7;
  reply.text = "missing=";
  const auto replies = OpCodec::DecodeReplies(OpCodec::Encode(std::vector<OpReply>{reply}), 0, 0).value();
  ASSERT_EQ(replies.size(), 1u);
  EXPECT_EQ(replies[0].status, reply.status);
  EXPECT_EQ(replies[0].version, 9u);
  EXPECT_EQ(replies[0].round, 8u);
  EXPECT_EQ(replies[0].epoch, 7u);
  EXPECT_EQ(replies[0].text, "missing=");
}

TEST(OpCodecTest, TheLengthOfATextIsKnownBeforeItIsMade) {
  const std::vector<Op> ops = {SomeOp(), Op()};
  EXPECT_EQ(OpCodec::BytesOf(ops), OpCodec::Encode(ops).size());
  OpReply reply;
  reply.status = Status::NotFound("no such table");
  reply.text = "missing=";
  EXPECT_EQ(OpCodec::BytesOf(std::vector<OpReply>{reply, reply}),
            OpCodec::Encode(std::vector<OpReply>{reply, reply}).size());
}

TEST(OpCodecTest, ValuesOfEachButTheLastAreFilledUp) {
  Op first = SomeOp();
  first.num_keys = 0;
  Op last = first;
  last.num_bytes = 3;
  EXPECT_TRUE(OpCodec::DecodeOps(OpCodec::Encode({first, last}), 0, 64 + 3).ok());
  EXPECT_FALSE(OpCodec::DecodeOps(OpCodec::Encode({first, last}), 0, 10 + 3).ok());
}

TEST(OpCodecTest, ClaimsBeyondTheMessageAreRefused) {
  for (const auto& [keys, bytes] : {std::pair<std::size_t, std::size_t>{1, 10}, {3, 10}, {2, 9}, {2, 11}}) {
    const Status refused = OpCodec::DecodeOps(OpCodec::Encode({SomeOp()}), keys, bytes).status();
    EXPECT_EQ(refused.code(), StatusCode::kInvalidArgument) << keys << " keys, " << bytes << " bytes";
  }
  Op huge = SomeOp();
  huge.num_bytes = ~std::uint64_t{0};
  EXPECT_FALSE(OpCodec::DecodeOps(OpCodec::Encode({huge}), 2, 10).ok());
}

TEST(OpCodecTest, UnknownCodesVersionsAndKindsAreRefused) {
  std::string body = OpCodec::Encode({SomeOp()});
  std::string changed = body;
  changed[7] = 99;  // the code
  EXPECT_NE(OpCodec::DecodeOps(changed, 2, 10).status().message().find("99"), std::string::npos);
  changed = body;
  changed[0] = 9;  // the version
  EXPECT_NE(OpCodec::DecodeOps(changed, 2, 10).status().message().find("version 9"), std::string::npos);
  EXPECT_FALSE(OpCodec::DecodeReplies(body, 2, 10).ok());
}

TEST(OpCodecTest, EveryShorterAndEveryLongerTextIsRefused) {
  const std::string body = OpCodec::Encode({SomeOp()});
  for (std::size_t size = 0; size < body.size(); ++size)
    EXPECT_FALSE(OpCodec::DecodeOps(body.substr(0, size), 2, 10).ok()) << size;
  EXPECT_FALSE(OpCodec::DecodeOps(body + "x", 2, 10).ok());
}

// What is taken says exactly what was sent; all else is refused.
TEST(OpCodecTest, AnyBytesAreTakenAsTheyAreOrRefused) {
  std::mt19937 random(7);
  OpReply reply;
  reply.num_keys = 2;
  reply.num_bytes = 10;
  reply.text = "ab";
  const std::string ops = OpCodec::Encode({SomeOp(), SomeOp()});
  const std::string replies = OpCodec::Encode(std::vector<OpReply>{reply, reply});
  const auto change = [&random](std::string text) {
    for (int j = 0; j < 3; ++j) text[random() % text.size()] = static_cast<char>(random());
    return text;
  };
  int num_taken = 0;
  for (int i = 0; i < 20000; ++i) {
    const std::string some_ops = change(ops);
    const auto taken = OpCodec::DecodeOps(some_ops, 4, 74);
    EXPECT_EQ(taken.status().code(), taken.ok() ? StatusCode::kOk : StatusCode::kInvalidArgument);
    if (taken.ok()) {
      EXPECT_EQ(OpCodec::Encode(taken.value()), some_ops);
    }
    const auto answer = OpCodec::DecodeReplies(change(replies), 4, 74);
    EXPECT_EQ(answer.status().code(), answer.ok() ? StatusCode::kOk : StatusCode::kInvalidArgument);
    if (answer.ok()) {
      EXPECT_EQ(answer.value().size(), 2u);
    }
    num_taken += (taken.ok() ? 1 : 0) + (answer.ok() ? 1 : 0);
  }
  EXPECT_GT(num_taken, 1000);
  EXPECT_LT(num_taken, 39000);
}

}  // namespace
}  // namespace ps
