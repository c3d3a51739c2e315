#include "group/group_ticket.h"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support/watchdog.h"

namespace ps {
namespace {

using std::chrono::milliseconds;

class GroupTicketTest : public testing::Test {
 protected:
  std::shared_ptr<GroupTicket> Make(std::int64_t timeout_ms = 0) {
    GroupTicket::Owner owner;
    owner.group = this;
    owner.timeout_ms = timeout_ms;
    owner.post = [this](std::function<void()> code) {
      if (is_closed_) return false;
      posted_.push_back(std::move(code));
      return true;
    };
    owner.overdue = [this](bool gives_up) {
      gave_up_ = gives_up;
      return Status::DeadlineExceeded("device 3 has not pushed yet");
    };
    return std::make_shared<GroupTicket>(std::move(owner));
  }

  Watchdog watchdog_;
  std::vector<std::function<void()>> posted_;
  bool is_closed_ = false;
  bool gave_up_ = false;
};

TEST_F(GroupTicketTest, TheFirstOutcomeCounts) {
  const auto ticket = Make();
  EXPECT_FALSE(ticket->done());
  ticket->Finish(Status::NotFound("a"));
  ticket->Finish(Status::Ok());
  EXPECT_TRUE(ticket->done());
  EXPECT_EQ(ticket->Wait(nullptr), Status::NotFound("a"));
}

TEST_F(GroupTicketTest, AWaitEndsWithTheOperation) {
  const auto ticket = Make();
  std::thread finisher([&] { ticket->Finish(Status::Ok()); });
  EXPECT_EQ(ticket->Wait(nullptr), Status::Ok());
  finisher.join();
}

TEST_F(GroupTicketTest, AWaitWithATimeEndsTheWaitAlone) {
  const auto ticket = Make();
  const milliseconds time(1);
  EXPECT_EQ(ticket->Wait(&time).message(), "device 3 has not pushed yet");
  EXPECT_FALSE(gave_up_);
  EXPECT_FALSE(ticket->done());
}

TEST_F(GroupTicketTest, AWaitWithoutATimeGivesUpAfterTheGroupsOwn) {
  const auto ticket = Make(1);
  EXPECT_EQ(ticket->Wait(nullptr).code(), StatusCode::kDeadlineExceeded);
  EXPECT_TRUE(gave_up_);
}

TEST_F(GroupTicketTest, NobodyWaitsOnAThreadOfTheGroup) {
  const auto ticket = Make();
  const GroupTicket::OnThread on_thread(this);
  EXPECT_EQ(ticket->Wait(nullptr).code(), StatusCode::kFailedPrecondition);
  ticket->Finish(Status::Ok());
  EXPECT_EQ(ticket->Wait(nullptr), Status::Ok()) << "what is done is no wait";
}

TEST_F(GroupTicketTest, ContinuationsRunWhereTheGroupSays) {
  const auto ticket = Make();
  std::vector<Status> seen;
  ticket->Then([&](const Status& outcome) { seen.push_back(outcome); });
  ticket->Finish(Status::NotFound("a"));
  ticket->Then([&](const Status& outcome) { seen.push_back(outcome); });
  EXPECT_TRUE(seen.empty());
  for (const auto& code : posted_) code();
  EXPECT_EQ(seen, (std::vector<Status>{Status::NotFound("a"), Status::NotFound("a")}));
  is_closed_ = true;
  ticket->Then([](const Status&) { throw std::runtime_error("is logged"); });
  ticket->Then([&](const Status& outcome) { seen.push_back(outcome); });
  EXPECT_EQ(seen.size(), 3U) << "the caller's thread is the only one left";
}

}  // namespace
}  // namespace ps
