#include "base/receive_token.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "tests/support/watchdog.h"

namespace ps {
namespace {

using Rank = ReceiveToken::Rank;

class ReceiveTokenTest : public testing::Test {
 protected:
  HelpWish Wish(Rank rank, Bell* bell) {
    HelpWish wish;
    wish.rank = rank;
    wish.bell = bell;
    return wish;
  }

  Watchdog watchdog_{std::chrono::seconds(60)};
  ReceiveToken token_;
  Bell idle_bell_, caller_bell_;
};

TEST_F(ReceiveTokenTest, OneHelperAtATime) {
  const ReceiveTokenLock lock(token_);
  EXPECT_FALSE(token_.has_helper());
  const uint64_t first = token_.BeginHelp(Wish(Rank::kCaller, &caller_bell_));
  EXPECT_NE(first, 0u);
  EXPECT_TRUE(token_.has_helper());
  EXPECT_EQ(token_.BeginHelp(Wish(Rank::kCaller, &caller_bell_)), 0u);
  EXPECT_EQ(token_.BeginHelp(Wish(Rank::kIdle, &idle_bell_)), 0u);
  token_.EndHelp();
  EXPECT_FALSE(token_.has_helper());
  EXPECT_NE(token_.BeginHelp(Wish(Rank::kIdle, &idle_bell_)), first) << "numbers are not used again";
}

TEST_F(ReceiveTokenTest, ACallerReplacesAnIdleThreadAndRingsIt) {
  const ReceiveTokenLock lock(token_);
  const uint64_t idle = token_.BeginHelp(Wish(Rank::kIdle, &idle_bell_));
  const uint32_t rings = idle_bell_.rings();
  const uint64_t caller = token_.BeginHelp(Wish(Rank::kCaller, &caller_bell_));
  EXPECT_TRUE(token_.IsHelper(caller));
  EXPECT_FALSE(token_.IsHelper(idle));
  EXPECT_EQ(idle_bell_.rings(), rings + 1);
  token_.RingHelper();
  EXPECT_EQ(caller_bell_.rings(), 1u);
  EXPECT_EQ(idle_bell_.rings(), rings + 1);
}

TEST_F(ReceiveTokenTest, WhoYieldsLetsTheOthersGoFirst) {
  constexpr int kThreads = 3;
  int passed = 0;  // under the token
  token_.Acquire();
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([this, &passed] {
      const ReceiveTokenLock lock(token_);
      ++passed;
    });
  }
  while (passed < kThreads) {
    while (!token_.wanted()) std::this_thread::yield();
    const int before = passed;
    token_.Yield();
    EXPECT_GT(passed, before);
  }
  EXPECT_FALSE(token_.wanted());
  token_.Release();
  for (std::thread& thread : threads) thread.join();
}

TEST_F(ReceiveTokenTest, ExcludesOthers) {
  constexpr int kThreads = 4;
  constexpr int kRounds = 5000;
  int count = 0;  // under the token
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([this, &count, i] {
      for (int round = 0; round < kRounds; ++round) {
        const ReceiveTokenLock lock(token_);
        ++count;
        if (i == 0 && token_.wanted()) token_.Yield();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(count, kThreads * kRounds);
}

TEST_F(ReceiveTokenTest, APauseLetsOthersInAndHoldsItAgainWhateverIsThrown) {
  token_.Acquire();
  EXPECT_THROW(
      {
        const ReceiveTokenPause pause(token_);
        std::thread([this] { const ReceiveTokenLock lock(token_); }).join();
        throw std::runtime_error("out of memory");
      },
      std::runtime_error);
  std::thread other([this] { const ReceiveTokenLock lock(token_); });
  while (!token_.wanted()) std::this_thread::yield();  // it is held
  token_.Release();
  other.join();
}

TEST_F(ReceiveTokenTest, CountsWhoDependsOnFrames) {
  const std::shared_ptr<Dependents> dependents = token_.dependents();
  EXPECT_TRUE(dependents->MayLeave());
  {
    const DependsOnFrames one(dependents);
    const DependsOnFrames another(dependents);
    EXPECT_FALSE(dependents->MayLeave());
  }
  EXPECT_TRUE(dependents->MayLeave());
  const DependsOnFrames nobody(nullptr);
}

TEST_F(ReceiveTokenTest, WhoGoesToSleepAfterAHelperHasLeftWakesTheReceiverOnce) {
  const std::shared_ptr<Dependents> dependents = token_.dependents();
  int num_woken = 0;
  dependents->SetWake([&num_woken] { ++num_woken; });
  EXPECT_TRUE(dependents->MayLeave());
  {
    const ReceiveTokenLock lock(token_);
    EXPECT_NE(token_.BeginHelp(Wish(Rank::kCaller, &caller_bell_)), 0u);
  }
  { const DependsOnFrames while_one_helps(dependents); }
  EXPECT_EQ(num_woken, 0);
  EXPECT_TRUE(dependents->MayLeave());
  const DependsOnFrames callback(dependents, DependsOnFrames::kCallback);
  EXPECT_EQ(num_woken, 0);
  const DependsOnFrames first(dependents);
  const DependsOnFrames second(dependents);
  EXPECT_EQ(num_woken, 1);
}

}  // namespace
}  // namespace ps
