#include "store/shared_store.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/guarded.h"
#include "ps/local_cluster.h"
#include "ps/postoffice.h"
#include "ps/run_server.h"
#include "ps/store_server.h"
#include "store/command_server.h"
#include "store/network_link.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

class SharedStoreTest : public testing::Test {
 protected:
  SharedStoreTest() : cluster_(2, 2) { ThrowIfError(cluster_.Start()); }
  void Serve(const CommandServer::Controller& controller = nullptr) {
    for (int i = 0; i < 2; ++i) {
      servers_.push_back(std::make_unique<StoreServer>(&cluster_.server(i)));
      commands_.push_back(std::make_unique<CommandServer>(&cluster_.server(i), controller));
    }
  }

  Watchdog watchdog_;
  LocalCluster cluster_;
  std::vector<std::unique_ptr<StoreServer>> servers_;
  std::vector<std::unique_ptr<CommandServer>> commands_;
};

TEST_F(SharedStoreTest, IsOnePerNodeAsLongAsSomebodyHasIt) {
  Serve();
  std::shared_ptr<SharedStore> first = SharedStore::Of(&cluster_.worker(0));
  EXPECT_EQ(SharedStore::Of(&cluster_.worker(0)), first);
  const std::shared_ptr<SharedStore> other = SharedStore::Of(&cluster_.worker(1));
  EXPECT_NE(other, first);
  EXPECT_EQ(&first->node(), &cluster_.worker(0));
  EXPECT_EQ(first->store().num_workers(), 2);
  first.reset();
  const std::shared_ptr<SharedStore> anew = SharedStore::Of(&cluster_.worker(0));
  EXPECT_EQ(anew->store().rank(), 0);
}

TEST_F(SharedStoreTest, ThreadsThatComeAndGoNeverHaveTwo) {
  Serve();
  std::atomic<int> num_failed{0};
  const auto come_and_go = [&] {
    try {
      if (SharedStore::Of(&cluster_.worker(0))->store().num_servers() != 2) ++num_failed;
    } catch (const Error&) {
      ++num_failed;  // there is one already
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 50; ++k) come_and_go();
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(num_failed, 0);
}

TEST_F(SharedStoreTest, IsForWorkers) {
  try {
    static_cast<void>(SharedStore::Of(&cluster_.server(0)));
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), StatusCode::kFailedPrecondition);
    EXPECT_NE(std::string(error.what()).find("DMLC_ROLE"), std::string::npos);
  }
  Serve();
  EXPECT_EQ(SharedStore::Of(&cluster_.worker(0))->store().num_servers(), 2) << "a failure blocks nobody";
}

TEST_F(SharedStoreTest, CommandsReachEveryServer) {
  std::atomic<int> sum{0};
  Serve([&](int head, const std::string& body) { sum += head * static_cast<int>(body.size()); });
  const std::shared_ptr<SharedStore> store = SharedStore::Of(&cluster_.worker(0));
  store->commands().Wait(store->commands().Request(7, "abc", kServerGroup));
  EXPECT_EQ(sum, 2 * 21);
}

TEST_F(SharedStoreTest, AnUnknownCommandIsToldToWhoSentIt) {
  Serve();
  const std::shared_ptr<SharedStore> store = SharedStore::Of(&cluster_.worker(0));
  const int timestamp = store->commands().Request(77, "x", kServerGroup);
  const Status status = store->commands().WaitFor(timestamp, std::chrono::seconds(10));
  EXPECT_EQ(status.code(), StatusCode::kNotFound);
  EXPECT_NE(status.message().find("unknown command (77, x)"), std::string::npos) << status;
}

TEST_F(SharedStoreTest, ACallbackIsRefusedTheStoreThatWaitsForIt) {
  Serve();
  Postoffice* const node = &cluster_.worker(0);
  std::shared_ptr<SharedStore> store = SharedStore::Of(node);
  const std::weak_ptr<SharedStore> going = store;
  std::promise<StatusCode> refused;
  std::promise<void> runs;
  store->store().EraseTable("none").Then([&](const Status&) {
    runs.set_value();
    while (!going.expired()) std::this_thread::yield();
    refused.set_value(Guarded([&] {
                        SharedStore::Of(node);
                        return Status::Ok();
                      }).code());
  });
  runs.get_future().wait();
  store.reset();
  EXPECT_EQ(refused.get_future().get(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(SharedStore::Of(node)->store().rank(), 0) << "afterwards there is one again";
}

TEST(SharedStoreNodeTest, ANodeThatWasStartedForNothingLeaves) {
  Watchdog watchdog;
  LocalCluster cluster(1, 1);
  std::atomic<int> num_ended{0};
  cluster.RunProgram([&](Postoffice& node) {
    if (!node.is_worker()) return RunServer(nullptr, &node);
    // The app's place is taken, so the store can not be made.
    const SimpleApp taken(&node, kStoreApp, 0);
    EXPECT_THROW(SharedStore::Of(&node), Error);
    num_ended += node.num_workers() == 0 ? 1 : 0;
  });
  EXPECT_EQ(num_ended, 1);
}

// A program that closes the store has no way to leave its tables any more: that ends nothing but the job.
TEST(SharedStoreNodeTest, AStoreThatWasClosedEndsItsNodeAllTheSame) {
  Watchdog watchdog;
  LocalCluster cluster(1, 1);
  std::atomic<int> num_ended{0};
  cluster.RunProgram([&](Postoffice& node) {
    if (!node.is_worker()) return RunServer(nullptr, &node);
    std::shared_ptr<SharedStore> store = SharedStore::Of(&node);
    TableSpec spec;
    spec.name = "w";
    spec.rows = 4;
    spec.consistency = Consistency::Bsp();
    const std::shared_ptr<StoreTable> table = store->store().Create(spec);
    store->LeaveAtEnd("w", [table] { return table->Leave(); });
    store->store().Close();
    store.reset();
    num_ended += node.num_workers() == 0 ? 1 : 0;
  });
  EXPECT_EQ(num_ended, 1);
}

TEST_F(SharedStoreTest, TablesAreNotLeftWhereTheProgramEndsTheNode) {
  Serve();
  SharedStore::Of(&cluster_.worker(0))->LeaveAtEnd("w", []() -> Ticket {
    ADD_FAILURE() << "was left";
    return Ticket();
  });
}

TEST(SharedStoreNodeTest, ANodeThatWasNotStartedIsStartedAndEndsWithTheLastStore) {
  Watchdog watchdog;
  LocalCluster cluster(1, 2);
  std::atomic<int> num_workers{0};
  std::atomic<int> num_left{0};
  cluster.RunProgram([&](Postoffice& node) {
    if (!node.is_worker()) {
      node.Start(0, nullptr, true);
      std::unique_ptr<StoreServer> server;
      if (node.is_server()) server = std::make_unique<StoreServer>(&node);
      node.Finalize(0, true);
      return;
    }
    const std::shared_ptr<SharedStore> store = SharedStore::Of(&node);
    store->store().Barrier();
    num_workers += store->store().num_workers();
    store->LeaveAtEnd("w", [] {
      ADD_FAILURE() << "a later one took its place";
      return Ticket();
    });
    store->LeaveAtEnd("w", [&num_left] {
      ++num_left;
      return Ticket();
    });
  });
  EXPECT_EQ(num_workers, 4);
  EXPECT_EQ(num_left, 2);
}

}  // namespace
}  // namespace ps
