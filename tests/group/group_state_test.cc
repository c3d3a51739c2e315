#include "group/group_state.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "group/group.h"
#include "tests/group/group_fixture.h"
#include "tests/support/model_arrays.h"

namespace ps {
namespace {

using std::chrono::milliseconds;

class GroupStateTest : public GroupFixture {};

// --- devices that are gone ---

TEST_F(GroupStateTest, ADeviceThatIsGoneEndsWhatWaitsForIt) {
  Make();
  Push(&one_, 3);
  const Ticket pull = Pull(&a_, 3);
  const Ticket push = Push(&one_, 3);
  group_->SetGone(7, "its thread was left by an exception");
  ExpectRefused(StatusCode::kUnavailable, {"key 0, device 3", "device 7", "exception"}, [&] { pull.Wait(); });
  ExpectRefused(StatusCode::kUnavailable, {"device 7"}, [&] { push.Wait(); });
  ExpectRefused(StatusCode::kUnavailable, {"device 7"}, [&] { Push(&one_, 3); });
  ExpectRefused(StatusCode::kUnavailable, {"device 7"}, [&] { Pull(&a_, 3).Wait(); });
  group_->AddKey({1, {1, 1}, DType::kF32, MergeKind::kSum}, 3, nullptr);
  ExpectRefused(StatusCode::kUnavailable, {"key 1", "device 7"}, [&] { Push(&one_, 3, 1); });
}

TEST_F(GroupStateTest, ABlockedPushHearsOfADeviceThatIsGone) {
  Make();
  Push(&one_, 3);
  Push(&one_, 3);
  std::promise<Status> refused;
  std::thread blocked([&] {
    try {
      Push(&one_, 3);
      refused.set_value(Status::Ok());
    } catch (const Error& error) {
      refused.set_value(error.status());
    }
  });
  group_->SetGone(7, "killed");
  const Status status = refused.get_future().get();
  EXPECT_EQ(status.code(), StatusCode::kUnavailable);
  EXPECT_NE(status.message().find("device 7"), std::string::npos) << status;
  blocked.join();
}

TEST_F(GroupStateTest, WhatADeviceThatIsGoneHasPushedIsUsedNoMore) {
  Make();
  auto lost = std::make_unique<Floats>(1, 5.0F);
  const Ticket push = Push(lost.get(), 7);
  const Ticket pull = Pull(lost.get(), 7);
  group_->SetGone(7, "killed");
  lost = nullptr;
  ExpectRefused(StatusCode::kUnavailable, {"key 0, device 7", "killed"}, [&] { pull.Wait(); });
  ExpectRefused(StatusCode::kUnavailable, {"key 0, device 7", "killed"}, [&] { push.Wait(); });
  ExpectRefused(StatusCode::kUnavailable, {"key 0, device 3", "device 7"}, [&] { Push(&one_, 3); });
  ExpectRefused(StatusCode::kUnavailable, {"key 0, device 7"}, [&] { Pull(&b_, 7); });
}

TEST_F(GroupStateTest, ARoundThatAllHavePushedIsFinishedWithoutADeviceThatIsGone) {
  for (int i = 0; i < 50; ++i) {
    Make();
    auto lost = std::make_unique<Floats>(1, 5.0F);
    Push(&one_, 3);
    Push(lost.get(), 7);
    group_->SetGone(7, "killed");
    lost = nullptr;
    Pull(&a_, 3).Wait();
    EXPECT_EQ(a_, Floats{6});
  }
}

TEST_F(GroupStateTest, WhoeverSaysThatADeviceIsGoneWaitsForItsCallback) {
  Make();
  Push(&one_, 3);
  Push(&two_, 7);
  std::promise<void> runs;
  std::promise<void> go;
  std::atomic<bool> has_ended{false};
  const Ticket pull = Pull(&b_, 7, [&](Stream*) {
    Pull(&a_, 7);
    runs.set_value();
    go.get_future().wait();
    has_ended = true;
  });
  runs.get_future().wait();
  std::atomic<bool> has_returned{false};
  std::thread device([&] {
    group_->SetGone(7, "killed");
    has_returned = true;
    EXPECT_TRUE(has_ended);
  });
  const Ticket again = *group_->LastOf(0, 7);
  ExpectRefused(StatusCode::kUnavailable, {"device 7"}, [&] { again.Wait(); });
  for (int i = 0; i < 1000 && !has_returned; ++i) std::this_thread::yield();
  go.set_value();
  device.join();
  pull.Wait();
}

TEST_F(GroupStateTest, ACallbackMaySayThatItsDeviceIsGone) {
  Make();
  Push(&one_, 3);
  Push(&two_, 7);
  Pull(&b_, 7, [&](Stream*) { group_->SetGone(7, "gives up"); }).Wait();
  ExpectRefused(StatusCode::kUnavailable, {"device 7", "gives up"}, [&] { Push(&one_, 3); });
}

// --- who gives up ---

TEST_F(GroupStateTest, APullOfACallbackThatHasNotBegunIsWithdrawnByWhoeverGivesUp) {
  options_.timeout_ms = 20;
  Make();
  Push(&one_, 3);
  Push(&two_, 7);
  std::promise<Ticket> asked;
  std::promise<void> go;
  const Ticket pull = Pull(&a_, 3, [&](Stream*) {
    asked.set_value(Pull(&b_, 3));
    go.get_future().wait();
  });
  const Ticket again = asked.get_future().get();
  ExpectRefused(StatusCode::kDeadlineExceeded, {"key 0, device 3", "the one before"}, [&] { again.Wait(); });
  EXPECT_TRUE(again.Done());
  go.set_value();
  EXPECT_TRUE(pull.WaitFor(milliseconds(60000)).ok());
  EXPECT_EQ(b_, Floats{0});
  Push(&one_, 3);
  Push(&two_, 7);
  EXPECT_TRUE(Pull(&b_, 3).WaitFor(milliseconds(60000)).ok());
  EXPECT_EQ(b_, Floats{3});
}

TEST_F(GroupStateTest, APullWhoseResultNobodyHasTakenUpIsWithdrawnToo) {
  options_.timeout_ms = 20;
  options_.max_deliveries = 1;
  Make();
  Push(&one_, 3);
  Push(&two_, 7);
  std::promise<void> runs;
  std::promise<void> go;
  const Ticket first = Pull(&a_, 3, [&](Stream*) {
    runs.set_value();
    go.get_future().wait();
  });
  runs.get_future().wait();
  const Ticket second = Pull(&b_, 7);
  ExpectRefused(StatusCode::kDeadlineExceeded, {"key 0, device 7", "busy"}, [&] { second.Wait(); });
  EXPECT_TRUE(second.Done());
  go.set_value();
  EXPECT_TRUE(first.WaitFor(milliseconds(60000)).ok());
  EXPECT_EQ(b_, Floats{0});
  EXPECT_TRUE(Pull(&b_, 7).WaitFor(milliseconds(60000)).ok());
  EXPECT_EQ(b_, Floats{3});
}

TEST_F(GroupStateTest, AValueThatComesAfterItsPullWasWithdrawnIsNobodys) {
  options_.timeout_ms = 20;
  auto sink = std::make_unique<HeldSink>(true);
  HeldSink* const held = sink.get();
  Make(std::move(sink));
  held->HoldReads();
  const Ticket pull = Pull(&a_, 3);
  ExpectRefused(StatusCode::kDeadlineExceeded, {"key 0, device 3", "being read"}, [&] { pull.Wait(); });
  held->AnswerRead();
  EXPECT_EQ(a_, Floats{0});
  const Ticket again = Pull(&a_, 3);
  held->AnswerRead();
  EXPECT_TRUE(again.WaitFor(milliseconds(60000)).ok());
  EXPECT_EQ(a_, Floats{77});
}

// --- what a sink can not do ---

TEST_F(GroupStateTest, AnErrorThatNoPullOfADeviceTellsIsThatOfItsNextPush) {
  auto sink = std::make_unique<HeldSink>(false);
  HeldSink* const held = sink.get();
  Make(std::move(sink));
  for (int round = 0; round < 2; ++round) {
    Push(&one_, 3);
    Push(&two_, 7);
  }
  const Ticket pull = Pull(&a_, 3);  // of the second one
  held->Answer(1, Status::Unavailable("server 0 is lost"));
  held->Answer(2, Status::Unavailable("server 0 is still lost"));
  ExpectRefused(StatusCode::kUnavailable, {"still lost"}, [&] { pull.Wait(); });
  ExpectRefused(StatusCode::kUnavailable, {"key 0, device 3: Push", "in round 1 ", "server 0 is lost"},
                [&] { Push(&one_, 3); });
  ExpectRefused(StatusCode::kUnavailable, {"key 0, device 7: Push", "rounds 1, 2", "server 0 is lost"},
                [&] { Push(&two_, 7); });
  Push(&one_, 3);  // told once, and what has thrown has contributed nothing
  Push(&two_, 7);
  const Ticket next = Pull(&b_, 7);
  held->Answer(3);
  next.Wait();
  EXPECT_EQ(b_, Floats{30});
}

TEST_F(GroupStateTest, AnErrorThatComesWhenThePullWasGivenUpIsThatOfTheNextPush) {
  options_.timeout_ms = 20;
  auto sink = std::make_unique<HeldSink>(false);
  HeldSink* const held = sink.get();
  Make(std::move(sink));
  Push(&one_, 3);
  EXPECT_TRUE(Push(&two_, 7).WaitFor(milliseconds(60000)).ok());
  const Ticket pull = Pull(&a_, 3);
  EXPECT_EQ(pull.WaitFor(milliseconds(1)).code(), StatusCode::kDeadlineExceeded);
  std::promise<void> go;
  std::thread late([&] {
    go.get_future().wait();
    held->Answer(1, Status::Unavailable("server 0 is lost"));
  });
  ExpectRefused(StatusCode::kDeadlineExceeded, {"round 1"}, [&] { pull.Wait(); });
  go.set_value();
  late.join();
  ExpectRefused(StatusCode::kUnavailable, {"key 0, device 3", "in round 1 "}, [&] { Push(&one_, 3); });
}

TEST_F(GroupStateTest, AnErrorThatNoThreadHasToldIsThatOfTheNextPushHoweverManyRoundsFollow) {
  options_.timeout_ms = 20;
  options_.max_deliveries = 1;
  auto sink = std::make_unique<HeldSink>(false);
  HeldSink* const held = sink.get();
  Make(std::move(sink));
  Push(&one_, 3);
  Push(&two_, 7);
  std::promise<void> runs;
  std::promise<void> go;
  const Ticket busy = Pull(&a_, 3, [&](Stream*) {
    runs.set_value();
    go.get_future().wait();
  });
  held->Answer(1);
  runs.get_future().wait();
  Push(&one_, 3);
  Push(&two_, 7);
  const Ticket pull = Pull(&b_, 7);
  held->Answer(2, Status::Unavailable("server 0 is lost"));
  ExpectRefused(StatusCode::kUnavailable, {"device 3", "in round 2 "}, [&] { Push(&one_, 3); });
  Push(&one_, 3);
  Push(&two_, 7);
  held->Answer(3);
  ExpectRefused(StatusCode::kDeadlineExceeded, {"all are busy"}, [&] { pull.Wait(); });
  ExpectRefused(StatusCode::kUnavailable, {"device 7", "in round 2 "}, [&] { Push(&two_, 7); });
  go.set_value();
  EXPECT_TRUE(busy.WaitFor(milliseconds(60000)).ok());
}

TEST_F(GroupStateTest, WhatASinkHasJustBroughtIsWaitedFor) {
  options_.timeout_ms = 20;
  options_.max_deliveries = 1;
  auto sink = std::make_unique<HeldSink>(false);
  HeldSink* const held = sink.get();
  Make(std::move(sink));
  Push(&one_, 3);
  Push(&two_, 7);
  std::promise<void> runs;
  std::promise<void> go;
  const Ticket first = Pull(&a_, 3, [&](Stream*) {
    runs.set_value();
    go.get_future().wait();
  });
  held->Answer(1);
  runs.get_future().wait();
  const Ticket second = Pull(&b_, 7);
  std::thread later([&] {
    EXPECT_EQ(second.WaitFor(milliseconds(60)).code(), StatusCode::kDeadlineExceeded);
    go.set_value();
  });
  second.Wait();
  EXPECT_EQ(b_, Floats{30});
  later.join();
  EXPECT_TRUE(first.WaitFor(milliseconds(60000)).ok());
}

// --- the end ---

TEST_F(GroupStateTest, CloseFailsWhatWaitsAndNothingRunsAfterwards) {
  for (int round = 0; round < 20; ++round) {
    Make();
    std::atomic<bool> closed{false};
    std::atomic<int> late{0};
    std::vector<Ticket> tickets;
    for (int i = 0; i < 2; ++i) {
      tickets.push_back(Push(&one_, 3));
      tickets.push_back(Push(&two_, 7));
    }
    const auto callback = [&](Stream*) { late += closed ? 1 : 0; };
    tickets.push_back(Pull(&a_, 3, callback));
    tickets.push_back(Pull(&b_, 7, callback));
    group_->Close();
    closed = true;
    for (const Ticket& ticket : tickets) {
      EXPECT_TRUE(ticket.Done());
      const Status outcome = ticket.WaitFor(milliseconds(0));
      EXPECT_TRUE(outcome.ok() || outcome.code() == StatusCode::kCancelled) << outcome;
    }
    ExpectRefused(StatusCode::kCancelled, {"closed"}, [&] { Push(&one_, 3); });
    group_.reset();
    EXPECT_EQ(late, 0);
  }
}

TEST_F(GroupStateTest, WhatACallbackHoldsGoesWithoutTheGroupsLock) {
  Make();
  int gone = 0;
  const auto held = [&] {
    return std::shared_ptr<int>(new int(0), [&](const int* number) {  // NOLINT: it owns it
      static_cast<void>(group_->LastOf(0, 3));
      ++gone;
      delete number;  // NOLINT
    });
  };
  Push(&one_, 3);
  Pull(&a_, 3, [keep = held()](Stream*) {});
  group_->SetGone(7, "killed");
  EXPECT_EQ(gone, 1);
  Make();
  Pull(&a_, 3, [keep = held()](Stream*) {});
  group_->Close();
  EXPECT_EQ(gone, 2);
}

TEST_F(GroupStateTest, ResultsThatComeAfterTheEndAreNobodys) {
  auto sink = std::make_unique<HeldSink>(false);
  HeldSink* const held = sink.get();
  Make(std::move(sink));
  Push(&one_, 3);
  const Ticket pushed = Push(&two_, 7);
  const Ticket pull = Pull(&a_, 3);
  pushed.Wait();
  group_->Close();
  held->Answer(1);
  ExpectRefused(StatusCode::kCancelled, {"closed"}, [&] { pull.Wait(); });
}

TEST_F(GroupStateTest, CloseWaitsForWhoeverIsInsideACall) {
  Make();
  std::promise<void> makes;
  std::promise<void> go;
  std::atomic<bool> has_made{false};
  std::thread maker([&] {
    const Group::Key key{4, {1, 1}, DType::kF32, MergeKind::kSum};
    group_->AddKey(key, 3, [&] {
      makes.set_value();
      go.get_future().wait();
      has_made = true;
    });
  });
  makes.get_future().wait();
  std::atomic<bool> closed{false};
  std::thread closer([&] {
    group_->Close();
    closed = true;
    EXPECT_TRUE(has_made);
  });
  for (int i = 0; i < 1000 && !closed; ++i) std::this_thread::yield();
  go.set_value();
  maker.join();
  closer.join();
}

TEST_F(GroupStateTest, AGroupMayEndWhileADeviceWaitsInPush) {
  for (int i = 0; i < 50; ++i) {
    Make();
    Push(&one_, 3);
    Push(&one_, 3);
    std::atomic<bool> begins{false};
    Group* const group = group_.get();
    std::thread blocked([&, group] {
      begins = true;
      ExpectRefused(StatusCode::kCancelled, {"closed"}, [&] { group->Contribute(0, 3, View(&one_), 0); });
    });
    while (!begins) std::this_thread::yield();
    group_->Close();
    blocked.join();
    group_.reset();
  }
}

}  // namespace
}  // namespace ps
