#include "collective/collective_node.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "ps/collective.h"
#include "tests/support/mortal_cluster.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

TensorView ViewOf(std::vector<std::int32_t>* values) {
  TensorView view;
  view.data = values->data();
  view.shape = {static_cast<std::int64_t>(values->size())};
  view.dtype = DType::kI32;
  return view;
}

Status Sum(Postoffice* node, std::vector<std::int32_t>* values) {
  try {
    Collective::Of(node)->Allreduce(ViewOf(values));
  } catch (const Error& error) {
    return error.status();
  }
  return Status::Ok();
}

// Ranks are lost, and others take their places.
class CollectiveNodeTest : public testing::Test {
 protected:
  void Start(OnNodeLost on_node_lost) {
    cluster_.config.on_node_lost = on_node_lost;
    cluster_.AddAll();
    ThrowIfError(cluster_.StartAll());
  }
  Postoffice* Worker(std::size_t rank) { return &cluster_.at(1 + rank); }
  // Of these, each on its thread.
  std::vector<Status> SumOf(const std::vector<Postoffice*>& nodes, std::size_t count = 10) {
    std::vector<Status> outcomes(nodes.size());
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < nodes.size(); ++i)
      threads.emplace_back([&, i] {
        std::vector<std::int32_t> values(count, 1);
        do {
          values.assign(count, 1);
          outcomes[i] = Sum(nodes[i], &values);
        } while (tries_again_ && outcomes[i].code() == StatusCode::kUnavailable);
        const std::vector<std::int32_t> sum(count, static_cast<std::int32_t>(nodes.size()));
        EXPECT_TRUE(!outcomes[i].ok() || values == sum);
      });
    for (std::thread& thread : threads) thread.join();
    return outcomes;
  }
  static void ExpectLost(const Status& status) {
    EXPECT_EQ(status.code(), StatusCode::kUnavailable) << status;
    EXPECT_NE(status.message().find("worker 1 (id 11"), std::string::npos) << status;
  }
  // The first two sum while the third one does not come, and worker 1 is lost.
  void LoseOneUnderWay(std::size_t count) {
    std::vector<Status> outcomes(2);
    std::vector<std::thread> threads;
    for (const std::size_t rank : {std::size_t{0}, std::size_t{2}})
      threads.emplace_back([&, rank] {
        std::vector<std::int32_t> values(count, 1);
        outcomes[rank / 2] = Sum(Worker(rank), &values);
      });
    cluster_.Kill(Worker(1));
    for (std::thread& thread : threads) thread.join();
    for (const Status& status : outcomes) ExpectLost(status);
  }

  Watchdog watchdog_;
  MortalCluster cluster_{0, 3};
  bool tries_again_ = false;
};

TEST_F(CollectiveNodeTest, ALostRankIsNamedByWhatIsUnderWayAndWhatComes) {
  Start(OnNodeLost::kFail);
  for (const Status& status : SumOf({Worker(0), Worker(1), Worker(2)})) ThrowIfError(status);
  for (const std::size_t count : {std::size_t{10}, std::size_t{100000}}) {
    if (count == 10) LoseOneUnderWay(count);
    for (const Status& status : SumOf({Worker(0), Worker(2)}, count)) ExpectLost(status);
  }
}

TEST_F(CollectiveNodeTest, WhoTakesTheLostPlaceBeginsAnewWithTheOthers) {
  Start(OnNodeLost::kFail);
  for (const Status& status : SumOf({Worker(0), Worker(1), Worker(2)})) ThrowIfError(status);
  LoseOneUnderWay(100000);
  Postoffice& newcomer = cluster_.Add(Role::kWorker, 1);
  ThrowIfError(newcomer.TryStart(0, nullptr, true));
  tries_again_ = true;  // whoever has not heard of it yet
  for (const Status& status : SumOf({Worker(0), &newcomer, Worker(2)})) ThrowIfError(status);
}

// Whoever had begun before fails, and calls again; nobody is told anything before. (Nodes are looked for
// before another one is added.)
TEST_F(CollectiveNodeTest, WithWaitItGoesOnWhenThePlaceIsTaken) {
  Start(OnNodeLost::kWait);
  for (const Status& status : SumOf({Worker(0), Worker(1), Worker(2)})) ThrowIfError(status);
  tries_again_ = true;
  std::vector<std::thread> threads;
  for (const std::size_t rank : {std::size_t{0}, std::size_t{2}})
    threads.emplace_back([&, node = Worker(rank)] {
      std::vector<std::int32_t> values(100000, 1);
      Status status;
      do {
        status = Sum(node, &values);
        if (status.code() == StatusCode::kUnavailable) ExpectLost(status);
        if (!status.ok()) values.assign(values.size(), 1);
      } while (status.code() == StatusCode::kUnavailable);
      EXPECT_TRUE(status.ok()) << status;
      EXPECT_EQ(values, std::vector<std::int32_t>(values.size(), 3));
    });
  cluster_.Kill(Worker(1));
  Postoffice& newcomer = cluster_.Add(Role::kWorker, 1);
  ThrowIfError(newcomer.TryStart(0, nullptr, true));
  std::vector<std::int32_t> values(100000, 1);
  ThrowIfError(Sum(&newcomer, &values));
  EXPECT_EQ(values, std::vector<std::int32_t>(values.size(), 3));
  for (std::thread& thread : threads) thread.join();
}

// Whoever had begun before it heard of the loss calls again, and meets those who had not.
TEST_F(CollectiveNodeTest, WithShrinkTheOthersGoOn) {
  Start(OnNodeLost::kShrink);
  for (const Status& status : SumOf({Worker(0), Worker(1), Worker(2)})) ThrowIfError(status);
  tries_again_ = true;
  std::thread killer([this] { cluster_.Kill(Worker(1)); });
  for (const Status& status : SumOf({Worker(0), Worker(2)}, 100000)) ThrowIfError(status);
  killer.join();
  tries_again_ = false;
  for (const Status& status : SumOf({Worker(0), Worker(2)}, 100000)) ThrowIfError(status);
  EXPECT_EQ(Collective::Of(Worker(2))->size(), 2);
  EXPECT_EQ(Collective::Of(Worker(2))->rank(), 1);
}

// The others have given it up, and to it all of them are gone: it must not go on alone.
TEST_F(CollectiveNodeTest, WithShrinkWhoWasLostItselfIsToldSo) {
  Start(OnNodeLost::kShrink);
  for (const Status& status : SumOf({Worker(0), Worker(1), Worker(2)})) ThrowIfError(status);
  cluster_.Silence(Worker(1));
  tries_again_ = true;
  for (const Status& status : SumOf({Worker(0), Worker(2)})) ThrowIfError(status);
  tries_again_ = false;
  cluster_.Wake(Worker(1));
  for (int i = 0; i < 3; ++i) ExpectLost(SumOf({Worker(1)}).front());
  for (const Status& status : SumOf({Worker(0), Worker(2)})) ThrowIfError(status);
}

// Whatever comes is answered with an error, and nothing else happens.
TEST_F(CollectiveNodeTest, BytesThatMeanNothingAreRefused) {
  Start(OnNodeLost::kFail);
  for (const Status& status : SumOf({Worker(0), Worker(1), Worker(2)})) ThrowIfError(status);
  for (const std::string& body : {std::string(), std::string(56, '\xff'), std::string(5000, 'x')}) {
    Message message;
    message.meta.app_id = kCollectiveApp;
    message.meta.customer_id = kCollectiveApp;
    message.meta.request = true;
    message.meta.timestamp = 0;
    message.meta.head = 0;
    message.meta.recver = Postoffice::WorkerRankToID(0);
    message.meta.body = body;
    ThrowIfError(Worker(1)->Send(std::move(message), Postoffice::SentFrom::kCaller));
  }
  for (const Status& status : SumOf({Worker(0), Worker(1), Worker(2)})) ThrowIfError(status);
}

}  // namespace
}  // namespace ps
