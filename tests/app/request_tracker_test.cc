#include "app/request_tracker.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <random>
#include <set>

namespace ps {
namespace {

constexpr int64_t kNever = std::numeric_limits<int64_t>::max();
constexpr int kMaxTimestamp = std::numeric_limits<int>::max();
using Verdict = RequestTracker::Expectation;
using Taker = RequestTracker::Taker;

int Issue(RequestTracker* tracker, std::vector<int> receivers, bool lent = false) {
  return tracker->Issue({std::move(receivers), nullptr, lent}, 0, 0);
}

// Finishes what is done, in order; returns the timestamps.
std::vector<int> FinishDone(RequestTracker* tracker) {
  std::vector<int> finished;
  while (auto done = tracker->TakeDone()) {
    tracker->Finish(*done, done->status);
    finished.push_back(done->timestamp);
  }
  return finished;
}

TEST(RequestTrackerTest, CountsTimestampsFromZero) {
  RequestTracker tracker;
  EXPECT_EQ(Issue(&tracker, {8}), 0);
  EXPECT_EQ(Issue(&tracker, {8}), 1);
  EXPECT_EQ(Issue(&tracker, {8}), 2);
}

TEST(RequestTrackerTest, IsDoneWhenEveryReceiverHasAnswered) {
  RequestTracker tracker;
  const int ts = Issue(&tracker, {8, 10});
  tracker.Answer(ts, 10, Status::Ok());
  EXPECT_FALSE(tracker.TakeDone());
  EXPECT_EQ(tracker.Look(ts).num_answers, 1);
  tracker.Answer(ts, 8, Status::Ok());
  EXPECT_FALSE(tracker.Look(ts).finished);
  EXPECT_EQ(FinishDone(&tracker), std::vector<int>{ts});
  EXPECT_TRUE(tracker.Look(ts).finished);
  EXPECT_EQ(tracker.Look(ts).num_answers, 2);
  EXPECT_TRUE(tracker.finished().TellOutcome(ts).ok());
  EXPECT_EQ(tracker.counts().live, 0u);
}

int IssueDirect(RequestTracker* tracker, std::vector<int> receivers) {
  return tracker->Issue({std::move(receivers), nullptr, false, true}, 0, 0);
}

TEST(RequestTrackerTest, OnlyTheReceiverClaimsAndOnlyDirectRequests) {
  RequestTracker tracker;
  const int direct = IssueDirect(&tracker, {8});
  const int other = Issue(&tracker, {8});
  EXPECT_FALSE(tracker.Judge(direct, 8).claimed);
  EXPECT_FALSE(tracker.Judge(other, 8, Taker::kReceiver).claimed);
  EXPECT_FALSE(tracker.Judge(direct, 10, Taker::kReceiver).claimed) << "not asked";
  EXPECT_TRUE(tracker.Judge(direct, 8, Taker::kReceiver).claimed);
}

TEST(RequestTrackerTest, WhoTakesTheLastAnswerFinishesADirectRequest) {
  RequestTracker tracker;
  const int before = Issue(&tracker, {8});
  const int ts = IssueDirect(&tracker, {8, 10});
  ASSERT_TRUE(tracker.Judge(ts, 10, Taker::kReceiver).claimed);
  EXPECT_FALSE(tracker.Answer(ts, 10, Status::Ok(), Taker::kReceiver).done.has_value());
  ASSERT_TRUE(tracker.Judge(ts, 8, Taker::kReceiver).claimed);
  const RequestTracker::Answered answered = tracker.Answer(ts, 8, Status::Ok(), Taker::kReceiver);
  ASSERT_TRUE(answered.done.has_value());
  EXPECT_FALSE(answered.left_done);
  EXPECT_EQ(answered.done->timestamp, ts);
  EXPECT_FALSE(tracker.TakeDone()) << "it is given out once, and the one before it is not done";
  tracker.Finish(*answered.done, answered.done->status);
  EXPECT_TRUE(tracker.Look(ts).finished);
  EXPECT_EQ(tracker.Look(ts).num_answers, 2);
  EXPECT_FALSE(tracker.Look(before).finished);
}

TEST(RequestTrackerTest, AClaimedRequestIsNotDoneBeforeItsAnswerIsTaken) {
  RequestTracker tracker;
  const int ts = IssueDirect(&tracker, {8});
  ASSERT_TRUE(tracker.Judge(ts, 8, Taker::kReceiver).claimed);
  tracker.Fail(ts, RequestTracker::kEveryNode, Status::Unavailable("lost"));
  tracker.Credit(ts, 1);
  EXPECT_FALSE(tracker.TakeDone()) << "its buffer is being written";
  const RequestTracker::Answered answered = tracker.Answer(ts, 8, Status::Ok(), Taker::kReceiver);
  ASSERT_TRUE(answered.done.has_value());
  EXPECT_EQ(answered.done->status, Status::Unavailable("lost"));
}

TEST(RequestTrackerTest, ADirectRequestThatIsLeftSomewhereIsTheThreads) {
  RequestTracker tracker;
  const int ts = IssueDirect(&tracker, {8, 10});
  ASSERT_TRUE(tracker.Judge(ts, 8, Taker::kReceiver).claimed);
  const RequestTracker::Answered answered =
      tracker.Answer(ts, 8, Status::InvalidArgument("the sizes do not fit"), Taker::kReceiver);
  EXPECT_FALSE(answered.done.has_value());
  EXPECT_TRUE(answered.left_done);
  const auto done = tracker.TakeDone();
  ASSERT_TRUE(done.has_value());
  EXPECT_TRUE(done->is_unanswered);
}

TEST(RequestTrackerTest, ARequestToNobodyIsDoneAtOnce) {
  RequestTracker tracker;
  const int ts = Issue(&tracker, {});
  EXPECT_EQ(FinishDone(&tracker), std::vector<int>{ts});
}

TEST(RequestTrackerTest, SecondAndForeignAnswersAreExtra) {
  RequestTracker tracker;
  const int ts = Issue(&tracker, {8, 10});
  EXPECT_EQ(tracker.Judge(ts, 8).verdict, Verdict::kExpected);
  tracker.Answer(ts, 8, Status::Ok());
  EXPECT_EQ(tracker.Judge(ts, 8).verdict, Verdict::kExtra);
  EXPECT_EQ(tracker.Judge(ts, 12).verdict, Verdict::kExtra);
  tracker.Answer(ts, 8, Status::Ok());
  tracker.Answer(ts, 12, Status::Ok());
  EXPECT_EQ(tracker.Look(ts).num_answers, 1);
  tracker.Answer(ts, 10, Status::Ok());
  FinishDone(&tracker);
  EXPECT_EQ(tracker.Judge(ts, 10).verdict, Verdict::kExtra);
  EXPECT_EQ(tracker.Judge(ts + 1, 10).verdict, Verdict::kUnknown);
  EXPECT_EQ(tracker.Judge(-1, 10).verdict, Verdict::kUnknown);
}

TEST(RequestTrackerTest, LateAnswersToAFailedRequestAreNoSurprise) {
  RequestTracker tracker;
  const int ts = Issue(&tracker, {8, 10});
  tracker.Fail(ts, 8, Status::Unavailable("gone"));
  EXPECT_EQ(tracker.Judge(ts, 10).verdict, Verdict::kLate);
  FinishDone(&tracker);
  EXPECT_EQ(tracker.Judge(ts, 10).verdict, Verdict::kLate);
}

TEST(RequestTrackerTest, TheFirstFailureIsTheOutcomeAndEndsACopiedRequest) {
  RequestTracker tracker;
  const int ts = Issue(&tracker, {8, 10});
  tracker.Answer(ts, 8, Status::InvalidArgument("first"));
  FinishDone(&tracker);
  EXPECT_EQ(tracker.finished().TellOutcome(ts).message(), "first");
}

TEST(RequestTrackerTest, AFailureEndsALentRequestOnlyWhenNoReceiverIsOpen) {
  RequestTracker tracker;
  const int ts = Issue(&tracker, {8, 10, 12}, true);
  tracker.Answer(ts, 8, Status::InvalidArgument("first"));
  tracker.Fail(ts, 10, Status::Unavailable("second"));
  EXPECT_FALSE(tracker.TakeDone());
  EXPECT_EQ(tracker.Judge(ts, 12).verdict, Verdict::kExpected);
  tracker.Answer(ts, 12, Status::Ok());
  FinishDone(&tracker);
  EXPECT_EQ(tracker.finished().TellOutcome(ts).message(), "first");
}

TEST(RequestTrackerTest, CreditsCountLikeAnswers) {
  RequestTracker tracker;
  const int ts = Issue(&tracker, {8, 10, 12});
  EXPECT_TRUE(tracker.Credit(ts, 2));
  EXPECT_FALSE(tracker.TakeDone());
  tracker.Answer(ts, 12, Status::Ok());
  EXPECT_EQ(FinishDone(&tracker), std::vector<int>{ts});
  EXPECT_EQ(tracker.Look(ts).num_answers, 3);
  EXPECT_FALSE(tracker.Credit(ts, 1));
}

TEST(RequestTrackerTest, ALostNodeFailsThoseThatExpectIt) {
  RequestTracker tracker;
  const int to_8 = Issue(&tracker, {8});
  const int to_10 = Issue(&tracker, {10});
  const int to_both = Issue(&tracker, {8, 10});
  tracker.Fail(RequestTracker::kEveryRequest, 8, Status::Unavailable("server 0"));
  EXPECT_EQ(FinishDone(&tracker), (std::vector<int>{to_8, to_both}));
  EXPECT_EQ(tracker.finished().TellOutcome(to_both).code(), StatusCode::kUnavailable);
  EXPECT_FALSE(tracker.Look(to_10).finished);
  tracker.Fail(RequestTracker::kEveryRequest, RequestTracker::kEveryNode, Status::Cancelled("closed"));
  EXPECT_EQ(FinishDone(&tracker), std::vector<int>{to_10});
  EXPECT_EQ(tracker.finished().TellOutcome(to_10).code(), StatusCode::kCancelled);
}

TEST(RequestTrackerTest, DoneRequestsComeInOrderOfIssue) {
  RequestTracker tracker;
  for (int i = 0; i < 4; ++i) Issue(&tracker, {8});
  for (int ts : {3, 0, 2}) tracker.Answer(ts, 8, Status::Ok());
  EXPECT_EQ(FinishDone(&tracker), (std::vector<int>{0, 2, 3}));
  tracker.Answer(1, 8, Status::Ok());
  EXPECT_EQ(FinishDone(&tracker), std::vector<int>{1});
}

TEST(RequestTrackerTest, DeadlinesNameThoseThatAreSilent) {
  RequestTracker tracker;
  EXPECT_EQ(tracker.next_deadline_ms(), kNever);
  const int first = tracker.Issue({{8, 10}, nullptr, true}, 1000, 500);
  tracker.Issue({{8}, nullptr, false}, 1200, 500);
  EXPECT_EQ(tracker.next_deadline_ms(), 1500);
  tracker.Answer(first, 8, Status::Ok());
  EXPECT_TRUE(tracker.TakeOverdue(1499).empty());
  const auto overdue = tracker.TakeOverdue(1600);
  ASSERT_EQ(overdue.size(), 1u);
  EXPECT_EQ(overdue[0].timestamp, first);
  EXPECT_EQ(overdue[0].age_ms, 600);
  EXPECT_EQ(overdue[0].silent, std::vector<int>{10});
  tracker.Fail(first, RequestTracker::kEveryNode, Status::DeadlineExceeded("late"));
  EXPECT_EQ(FinishDone(&tracker), std::vector<int>{first});
  EXPECT_EQ(tracker.next_deadline_ms(), 1700);
}

TEST(RequestTrackerTest, ATimeoutOfZeroIsNone) {
  RequestTracker tracker;
  Issue(&tracker, {8});
  EXPECT_EQ(tracker.next_deadline_ms(), kNever);
  EXPECT_TRUE(tracker.TakeOverdue(kNever - 1).empty());
}

TEST(RequestTrackerTest, GoesOnAtZeroPastLiveRequests) {
  RequestTracker tracker(kMaxTimestamp - 1);
  EXPECT_EQ(Issue(&tracker, {8}), kMaxTimestamp - 1);
  EXPECT_EQ(Issue(&tracker, {8}), kMaxTimestamp);
  EXPECT_EQ(Issue(&tracker, {8}), 0);
  tracker.Fail(0, 8, Status::Unavailable("old life"));
  FinishDone(&tracker);
  // Round again: 0 is free, the last two are live.
  RequestTracker second(kMaxTimestamp);
  EXPECT_EQ(Issue(&second, {8}), kMaxTimestamp);
  EXPECT_EQ(Issue(&second, {8}), 0);
}

TEST(RequestTrackerTest, PassesLiveRequestsWhenItGoesOnAtZero) {
  RequestTracker tracker(kMaxTimestamp - 2);
  const int old = Issue(&tracker, {8});
  const int last = Issue(&tracker, {10});
  EXPECT_EQ(Issue(&tracker, {10}), kMaxTimestamp);
  EXPECT_EQ(Issue(&tracker, {10}), 0);
  EXPECT_EQ(tracker.Judge(old, 8).verdict, Verdict::kExpected);
  EXPECT_EQ(tracker.Judge(0, 10).verdict, Verdict::kExpected);
  tracker.Fail(RequestTracker::kEveryRequest, 10, Status::Unavailable("server 1"));
  EXPECT_EQ(FinishDone(&tracker), (std::vector<int>{last, kMaxTimestamp, 0})) << "in order of issue";
  tracker.Answer(old, 8, Status::Ok());
  EXPECT_EQ(FinishDone(&tracker), std::vector<int>{old});
}

// More open requests than any table begins with, and one that is never answered while all others pass.
TEST(RequestTrackerTest, KeepsAnyNumberOfOpenRequests) {
  constexpr int kOpen = 5000;
  RequestTracker tracker;
  const int old = tracker.Issue({{8}, nullptr, false}, 0, 100);
  for (int i = 0; i < kOpen; ++i) tracker.Issue({{8, 10}, nullptr, false}, i, 100);
  for (int ts = old + 1; ts <= kOpen; ++ts) tracker.Answer(ts, 10, Status::Ok());
  EXPECT_EQ(tracker.TakeOverdue(kOpen + 200).size(), static_cast<std::size_t>(kOpen + 1));
  for (int ts = kOpen; ts > old; --ts) tracker.Answer(ts, 8, Status::Ok());
  const std::vector<int> finished = FinishDone(&tracker);
  ASSERT_EQ(finished.size(), static_cast<std::size_t>(kOpen));
  EXPECT_TRUE(std::is_sorted(finished.begin(), finished.end()));
  for (int i = 0; i < 100000; ++i) {
    tracker.Answer(Issue(&tracker, {8}), 8, Status::Ok());
    ASSERT_EQ(FinishDone(&tracker).size(), 1u);
  }
  EXPECT_EQ(tracker.counts().live, 1u);
  EXPECT_EQ(tracker.next_deadline_ms(), 100);
  EXPECT_EQ(tracker.Judge(old, 8).verdict, Verdict::kExpected);
}

TEST(RequestTrackerTest, FailuresInTheMiddleLeaveTheOthersInOrder) {
  RequestTracker tracker;
  for (int i = 0; i < 6; ++i) tracker.Issue({{8}, nullptr, false}, i, 1000);
  for (int ts : {4, 1, 0}) tracker.Fail(ts, 8, Status::Unavailable("x"));
  EXPECT_EQ(FinishDone(&tracker), (std::vector<int>{0, 1, 4}));
  EXPECT_EQ(tracker.next_deadline_ms(), 1002);
}

using Counted = RequestTracker::Counted;

Counted AnswerAtOnce(RequestTracker* tracker, int timestamp, int node) {
  return tracker->Judge(timestamp, node, Taker::kReceiverAtOnce).counted;
}

TEST(RequestTrackerTest, AnAnswerThatIsCountedAtOnceFinishesTheRequestWithTheLastOne) {
  RequestTracker tracker;
  const int ts = IssueDirect(&tracker, {8, 10});
  EXPECT_EQ(AnswerAtOnce(&tracker, ts, 10), Counted::kOpen);
  EXPECT_EQ(AnswerAtOnce(&tracker, ts, 10), Counted::kNot) << "twice";
  EXPECT_FALSE(tracker.Look(ts).finished);
  EXPECT_EQ(AnswerAtOnce(&tracker, ts, 8), Counted::kFinished);
  EXPECT_TRUE(tracker.Look(ts).finished);
  EXPECT_EQ(tracker.Look(ts).num_answers, 2);
  EXPECT_EQ(tracker.counts().live, 0u);
  EXPECT_FALSE(tracker.TakeDone());
}

TEST(RequestTrackerTest, NothingIsCountedAtOnceWithASinkOrUserCode) {
  RequestTracker tracker;
  const int with_callback = Issue(&tracker, {8});
  const int with_sink = tracker.Issue({{8}, std::make_shared<RequestSink>(), false, true}, 0, 0);
  const int claimed = IssueDirect(&tracker, {8, 10});
  ASSERT_TRUE(tracker.Judge(claimed, 8, Taker::kReceiver).claimed);
  EXPECT_EQ(AnswerAtOnce(&tracker, with_callback, 8), Counted::kNot);
  EXPECT_EQ(tracker.Judge(with_callback, 8).verdict, Verdict::kExpected);
  EXPECT_EQ(AnswerAtOnce(&tracker, with_sink, 8), Counted::kNot);
  EXPECT_EQ(AnswerAtOnce(&tracker, claimed, 10), Counted::kNot) << "another answer is being taken";
  EXPECT_EQ(AnswerAtOnce(&tracker, 99, 8), Counted::kNot) << "nobody has asked";
}

TEST(RequestTrackerTest, WhatIsFinishedAtOnceTellsOfWhatFailedBefore) {
  RequestTracker tracker;
  const int lent = tracker.Issue({{8, 10}, nullptr, true, true}, 0, 0);
  tracker.Fail(lent, 8, Status::Unavailable("lost"));
  EXPECT_EQ(AnswerAtOnce(&tracker, lent, 10), Counted::kFinished);
  EXPECT_EQ(tracker.finished().TellOutcome(lent), Status::Unavailable("lost"));
}

TEST(RequestTrackerTest, WhatIsLeftAfterCreditsIsTheThreads) {
  RequestTracker tracker;
  const int ts = IssueDirect(&tracker, {8, 10, 12});
  tracker.Credit(ts, 1);
  EXPECT_EQ(AnswerAtOnce(&tracker, ts, 8), Counted::kOpen);
  EXPECT_EQ(AnswerAtOnce(&tracker, ts, 10), Counted::kLeftDone);
  EXPECT_EQ(FinishDone(&tracker), std::vector<int>{ts});
}

TEST(RequestTrackerTest, SinksGoWithTheirRequest) {
  RequestTracker tracker;
  auto sink = std::make_shared<RequestSink>();
  const std::weak_ptr<RequestSink> seen = sink;
  const int ts = tracker.Issue({{8}, std::move(sink)}, 0, 0);
  EXPECT_EQ(tracker.Judge(ts, 8).sink, seen.lock());
  tracker.Answer(ts, 8, Status::Ok());
  FinishDone(&tracker);
  EXPECT_TRUE(seen.expired());
}

// Random events against a model that is a set of nodes per request.
class RandomRequests {
 public:
  explicit RandomRequests(unsigned seed) : random_(seed) {}

  void Step() {
    if (model_.empty() || random_() % 3 == 0) IssueOne();
    auto chosen = std::next(model_.begin(), static_cast<long>(random_() % model_.size()));
    const int node = RandomNode();
    const bool expected = chosen->second.count(node) != 0;
    ASSERT_EQ(tracker_.Judge(chosen->first, node).verdict == Verdict::kExpected, expected);
    const bool fails = random_() % 10 == 0;
    if (fails && expected) failed_.insert(chosen->first);
    if (fails) tracker_.Fail(chosen->first, node, Status::Unavailable("x"));
    if (!fails) tracker_.Answer(chosen->first, node, Status::Ok());
    chosen->second.erase(node);
    if (!chosen->second.empty()) return;
    ASSERT_EQ(FinishDone(&tracker_), std::vector<int>{chosen->first});
    ASSERT_EQ(!tracker_.finished().TellOutcome(chosen->first).ok(), failed_.count(chosen->first) != 0);
    model_.erase(chosen);
    ASSERT_EQ(tracker_.counts().live, model_.size());
  }

 private:
  int RandomNode() { return 8 + 2 * static_cast<int>(random_() % 5); }

  void IssueOne() {
    std::set<int> receivers;
    for (int i = 0; i < 3; ++i) receivers.insert(RandomNode());
    model_[Issue(&tracker_, {receivers.begin(), receivers.end()}, true)] = receivers;
  }

  std::mt19937 random_;
  RequestTracker tracker_;
  std::map<int, std::set<int>> model_;  // who has not answered
  std::set<int> failed_;
};

TEST(RequestTrackerTest, AgreesWithANaiveModelUnderRandomEvents) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomRequests requests(seed);
    for (int step = 0; step < 2000 && !testing::Test::HasFatalFailure(); ++step) requests.Step();
  }
}

TEST(RequestTrackerTest, ALossConcernsWhatWasIssuedBeforeIt) {
  RequestTracker tracker;
  const int before = Issue(&tracker, {8});
  const int other = Issue(&tracker, {10});
  const int after = Issue(&tracker, {8});
  tracker.Fail(RequestTracker::kEveryRequest, 8, Status::Unavailable("lost"), 2);
  EXPECT_EQ(FinishDone(&tracker), std::vector<int>{before});
  EXPECT_EQ(tracker.finished().TellOutcome(before), Status::Unavailable("lost"));
  tracker.Answer(after, 8, Status::Ok());
  tracker.Answer(other, 10, Status::Ok());
  EXPECT_EQ(FinishDone(&tracker), (std::vector<int>{other, after}));
}

}  // namespace
}  // namespace ps
