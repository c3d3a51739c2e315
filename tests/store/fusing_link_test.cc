#include "store/fusing_link.h"

#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support/fake_server_link.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

class FusingLinkTest : public testing::Test {
 protected:
  SentRequest Send(std::vector<ServerLink::Addressed> requests, std::shared_ptr<KeepingSink> sink) {
    return link_.Send(std::move(requests), std::move(sink));
  }
  static std::vector<ServerLink::Addressed> To(int server, StoreRequest request) {
    std::vector<ServerLink::Addressed> requests;
    requests.push_back({server, std::move(request)});
    return requests;
  }

  FakeServerLink* const below_ = new FakeServerLink;
  FusingLink link_{std::unique_ptr<ServerLink>(below_)};
};

TEST_F(FusingLinkTest, WithoutAHoldEachRequestGoesAtOnce) {
  const auto sink = std::make_shared<KeepingSink>();
  const SentRequest sent = Send(To(0, RequestOf(OpCode::kAdd)), sink);
  ASSERT_EQ(below_->sent.size(), 1u);
  EXPECT_EQ(sent.fused, nullptr);
  below_->sent[0]->Answer();
  EXPECT_EQ(sink->outcomes.size(), 1u);
}

TEST_F(FusingLinkTest, HeldRequestsGoTogetherAndEachGetsItsAnswer) {
  const auto first = std::make_shared<KeepingSink>();
  const auto second = std::make_shared<KeepingSink>();
  link_.Hold();
  Send(To(0, RequestOf(OpCode::kGet, {1})), first);
  Send(To(0, RequestOf(OpCode::kGet, {2, 3})), second);
  EXPECT_TRUE(below_->sent.empty());
  link_.Release();
  ASSERT_EQ(below_->sent.size(), 1u);
  StoreAnswer answer;
  answer.replies.resize(2);
  answer.replies[0].num_bytes = 3;
  answer.replies[1].num_bytes = 2;
  answer.replies[1].num_keys = 1;
  answer.keys = SArray<Key>{9};
  answer.vals = SArray<char>(66, 'x');
  answer.vals[64] = 'y';
  EXPECT_TRUE(below_->sent[0]->sink->OnAnswer(0, answer).ok());
  below_->sent[0]->End(Status::Ok());
  ASSERT_EQ(first->answers.size(), 1u);
  EXPECT_EQ(first->answers[0].second.vals.size(), 3u);
  EXPECT_EQ(first->answers[0].second.keys.size(), 0u);
  EXPECT_EQ(second->answers[0].second.vals.size(), 2u);
  EXPECT_EQ(second->answers[0].second.vals[0], 'y');
  EXPECT_EQ(second->answers[0].second.keys[0], 9u);
  EXPECT_EQ(first->outcomes, std::vector<Status>{Status::Ok()});
}

TEST_F(FusingLinkTest, ARequestToSeveralServersIsDoneWithTheLast) {
  const auto sink = std::make_shared<KeepingSink>();
  link_.Hold();
  std::vector<ServerLink::Addressed> both = To(0, RequestOf(OpCode::kAdd));
  both.push_back({1, RequestOf(OpCode::kAdd)});
  const SentRequest sent = Send(std::move(both), sink);
  link_.Release();
  ASSERT_EQ(below_->sent.size(), 2u);
  below_->sent[1]->Answer();
  EXPECT_TRUE(sink->outcomes.empty());
  EXPECT_EQ(link_.WaitUntil(sent, 0).code(), StatusCode::kDeadlineExceeded);
  below_->sent[0]->Answer();
  EXPECT_EQ(sink->outcomes.size(), 1u);
  EXPECT_TRUE(link_.WaitUntil(sent, 0).ok());
}

TEST_F(FusingLinkTest, WhoWaitsSendsWhatHasGathered) {
  const auto sink = std::make_shared<KeepingSink>();
  link_.Hold();
  const SentRequest sent = Send(To(0, RequestOf(OpCode::kAdd)), sink);
  EXPECT_EQ(link_.WaitUntil(sent, 0).code(), StatusCode::kDeadlineExceeded);
  EXPECT_EQ(below_->sent.size(), 1u);
  link_.Release();
  EXPECT_EQ(below_->sent.size(), 1u);
}

TEST_F(FusingLinkTest, AFailureOfTheMessageIsThatOfAllInIt) {
  const auto first = std::make_shared<KeepingSink>();
  const auto second = std::make_shared<KeepingSink>();
  second->verdict = Status::Internal("its own");
  link_.Hold();
  Send(To(0, RequestOf(OpCode::kAdd)), first);
  Send(To(0, RequestOf(OpCode::kAdd)), second);
  link_.Release();
  below_->sent[0]->End(Status::Unavailable("gone"));
  EXPECT_EQ(first->outcomes[0].code(), StatusCode::kUnavailable);
  link_.Hold();
  Send(To(0, RequestOf(OpCode::kAdd)), first);
  Send(To(0, RequestOf(OpCode::kAdd)), second);
  link_.Release();
  below_->sent[1]->Answer();
  EXPECT_TRUE(first->outcomes[1].ok());
  EXPECT_EQ(second->outcomes[1].message(), "its own");
}

TEST_F(FusingLinkTest, AnAnswerOfTooFewOperationsIsAnError) {
  const auto sink = std::make_shared<KeepingSink>();
  link_.Hold();
  Send(To(0, RequestOf(OpCode::kAdd)), sink);
  Send(To(0, RequestOf(OpCode::kAdd)), sink);
  link_.Release();
  StoreAnswer answer;
  answer.replies.resize(1);
  EXPECT_EQ(below_->sent[0]->sink->OnAnswer(0, answer).code(), StatusCode::kInternal);
}

TEST_F(FusingLinkTest, ClosedBelowWhatGatheredFails) {
  const auto sink = std::make_shared<KeepingSink>();
  link_.Hold();
  Send(To(0, RequestOf(OpCode::kAdd)), sink);
  below_->closed = true;
  link_.Close();
  ASSERT_EQ(sink->outcomes.size(), 1u);
  EXPECT_FALSE(sink->outcomes[0].ok());
}

TEST_F(FusingLinkTest, ACallThatIsDoneKeepsNothing) {
  link_.Hold();
  auto sink = std::make_shared<KeepingSink>();
  const std::weak_ptr<KeepingSink> kept = sink;
  const SentRequest sent = Send(To(0, RequestOf(OpCode::kAdd)), std::move(sink));
  link_.Release();
  below_->sent[0]->Answer();
  below_->sent.clear();
  EXPECT_TRUE(kept.expired()) << "though whoever waits still has " << sent.fused.get();
}

// Stands still in Send until it is let go.
class SlowLink : public FakeServerLink {
 public:
  SentRequest Send(std::vector<Addressed>&& requests, std::shared_ptr<AnswerSink> sink) override {
    if (!std::exchange(has_come_, true)) {
      came.set_value();
      go.get_future().wait();
    }
    return FakeServerLink::Send(std::move(requests), std::move(sink));
  }

  std::promise<void> came;
  std::promise<void> go;

 private:
  bool has_come_ = false;
};

TEST(FusingLinkThreadsTest, WhatAnotherThreadIsAboutToSendIsNotDoneAndNotOvertaken) {
  const Watchdog watchdog;
  auto* const below = new SlowLink;
  FusingLink link{std::unique_ptr<ServerLink>(below)};
  const auto sink = std::make_shared<KeepingSink>();
  const auto to_zero = [](Key key) {
    std::vector<ServerLink::Addressed> requests;
    requests.push_back({0, RequestOf(OpCode::kSet, {key})});
    return requests;
  };
  link.Hold();
  const SentRequest sent = link.Send(to_zero(1), sink);
  std::thread releaser([&] { link.Release(); });
  below->came.get_future().wait();
  EXPECT_EQ(link.WaitUntil(sent, 0).code(), StatusCode::kDeadlineExceeded);
  link.Send(to_zero(2), std::make_shared<KeepingSink>());
  below->go.set_value();
  releaser.join();
  ASSERT_EQ(below->sent.size(), 2u);
  EXPECT_EQ(below->sent[0]->requests[0].request.keys[0], 1u);
  EXPECT_EQ(below->sent[1]->requests[0].request.keys[0], 2u);
  below->sent[0]->Answer();
  EXPECT_TRUE(link.WaitUntil(sent, 0).ok());
}

}  // namespace
}  // namespace ps
