#include "store/reply.h"

#include <gtest/gtest.h>

#include <optional>
#include <thread>
#include <vector>

namespace ps {
namespace {

SArray<char> Bytes(const std::string& text) {
  SArray<char> bytes;
  bytes.CopyFrom(text.data(), text.size());
  return bytes;
}

TEST(ReplyTest, IsSentOnceWhenNothingIsOpen) {
  std::vector<StoreAnswer> sent;
  Reply reply(2, [&](StoreAnswer&& answer) { sent.push_back(std::move(answer)); });
  reply.Finish();
  reply.Expect(1);
  reply.Finish();
  EXPECT_TRUE(sent.empty());
  reply.Finish();
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_EQ(sent[0].replies.size(), 2u);
}

TEST(ReplyTest, PutsKeysAndValuesOfSeveralOperationsOneAfterTheOther) {
  StoreAnswer sent;
  Reply reply(3, [&](StoreAnswer&& answer) { sent = std::move(answer); });
  reply.part(0).vals = Bytes("abc");
  reply.part(0).keys = SArray<Key>{1, 2};
  reply.part(2).vals = Bytes("de");
  reply.part(2).keys = SArray<Key>{3};
  for (int i = 0; i < 3; ++i) reply.Finish();
  const auto& replies = sent.replies;
  EXPECT_EQ(replies[0].num_bytes, 3u);
  EXPECT_EQ(replies[1].num_bytes, 0u);
  EXPECT_EQ(replies[2].num_bytes, 2u);
  EXPECT_EQ(std::vector<Key>(sent.keys.begin(), sent.keys.end()), (std::vector<Key>{1, 2, 3}));
  EXPECT_EQ(std::string(sent.vals.data(), 3), "abc");
  EXPECT_EQ(std::string(sent.vals.data() + 64, 2), "de");
  EXPECT_EQ(std::string(sent.vals.data() + 3, 61), std::string(61, '\0'));
}

TEST(ReplyTest, WhatFailedBringsNothingAndKeepsItsFirstError) {
  StoreAnswer sent;
  Reply reply(1, [&](StoreAnswer&& answer) { sent = std::move(answer); });
  reply.part(0).vals = Bytes("abc");
  reply.Fail(0, Status::NotFound("first"));
  reply.Fail(0, Status::Internal("second"));
  reply.Finish();
  EXPECT_TRUE(sent.vals.empty());
  EXPECT_EQ(sent.replies[0].status, Status::NotFound("first"));
}

TEST(ReplyTest, ManyThreadsFinishItOnce) {
  for (int run = 0; run < 200; ++run) {
    std::atomic<int> sent{0};
    Reply reply(8, [&](StoreAnswer&&) { ++sent; });
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i) threads.emplace_back([&] { reply.Finish(); });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(sent, 1);
  }
}

TEST(ReplyTest, WhatIsTooLargeForAMessageIsRefusedBeforeThereIsMemoryForIt) {
  StoreAnswer sent;
  Reply reply(2, [&](StoreAnswer&& answer) { sent = std::move(answer); }, {100});
  EXPECT_TRUE(reply.Claim(30, "a read").ok());
  const Status refused = reply.Claim(40, "a read of table 'w'");  // the first one is filled up to 64
  EXPECT_EQ(refused.code(), StatusCode::kResourceExhausted);
  EXPECT_NE(refused.message().find("table 'w'"), std::string::npos) << refused;
  EXPECT_NE(refused.message().find("PS_MAX_MESSAGE_BYTES=100"), std::string::npos) << refused;
  EXPECT_TRUE(reply.Claim(36, "a read").ok()) << "what was refused counts for nothing";
}

TEST(ReplyTest, AnAnswerThatBecameTooLargeIsAnErrorOfWhatBringsSomething) {
  StoreAnswer sent;
  Reply reply(2, [&](StoreAnswer&& answer) { sent = std::move(answer); }, {100});
  reply.part(0).vals = SArray<char>(101, 'x');
  reply.Finish();
  reply.Finish();
  ASSERT_EQ(sent.replies.size(), 2u);
  EXPECT_EQ(sent.replies[0].status.code(), StatusCode::kResourceExhausted);
  EXPECT_TRUE(sent.replies[1].status.ok());
  EXPECT_TRUE(sent.vals.empty());
}

}  // namespace
}  // namespace ps
