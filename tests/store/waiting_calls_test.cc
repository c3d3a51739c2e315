#include "store/waiting_calls.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace ps {
namespace {

class WaitingCallsTest : public testing::Test {
 protected:
  WaitingCalls::Call CallOf(std::uint64_t table, int worker, std::uint64_t round = 0) {
    WaitingCalls::Call call;
    call.worker = worker;
    call.request.op.table = table;
    call.request.op.round = round;
    call.request.reply = std::make_shared<Reply>(
        1, [this](StoreAnswer&& answer) { outcomes_.push_back(answer.replies.at(0).status); });
    return call;
  }

  WaitingCalls calls_;
  std::vector<Status> outcomes_;
};

TEST_F(WaitingCallsTest, ThoseOfATableComeInOrderOnce) {
  for (std::uint64_t i = 0; i < 3; ++i) ASSERT_TRUE(calls_.Add(CallOf(7, 0, i)).ok());
  ASSERT_TRUE(calls_.Add(CallOf(8, 0)).ok());
  const std::vector<WaitingCalls::Call> taken = calls_.Take(7);
  ASSERT_EQ(taken.size(), 3u);
  for (std::uint64_t i = 0; i < 3; ++i) EXPECT_EQ(taken[i].request.op.round, i);
  EXPECT_TRUE(calls_.Take(7).empty());
  EXPECT_EQ(calls_.Take(8).size(), 1u);
  EXPECT_TRUE(outcomes_.empty());
}

TEST_F(WaitingCallsTest, ThoseOfAWorkerThatHasGoneFail) {
  ASSERT_TRUE(calls_.Add(CallOf(7, 0)).ok());
  ASSERT_TRUE(calls_.Add(CallOf(7, 1)).ok());
  ASSERT_TRUE(calls_.Add(CallOf(8, 1)).ok());
  calls_.DropOf(1, Status::Cancelled("gone"));
  EXPECT_EQ(outcomes_, (std::vector<Status>{Status::Cancelled("gone"), Status::Cancelled("gone")}));
  EXPECT_TRUE(calls_.Take(8).empty());
  EXPECT_EQ(calls_.Take(7).size(), 1u);
}

TEST_F(WaitingCallsTest, WhatCanNotBeMadeIsWaitedForNoMoreUntilItIsMadeAfterAll) {
  const Status why = Status::Internal("its code threw");
  ASSERT_TRUE(calls_.Add(CallOf(7, 0)).ok());
  ASSERT_TRUE(calls_.Add(CallOf(8, 0)).ok());
  calls_.Refuse(7, why);
  EXPECT_EQ(outcomes_, std::vector<Status>{why});
  EXPECT_EQ(calls_.Add(CallOf(7, 1)), why);
  EXPECT_TRUE(calls_.Take(7).empty());
  EXPECT_TRUE(calls_.Add(CallOf(7, 1)).ok());
  EXPECT_EQ(calls_.Take(8).size(), 1u);
}

TEST_F(WaitingCallsTest, TooManyAreRefusedUntilSomeAreTaken) {
  for (std::size_t i = 0; i < WaitingCalls::kMaxCalls; ++i) ASSERT_TRUE(calls_.Add(CallOf(i % 2, 0)).ok());
  EXPECT_EQ(calls_.Add(CallOf(7, 0)).code(), StatusCode::kResourceExhausted);
  EXPECT_EQ(calls_.Take(1).size(), WaitingCalls::kMaxCalls / 2);
  EXPECT_TRUE(calls_.Add(CallOf(7, 0)).ok());
  calls_.DropAll(Status::Cancelled("closed"));
  EXPECT_EQ(outcomes_.size(), WaitingCalls::kMaxCalls / 2 + 1);
  EXPECT_TRUE(calls_.Take(7).empty());
}

TEST_F(WaitingCallsTest, TooManyBytesAreRefusedUntilSomeAreTaken) {
  const auto large = [this](std::size_t bytes) {
    WaitingCalls::Call call = CallOf(7, 0);
    call.request.vals = SArray<char>::Uninitialized(bytes);
    return call;
  };
  ASSERT_TRUE(calls_.Add(large(WaitingCalls::kMaxBytes - 1)).ok());
  EXPECT_EQ(calls_.Add(large(2)).code(), StatusCode::kResourceExhausted);
  ASSERT_TRUE(calls_.Add(large(1)).ok());
  EXPECT_EQ(calls_.Take(7).size(), 2u);
  ASSERT_TRUE(calls_.Add(large(WaitingCalls::kMaxBytes)).ok());
  calls_.DropAll(Status::Cancelled("closed"));
  EXPECT_TRUE(calls_.Add(large(WaitingCalls::kMaxBytes)).ok());
}

}  // namespace
}  // namespace ps
