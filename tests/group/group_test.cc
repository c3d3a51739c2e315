#include "group/group.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/group/group_fixture.h"
#include "tests/support/model_arrays.h"

namespace ps {
namespace {

using std::chrono::milliseconds;

class GroupTest : public GroupFixture {};

TEST_F(GroupTest, AFastDeviceRunsAheadAndEachPullGetsItsRound) {
  Make();
  Floats ten{10};
  Floats twenty{20};
  Push(&one_, 3);
  const Ticket first = Pull(&a_, 3);
  Push(&ten, 3);
  Push(&two_, 7);
  Pull(&b_, 7).Wait();
  first.Wait();
  EXPECT_EQ(a_, Floats{3});
  EXPECT_EQ(b_, Floats{3});
  Push(&twenty, 7);
  Pull(&b_, 7).Wait();
  Pull(&a_, 3).Wait();
  EXPECT_EQ(a_, Floats{30});
  EXPECT_EQ(b_, Floats{30});
}

TEST_F(GroupTest, APushTooFarAheadWaitsForRoom) {
  Make();
  Push(&one_, 3);
  Push(&one_, 3);
  std::promise<void> pushed;
  std::thread fast([&] {
    Push(&one_, 3);
    pushed.set_value();
  });
  std::future<void> done = pushed.get_future();
  EXPECT_EQ(done.wait_for(milliseconds(1)), std::future_status::timeout);
  Push(&two_, 7);
  done.wait();
  fast.join();
}

TEST_F(GroupTest, WhoWaitsTooLongIsToldForWhom) {
  options_.timeout_ms = 20;
  Make();
  Push(&one_, 3);
  const Ticket pull = Pull(&a_, 3);
  EXPECT_NE(pull.WaitFor(milliseconds(1)).message().find("device 7 has not pushed yet"), std::string::npos);
  Push(&one_, 3);
  ExpectRefused(StatusCode::kDeadlineExceeded,
                {"key 0, device 3", "round 1", "device 7", "20 ms", "PS_BARRIER_TIMEOUT"},
                [&] { Push(&one_, 3); });
  ExpectRefused(StatusCode::kDeadlineExceeded, {"key 0, device 3", "device 7", "PS_BARRIER_TIMEOUT"},
                [&] { pull.Wait(); });
  Push(&two_, 7);
  Push(&two_, 7);
  EXPECT_TRUE(Pull(&a_, 3).WaitFor(milliseconds(60000)).ok());
  EXPECT_EQ(a_, Floats{3}) << "who gave up may ask again";
}

TEST_F(GroupTest, MisuseNamesKeyAndDevice) {
  Make();
  Floats two_of{1, 2};
  ExpectRefused(StatusCode::kNotFound, {"key 9", "device 3"}, [&] { Push(&one_, 3, 9); });
  ExpectRefused(StatusCode::kInvalidArgument, {"device 5", "3, 7"}, [&] { Push(&one_, 5); });
  ExpectRefused(StatusCode::kInvalidArgument, {"key 0, device 7", "[1,2]", "[1,1]"}, [&] {
    group_->Contribute(0, 7, ViewOf(&two_of, {1, 2}), 0);
  });
  ExpectRefused(StatusCode::kInvalidArgument, {"key 0, device 7", "[2,1]"}, [&] {
    group_->AddKey({0, {2, 1}, DType::kF32, MergeKind::kSum}, 7, nullptr);
  });
  TensorView nothing = View(&one_);
  nothing.data = nullptr;
  ExpectRefused(StatusCode::kInvalidArgument, {"no memory"}, [&] { group_->Contribute(0, 7, nothing, 0); });
  Pull(&a_, 3);
  ExpectRefused(StatusCode::kFailedPrecondition, {"key 0, device 3", "PullWait"}, [&] { Pull(&a_, 3); });
  ExpectRefused(StatusCode::kInvalidArgument, {"mean", "i32"}, [&] {
    group_->AddKey({1, {1, 1}, DType::kI32, MergeKind::kMean}, 3, nullptr);
  });
  ExpectRefused(StatusCode::kFailedPrecondition, {"push_op[0]", "PullReq"},
                [&] { group_->SetMerge(0, MergeKind::kGather); });
  Push(&one_, 3);
  ExpectRefused(StatusCode::kFailedPrecondition, {"push_op[0]", "pushed"},
                [&] { group_->SetMerge(0, MergeKind::kGather); });
}

TEST_F(GroupTest, AKeyIsMadeOnceAndNotAtAllWhereThatFails) {
  Make();
  const Group::Key key{4, {1, 1}, DType::kF32, MergeKind::kSum};
  EXPECT_THROW(group_->AddKey(key, 3, [] { throw std::runtime_error("no server"); }), std::runtime_error);
  ExpectRefused(StatusCode::kNotFound, {"key 4"}, [&] { Push(&one_, 3, 4); });
  std::atomic<int> made{0};
  std::thread other([&] { group_->AddKey(key, 7, [&] { ++made; }); });
  group_->AddKey(key, 3, [&] { ++made; });
  other.join();
  EXPECT_EQ(made, 1);
  Push(&one_, 3, 4);
}

TEST_F(GroupTest, ResultsAreThoseOfTheSink) {
  auto sink = std::make_unique<HeldSink>(true);
  HeldSink* const held = sink.get();
  Make(std::move(sink));
  Pull(&a_, 3).Wait();
  EXPECT_EQ(a_, Floats{77}) << "the value, before any push";
  Push(&one_, 3);
  Push(&two_, 7);
  const Ticket pull = Pull(&a_, 3);
  held->Answer(1);
  pull.Wait();
  EXPECT_EQ(a_, Floats{30});
  Pull(&b_, 7).Wait();
  EXPECT_EQ(b_, Floats{30});
  Pull(&b_, 7).Wait();
  EXPECT_EQ(b_, Floats{77}) << "without a push in between: the value now";
}

TEST_F(GroupTest, AFailureOfTheSinkIsThatOfTheRound) {
  Make(std::make_unique<HeldSink>(false));
  group_->AddKey({13, {1, 1}, DType::kF32, MergeKind::kSum}, 3, nullptr);
  Push(&one_, 3, 13);
  Push(&two_, 7, 13);
  for (const int device : {3, 7}) {
    ExpectRefused(StatusCode::kUnavailable, {"server 0 is lost"}, [&] {
      group_->Distribute(13, device, {View(&a_), nullptr}, 0).Wait();
    });
  }
}

TEST_F(GroupTest, ACallbackMayAskAgainButNotWait) {
  Make();
  Push(&one_, 3);
  Push(&two_, 7);
  std::promise<Ticket> again;
  Status waited;
  const Ticket pull = Pull(&a_, 3, [&](Stream*) {
    const Ticket next = Pull(&b_, 3);
    waited = next.WaitFor(milliseconds(0));
    again.set_value(next);
  });
  pull.Wait();
  EXPECT_EQ(waited.code(), StatusCode::kFailedPrecondition);
  again.get_future().get().Wait();
  EXPECT_EQ(b_, Floats{3});
}

TEST_F(GroupTest, ACallbackGetsTheRoundItAskedForThoughItRunsOnWhileOthersFollow) {
  Make();
  Floats ten{10};
  Floats twenty{20};
  std::promise<Ticket> asked;
  std::promise<void> go;
  Push(&one_, 3);
  Push(&two_, 7);
  const Ticket pull = Pull(&a_, 3, [&](Stream*) {
    Push(&ten, 3);
    asked.set_value(Pull(&b_, 3));
    go.get_future().wait();
  });
  const Ticket again = asked.get_future().get();
  Floats of_seven(1);
  Push(&twenty, 7);
  Pull(&of_seven, 7).Wait();
  EXPECT_EQ(of_seven, Floats{30});
  Push(&one_, 3);
  Push(&two_, 7);
  Pull(&of_seven, 7).Wait();
  EXPECT_EQ(of_seven, Floats{3});
  go.set_value();
  pull.Wait();
  again.Wait();
  EXPECT_EQ(b_, Floats{30}) << "round 2, and not round 3";
}

TEST_F(GroupTest, ADeviceAloneRunsAheadWithoutLosingARound) {
  constexpr std::size_t kSize = 1 << 19;
  options_.devices = {0};
  group_ = std::make_unique<Group>(options_, nullptr);
  const Shape shape{1, kSize};
  group_->AddKey({0, shape, DType::kF32, MergeKind::kSum}, 0, nullptr);
  Floats a(kSize, 1);
  Floats b(kSize, 2);
  Floats x(kSize);
  Floats y(kSize);
  for (int i = 0; i < 100; ++i) {
    group_->Contribute(0, 0, ViewOf(&a, shape), 0);
    const Ticket first = group_->Distribute(0, 0, {ViewOf(&x, shape), nullptr}, 0);
    group_->Contribute(0, 0, ViewOf(&b, shape), 0);
    first.Wait();
    group_->Distribute(0, 0, {ViewOf(&y, shape), nullptr}, 0).Wait();
    ASSERT_EQ(x.back(), 1) << i;
    ASSERT_EQ(y.back(), 2) << i;
  }
}

TEST_F(GroupTest, ACallbackThatWouldHaveToWaitForRoomIsRefused) {
  Make();
  Push(&one_, 3);
  Push(&two_, 7);
  Status refused;
  Pull(&a_, 3, [&](Stream*) {
    for (int i = 0; i < 3 && refused.ok(); ++i) {
      try {
        Push(&one_, 3);
      } catch (const Error& error) {
        refused = error.status();
      }
    }
  }).Wait();
  EXPECT_EQ(refused.code(), StatusCode::kFailedPrecondition);
  EXPECT_NE(refused.message().find("inside a callback"), std::string::npos) << refused;
}

TEST_F(GroupTest, WhatACallbackThrowsIsItsTicketsError) {
  Make();
  Push(&one_, 3);
  Push(&two_, 7);
  const Ticket failing = Pull(&a_, 3, [](Stream*) { throw std::runtime_error("bad layer"); });
  Pull(&b_, 7).Wait();
  ExpectRefused(StatusCode::kInternal, {"bad layer"}, [&] { failing.Wait(); });
  Pull(&a_, 3).Wait();
  EXPECT_EQ(a_, Floats{3});
}

// What a device's thread does; how many values were wrong.
int RunDevice(Group* group, int device) {
  constexpr std::size_t kKeys = 3;
  std::vector<Floats> in(kKeys, Floats(1));
  std::vector<Floats> out(kKeys, Floats(1));
  int wrong = 0;
  for (int key = 0; key < 3; ++key)
    group->AddKey({key, {1, 1}, DType::kF32, MergeKind::kSum}, device, nullptr);
  for (int round = 1; round <= 30; ++round) {
    for (std::size_t k = 0; k < kKeys; ++k) {
      const int key = static_cast<int>(k);
      in[k][0] = static_cast<float>(round * (device + 1) + key);
      group->Contribute(key, device, ViewOf(&in[k], {1, 1}), -key);
      group->Distribute(key, device, {ViewOf(&out[k], {1, 1}), nullptr}, -key);
    }
    for (std::size_t k = 0; k < kKeys; ++k) {
      group->LastOf(static_cast<int>(k), device)->Wait();
      if (out[k][0] != static_cast<float>(10 * round + 4 * static_cast<int>(k))) ++wrong;
    }
  }
  return wrong;
}

TEST_F(GroupTest, ManyDevicesAndKeysAtOnceSumExactly) {
  options_.devices = {0, 1, 2, 3};
  group_ = std::make_unique<Group>(options_, nullptr);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (const int device : options_.devices)
    threads.emplace_back([&, device] { wrong += RunDevice(group_.get(), device); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace ps
