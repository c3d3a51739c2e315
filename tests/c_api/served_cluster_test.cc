#include "c_api/served_cluster.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "ps/store.h"
#include "store/shared_store.h"
#include "tests/support/watchdog.h"

namespace ps::c_api {
namespace {

class ServedClusterTest : public testing::Test {
 protected:
  std::shared_ptr<ServedCluster> Started(int servers, int workers, KVController controller = nullptr) {
    LocalClusterOptions options;
    options.servers = servers;
    options.workers = workers;
    auto cluster = std::make_shared<ServedCluster>(options, std::move(controller));
    cluster->Start();
    return cluster;
  }

  Watchdog watchdog_;
};

TableSpec Ten() {
  TableSpec spec;
  spec.name = "ten";
  spec.rows = 10;
  return spec;
}

TEST_F(ServedClusterTest, ServesTablesUntilItsWorkersAreFinalized) {
  const auto cluster = Started(2, 2);
  {
    Store first(&cluster->worker(0));
    Store second(&cluster->worker(1));
    const std::vector<float> ones(10, 1.0F);
    first.Create(Ten())->Add(Rows::All(), ones.data());
    std::vector<float> read(10);
    second.Create(Ten())->Get(Rows::All(), read.data());
    EXPECT_EQ(read, ones);
  }
  EXPECT_EQ(cluster->Finalize(), Status::Ok());
  EXPECT_TRUE(cluster->is_closed());
  EXPECT_EQ(cluster->Finalize().code(), StatusCode::kFailedPrecondition);
}

TEST_F(ServedClusterTest, WorkersThatFinalizeThemselvesAreNotWaitedForTwice) {
  const auto cluster = Started(1, 2);
  std::thread other([&] { EXPECT_EQ(cluster->worker(1).TryFinalize(0, true), Status::Ok()); });
  EXPECT_EQ(cluster->worker(0).TryFinalize(0, true), Status::Ok());
  other.join();
  EXPECT_EQ(cluster->Finalize(), Status::Ok());
}

TEST_F(ServedClusterTest, ClosingEndsWhatIsUnderWayAndNodesStay) {
  const auto cluster = Started(1, 2);
  // It is closed itself, or hears first that another one was.
  std::thread waiting([&] {
    const StatusCode code = cluster->worker(0).TryBarrier(0, 4).code();
    EXPECT_TRUE(code == StatusCode::kCancelled || code == StatusCode::kUnavailable ||
                code == StatusCode::kFailedPrecondition)
        << StatusCodeName(code);
  });
  cluster->Close();
  waiting.join();
  cluster->Close();
  EXPECT_EQ(cluster->worker(0).num_workers(), 0);
}

TEST_F(ServedClusterTest, ItsNodesKnowIt) {
  auto cluster = Started(1, 1);
  EXPECT_EQ(ServedCluster::Of(&cluster->worker(0)).value(), cluster);
  Postoffice stranger{Config()};
  EXPECT_EQ(ServedCluster::Of(&stranger).value(), nullptr);
}

TEST_F(ServedClusterTest, ItsServersAnswerCommandsAndACallbackCanNotEndIt) {
  std::weak_ptr<ServedCluster> known;
  std::string heard;
  const auto cluster = Started(1, 1, [&](int head, const std::string& body) {
    heard = std::to_string(head) + body;
    known.lock()->CheckMayEnd();
  });
  known = cluster;
  {
    const auto store = SharedStore::Of(&cluster->worker(0));
    const int asked = store->commands().Request(7, "hello", 2);
    const Status answered = store->commands().WaitFor(asked, std::chrono::seconds(60));
    EXPECT_EQ(answered.code(), StatusCode::kFailedPrecondition) << answered;
  }
  EXPECT_EQ(heard, "7hello");
  cluster->CheckMayEnd();
  EXPECT_EQ(cluster->Finalize(), Status::Ok());
}

TEST_F(ServedClusterTest, ANodeThatDoesNotStartEndsTheOthers) {
  LocalClusterOptions options;
  options.servers = 1;
  options.workers = 1;
  options.config.water_mark = -7;
  const auto cluster = std::make_shared<ServedCluster>(options, nullptr);
  EXPECT_THROW(cluster->Start(), Error);
}

}  // namespace
}  // namespace ps::c_api
