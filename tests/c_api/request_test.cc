#include "c_api/request.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "c_api/error.h"
#include "store/ticket_source.h"

namespace ps::c_api {
namespace {

// Ends when the test says so.
class HandSource : public TicketSource {
 public:
  Status Wait(const std::chrono::milliseconds* timeout) override {
    ++waits;
    if (is_done) return outcome;
    return timeout == nullptr ? Status::Internal("would never end")
                              : Status::DeadlineExceeded("waits for server 1");
  }
  bool done() override { return is_done; }
  void Then(Continuation continuation) override {
    if (is_done) return continuation(outcome);
    continuations.push_back(std::move(continuation));
  }
  void End(const Status& how) {
    is_done = true;
    outcome = how;
    for (const auto& continuation : continuations) continuation(how);
  }

  int waits = 0;
  bool is_done = false;
  Status outcome;
  std::vector<Continuation> continuations;
};

struct Heard {
  int code = -1;
  std::string message;
  int times = 0;
};

void Hear(int code, const char* message, void* context) {
  auto* const heard = static_cast<Heard*>(context);
  *heard = {code, message, heard->times + 1};
}

class RequestTest : public testing::Test {
 protected:
  PSRequest Make() {
    PSRequest request = nullptr;
    Finish(Ticket(source_), &request, nullptr);
    return request;
  }
  PSRequest All(const std::vector<PSRequest>& requests) {
    PSRequest all = nullptr;
    EXPECT_EQ(PSRequestAll(requests.size(), requests.data(), &all), PS_OK);
    return all;
  }
  int Done(PSRequest request) {
    int done = -1;
    EXPECT_EQ(PSRequestDone(request, &done), PS_OK);
    return done;
  }

  std::shared_ptr<HandSource> source_ = std::make_shared<HandSource>();
};

TEST_F(RequestTest, WithoutAPlaceForARequestTheCallWaits) {
  source_->End(Status::NotFound("no table"));
  EXPECT_EQ(Call([&] { Finish(Ticket(source_), nullptr, nullptr); }), PS_NOT_FOUND);
  EXPECT_STREQ(PSGetLastError(), "no table");
}

TEST_F(RequestTest, WaitingEndsWithTheTimeOrTheOutcome) {
  const PSRequest request = Make();
  EXPECT_EQ(PSRequestWait(request, 0), PS_DEADLINE_EXCEEDED);
  EXPECT_STREQ(PSGetLastError(), "waits for server 1");
  EXPECT_EQ(PSRequestWait(request, INT64_MAX), PS_DEADLINE_EXCEEDED);
  EXPECT_EQ(Done(request), 0);
  EXPECT_EQ(PSRequestError(request), PS_FAILED_PRECONDITION);
  source_->End(Status::Unavailable("server 1 is lost"));
  EXPECT_EQ(PSRequestWait(request, -1), PS_UNAVAILABLE);
  EXPECT_EQ(PSRequestWait(request, 0), PS_UNAVAILABLE) << "again";
  EXPECT_EQ(Done(request), 1);
  EXPECT_EQ(PSRequestError(request), PS_UNAVAILABLE);
  EXPECT_STREQ(PSGetLastError(), "server 1 is lost");
  EXPECT_EQ(PSRequestFree(request), PS_OK);
}

TEST_F(RequestTest, NegativeTimesButTheOneForEverAreRefused) {
  const PSRequest request = Make();
  EXPECT_EQ(PSRequestWait(request, -2), PS_INVALID_ARGUMENT);
  EXPECT_EQ(source_->waits, 0);
  EXPECT_EQ(PSRequestFree(request), PS_OK);
}

TEST_F(RequestTest, CallbacksHearTheOutcomeOnceThoughTheRequestIsFreed) {
  const PSRequest request = Make();
  Heard heard;
  EXPECT_EQ(PSRequestThen(request, Hear, &heard), PS_OK);
  EXPECT_EQ(PSRequestFree(request), PS_OK);
  EXPECT_EQ(heard.times, 0);
  source_->End(Status::Cancelled("closed"));
  EXPECT_EQ(heard.times, 1);
  EXPECT_EQ(heard.code, PS_CANCELLED);
  EXPECT_EQ(heard.message, "closed");
}

TEST_F(RequestTest, AllAreDoneWithTheFirstInTheirOrderThatFailed) {
  const auto second = std::make_shared<HandSource>();
  PSRequest other = nullptr;
  Finish(Ticket(second), &other, nullptr);
  const PSRequest request = Make();
  const PSRequest all = All({request, other});
  second->End(Status::NotFound("second"));
  EXPECT_EQ(Done(all), 0);
  source_->End(Status::Unavailable("first"));
  EXPECT_EQ(Done(all), 1);
  EXPECT_EQ(PSRequestError(all), PS_UNAVAILABLE);
  for (const PSRequest handle : {all, request, other}) EXPECT_EQ(PSRequestFree(handle), PS_OK);
}

TEST_F(RequestTest, OfNoneAllAreDone) { EXPECT_EQ(PSRequestWait(All({}), 0), PS_OK); }

TEST_F(RequestTest, RequestsOfRequestsTakeNoLongerThanTheirOperations) {
  const auto second = std::make_shared<HandSource>();
  PSRequest other = nullptr;
  Finish(Ticket(second), &other, nullptr);
  PSRequest all = All({Make(), other});
  for (int i = 0; i < 100; ++i) all = All({all, all, other});
  source_->End(Status::Ok());
  second->End(Status::Ok());
  EXPECT_EQ(PSRequestWait(all, -1), PS_OK);
  EXPECT_EQ(source_->waits + second->waits, 2);
}

TEST_F(RequestTest, WhatIsNoRequestOrNoPlaceForAnAnswerIsAnError) {
  const PSRequest freed = Make();
  EXPECT_EQ(PSRequestFree(freed), PS_OK);
  int done = 5;
  for (const PSRequest handle : {freed, PSRequest{}}) {
    EXPECT_EQ(PSRequestWait(handle, 0), PS_INVALID_ARGUMENT);
    EXPECT_EQ(PSRequestDone(handle, &done), PS_INVALID_ARGUMENT);
    EXPECT_EQ(PSRequestError(handle), PS_INVALID_ARGUMENT);
    EXPECT_EQ(PSRequestThen(handle, Hear, nullptr), PS_INVALID_ARGUMENT);
    PSRequest all = nullptr;
    EXPECT_EQ(PSRequestAll(1, &handle, &all), PS_INVALID_ARGUMENT);
    EXPECT_EQ(all, nullptr);
  }
  EXPECT_EQ(done, 5);
  const PSRequest request = Make();
  EXPECT_EQ(PSRequestDone(request, nullptr), PS_INVALID_ARGUMENT);
  EXPECT_EQ(PSRequestThen(request, nullptr, nullptr), PS_INVALID_ARGUMENT);
  EXPECT_EQ(PSRequestAll(1, nullptr, nullptr), PS_INVALID_ARGUMENT);
  EXPECT_EQ(PSRequestFree(request), PS_OK);
  EXPECT_EQ(PSRequestFree(freed), PS_INVALID_ARGUMENT);
  EXPECT_EQ(PSRequestFree(nullptr), PS_OK);
}

TEST_F(RequestTest, ItKeepsTheNodeOfItsOperationAlsoInOthers) {
  auto node = std::make_shared<int>(7);
  const std::weak_ptr<int> kept = node;
  PSRequest single = nullptr;
  Finish(Ticket(source_), &single, std::move(node));
  const PSRequest all = All({single});
  EXPECT_FALSE(kept.expired());
  EXPECT_EQ(PSRequestFree(single), PS_OK);
  EXPECT_FALSE(kept.expired());
  EXPECT_EQ(PSRequestFree(all), PS_OK);
  EXPECT_TRUE(kept.expired());
}

}  // namespace
}  // namespace ps::c_api
