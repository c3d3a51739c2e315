#include "store/ticket_state.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "ps/ticket.h"
#include "tests/support/fake_server_link.h"

namespace ps {
namespace {

using std::chrono::milliseconds;

class TicketStateTest : public testing::Test {
 protected:
  std::shared_ptr<FakeServerLink> link_ = std::make_shared<FakeServerLink>();
  std::shared_ptr<KeepingSink> sink_ = std::make_shared<KeepingSink>();
};

TEST_F(TicketStateTest, ATicketOfNothingIsDone) {
  const Ticket ticket;
  EXPECT_TRUE(ticket.Done());
  ticket.Wait();
  Status seen = Status::Internal("not called");
  ticket.Then([&](const Status& outcome) { seen = outcome; });
  EXPECT_TRUE(seen.ok());
}

TEST_F(TicketStateTest, TheOutcomeIsThatOfTheOperation) {
  const auto state = std::make_shared<TicketState>(link_);
  const Ticket ticket(state);
  EXPECT_FALSE(ticket.Done());
  state->Finish(Status::NotFound("no table"));
  EXPECT_TRUE(ticket.Done());
  EXPECT_EQ(ticket.WaitFor(milliseconds(0)).code(), StatusCode::kNotFound);
  EXPECT_THROW(ticket.Wait(), Error);
  EXPECT_TRUE(link_->waited.empty()) << "nobody has to wait for what is done";
}

TEST_F(TicketStateTest, WaitsForTheRequestThatBringsIt) {
  const auto state = std::make_shared<TicketState>(link_);
  state->SetRequest(link_->Send({}, sink_));
  EXPECT_EQ(state->Wait(nullptr).code(), StatusCode::kDeadlineExceeded);
  EXPECT_EQ(link_->waited, std::vector<int>{0});
}

TEST_F(TicketStateTest, ALateOperationSaysWhomItWaitsFor) {
  const auto state = std::make_shared<TicketState>(link_, [] { return std::string("missing: worker 2"); });
  state->SetRequest(link_->Send({}, sink_));
  const milliseconds none(0);
  EXPECT_EQ(state->Wait(&none), Status::DeadlineExceeded("missing: worker 2"));
}

TEST_F(TicketStateTest, ContinuationsArePostedEachOnce) {
  const auto state = std::make_shared<TicketState>(link_);
  std::vector<std::string> seen;
  state->Then([&](const Status& outcome) { seen.push_back("early " + outcome.ToString()); });
  state->Finish(Status::Ok());
  state->Finish(Status::Internal("again"));
  state->Then([&](const Status& outcome) { seen.push_back("late " + outcome.ToString()); });
  EXPECT_TRUE(seen.empty()) << "none runs inside the call";
  for (const auto& code : link_->posted) code();
  EXPECT_EQ(seen, (std::vector<std::string>{"early OK", "late OK"}));
}

TEST_F(TicketStateTest, WhereTheLinkHasClosedTheCallerRunsThem) {
  const auto state = std::make_shared<TicketState>(link_);
  link_->closed = true;
  state->Finish(Status::Cancelled("closed"));
  Status seen;
  state->Then([&](const Status& outcome) { seen = outcome; });
  EXPECT_EQ(seen.code(), StatusCode::kCancelled);
}

TEST_F(TicketStateTest, TheHookIsToldAtOnce) {
  const auto state = std::make_shared<TicketState>(link_);
  int calls = 0;
  state->OnFinish([&](const Status&) { ++calls; });
  state->Finish(Status::Ok());
  state->Finish(Status::Ok());
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace ps
