#include "store/followed_ticket.h"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "base/queue.h"
#include "store/ticket_source.h"
#include "store/ticket_state.h"
#include "tests/support/fake_server_link.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

using std::chrono::milliseconds;

class FollowedTicketTest : public testing::Test {
 protected:
  FollowedTicketTest() { state_->SetRequest(link_->Send({}, std::make_shared<KeepingSink>())); }
  void RunPosted() {
    while (!link_->posted.empty()) {
      const auto posted = std::move(link_->posted);
      link_->posted.clear();
      for (const auto& code : posted) code();
    }
  }
  Ticket Count() {
    return Followed(Ticket(state_), [this] {
      ++runs_;
      return outcome_;
    });
  }

  Watchdog watchdog_;
  std::shared_ptr<FakeServerLink> link_ = std::make_shared<FakeServerLink>();
  std::shared_ptr<TicketState> state_ = std::make_shared<TicketState>(link_);
  int runs_ = 0;
  Status outcome_;
};

TEST_F(FollowedTicketTest, TheWorkRunsWithoutAnybodyWaiting) {
  const Ticket ticket = Count();
  EXPECT_FALSE(ticket.Done());
  state_->Finish(Status::Ok());
  EXPECT_EQ(runs_, 0) << "never inside the call that brings the outcome";
  RunPosted();
  EXPECT_EQ(runs_, 1);
  EXPECT_TRUE(ticket.Done());
  ticket.Wait();
}

TEST_F(FollowedTicketTest, WhoWaitsDoesTheWorkItself) {
  const Ticket ticket = Count();
  state_->Finish(Status::Ok());
  ticket.Wait();
  EXPECT_EQ(runs_, 1);
  RunPosted();
  EXPECT_EQ(runs_, 1);
}

TEST_F(FollowedTicketTest, AFailedOperationIsNotFollowed) {
  const Ticket ticket = Count();
  state_->Finish(Status::NotFound("no key"));
  EXPECT_EQ(ticket.WaitFor(milliseconds(0)), Status::NotFound("no key"));
  EXPECT_EQ(runs_, 0);
}

TEST_F(FollowedTicketTest, TheOutcomeIsThatOfTheWork) {
  outcome_ = Status::ResourceExhausted("no room");
  const Ticket ticket = Count();
  Status early;
  ticket.Then([&](const Status& outcome) { early = outcome; });
  state_->Finish(Status::Ok());
  RunPosted();
  EXPECT_EQ(early, outcome_);
  Status late;
  ticket.Then([&](const Status& outcome) { late = outcome; });
  RunPosted();
  EXPECT_EQ(late, outcome_);
}

TEST_F(FollowedTicketTest, WhatTheWorkThrowsIsTheOutcome) {
  const Ticket ticket = Followed(Ticket(state_), []() -> Status { throw std::runtime_error("thrown"); });
  state_->Finish(Status::Ok());
  EXPECT_NE(ticket.WaitFor(milliseconds(0)).message().find("thrown"), std::string::npos);
}

TEST_F(FollowedTicketTest, AWaitEndsAtItsDeadlineWhileSomebodyElseDoesTheWork) {
  BlockingQueue<int> begun;
  BlockingQueue<int> gate;
  const Ticket ticket = Followed(Ticket(state_), [&] {
    begun.Push(0);
    gate.Pop();
    return Status::Ok();
  });
  state_->Finish(Status::Ok());
  std::thread worker([&] { ticket.Wait(); });
  begun.Pop();
  EXPECT_EQ(ticket.WaitFor(milliseconds(1)).code(), StatusCode::kDeadlineExceeded);
  EXPECT_FALSE(ticket.Done());
  std::thread patient([&] { EXPECT_EQ(ticket.WaitFor(milliseconds::max()), Status::Ok()); });
  gate.Push(0);
  ticket.Wait();
  patient.join();
  worker.join();
}

TEST_F(FollowedTicketTest, WhatTheWorkHoldsGoesAlsoWhereItIsNotDone) {
  auto held = std::make_shared<int>(0);
  const std::weak_ptr<int> seen = held;
  const Ticket ticket = Followed(Ticket(state_), [held = std::move(held)] { return Status::Ok(); });
  EXPECT_FALSE(seen.expired());
  state_->Finish(Status::Cancelled("the store was closed"));
  RunPosted();
  EXPECT_TRUE(ticket.Done());
  EXPECT_TRUE(seen.expired()) << "a tensor that waits for this ticket would hold itself";
}

// An operation that ends between the end of a wait for it and the look whether it is done.
class EndsTooLate final : public TicketSource {
 public:
  Status Wait(const std::chrono::milliseconds*) override {
    return std::exchange(is_done_, true) ? Status::Ok() : Status::DeadlineExceeded("not in this time");
  }
  bool done() override { return is_done_; }
  void Then(Continuation) override {}

 private:
  bool is_done_ = false;
};

TEST_F(FollowedTicketTest, AWaitThatEndsTooEarlyIsNotTheOutcome) {
  const Ticket ticket = Followed(Ticket(std::make_shared<EndsTooLate>()), [this] {
    ++runs_;
    return Status::Ok();
  });
  EXPECT_EQ(ticket.WaitFor(milliseconds(0)), Status::Ok());
  EXPECT_EQ(runs_, 1);
}

TEST_F(FollowedTicketTest, OfNothingItIsDoneAtOnce) {
  const Ticket ticket = Followed(Ticket(), [this] {
    ++runs_;
    return Status::Ok();
  });
  EXPECT_TRUE(ticket.Done());
  EXPECT_EQ(runs_, 1);
}

}  // namespace
}  // namespace ps
