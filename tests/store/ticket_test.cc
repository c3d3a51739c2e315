#include "ps/ticket.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "store/ticket_source.h"
#include "store/ticket_state.h"
#include "tests/support/fake_server_link.h"

namespace ps {
namespace {

using std::chrono::milliseconds;

class AllOfTest : public testing::Test {
 protected:
  AllOfTest() {
    for (int i = 0; i < 3; ++i) {
      states_.push_back(std::make_shared<TicketState>(link_));
      states_.back()->SetRequest(link_->Send({}, std::make_shared<KeepingSink>()));
      tickets_.emplace_back(states_.back());
    }
  }
  void RunPosted() {
    const auto posted = std::move(link_->posted);
    link_->posted.clear();
    for (const auto& code : posted) code();
  }

  std::shared_ptr<FakeServerLink> link_ = std::make_shared<FakeServerLink>();
  std::vector<std::shared_ptr<TicketState>> states_;
  std::vector<Ticket> tickets_;
};

TEST_F(AllOfTest, OfNothingIsDone) {
  const Ticket all = AllOf({});
  EXPECT_TRUE(all.Done());
  all.Wait();
}

TEST_F(AllOfTest, IsDoneWhenEveryOneIs) {
  const Ticket all = AllOf(tickets_);
  states_[2]->Finish(Status::Ok());
  states_[0]->Finish(Status::Ok());
  EXPECT_FALSE(all.Done());
  EXPECT_EQ(all.WaitFor(milliseconds(0)).code(), StatusCode::kDeadlineExceeded);
  states_[1]->Finish(Status::Ok());
  EXPECT_TRUE(all.Done());
  EXPECT_TRUE(all.WaitFor(milliseconds(0)).ok());
}

// One that does not wait for as long as it takes.
class Impatient : public TicketSource {
 public:
  Status Wait(const std::chrono::milliseconds* timeout) override {
    return Status::DeadlineExceeded(timeout == nullptr ? "in its own time" : "in the time given");
  }
  bool done() override { return false; }
  void Then(Continuation) override {}
};

TEST_F(AllOfTest, WithoutATimeEachHasItsOwn) {
  const Ticket all = AllOf({Ticket(std::make_shared<Impatient>()), tickets_[0]});
  try {
    all.Wait();
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Status::DeadlineExceeded("in its own time"));
  }
  EXPECT_EQ(all.WaitFor(milliseconds(1)), Status::DeadlineExceeded("in the time given"));
}

TEST_F(AllOfTest, TheOutcomeIsTheFirstFailureInTheOrderOfTheTickets) {
  const Ticket all = AllOf(tickets_);
  Status seen;
  int calls = 0;
  all.Then([&](const Status& outcome) {
    seen = outcome;
    ++calls;
  });
  states_[2]->Finish(Status::Internal("third"));
  states_[1]->Finish(Status::NotFound("second"));
  RunPosted();
  EXPECT_EQ(calls, 0);
  states_[0]->Finish(Status::Ok());
  RunPosted();
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(seen, Status::NotFound("second"));
  EXPECT_EQ(all.WaitFor(milliseconds(0)), Status::NotFound("second"));
  EXPECT_THROW(all.Wait(), Error);
}

}  // namespace
}  // namespace ps
