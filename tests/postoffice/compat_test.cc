#include "postoffice/compat.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "base/thread.h"
#include "ps/environment.h"
#include "ps/local_cluster.h"
#include "tests/support/fake_mailbox.h"
#include "tests/support/watchdog.h"
#include "transport/inproc/inproc_transport.h"

namespace ps {
namespace {

// A scheduler and a server that any number of customer ids of one worker program join.
class LegacyProcessTest : public testing::Test {
 protected:
  explicit LegacyProcessTest(int ids = 2) {
    options_.servers = 1;
    options_.workers = 1;
    options_.ids_per_worker = ids;
    cluster_ = std::make_unique<LocalCluster>(options_);
  }

  // Runs `program` as the worker; the others start and finalize once.
  void Run(const std::function<void(Postoffice&)>& program) {
    cluster_->RunProgram([&](Postoffice& node) {
      if (node.is_worker()) {
        program(node);
        return;
      }
      node.Start(0, nullptr, true);
      node.Finalize(0, true);
    });
  }
  static void OnThreads(const std::vector<int>& ids, Postoffice* process,
                        const std::function<void(int)>& step) {
    std::vector<std::unique_ptr<Thread>> threads;
    for (int id : ids) {
      threads.push_back(std::make_unique<Thread>("id", [=] {
        const ScopedPostoffice bound(process);
        step(id);
      }));
    }
  }

  Watchdog watchdog_;
  LocalClusterOptions options_;
  std::unique_ptr<LocalCluster> cluster_;
};

TEST_F(LegacyProcessTest, EveryStartedIdIsANodeOfItsOwn) {
  Run([](Postoffice& node) {
    std::mutex mutex;
    std::map<int, int> rank_of;
    OnThreads({7, 3}, &node, [&](int id) {
      LegacyProcess& process = LegacyProcess::OfThread();
      ThrowIfError(process.Start(id, nullptr, true));
      Postoffice* const mine = Postoffice::Get();
      EXPECT_EQ(process.Find(id), mine) << "the thread is bound to it";
      EXPECT_EQ(mine->num_workers(), 2);
      EXPECT_EQ(mine->van()->my_node().customer_id, id);
      {
        std::lock_guard<std::mutex> lock(mutex);
        rank_of[id] = mine->my_rank();
      }
      ThrowIfError(process.Finalize(id, true));
      EXPECT_EQ(process.Find(id), nullptr);
    });
    EXPECT_NE(rank_of[3], rank_of[7]);
    EXPECT_EQ(rank_of[3] + rank_of[7], 1);
  });
}

TEST_F(LegacyProcessTest, TheFirstIdTakesTheDefaultNode) {
  Run([](Postoffice& node) {
    LegacyProcess& process = LegacyProcess::OfThread();
    Status second;
    {
      Thread other("other", [&] {
        const ScopedPostoffice bound(&node);
        while (process.Find(5) == nullptr) std::this_thread::yield();
        second = process.Start(9, nullptr, true);
      });
      ThrowIfError(process.Start(5, nullptr, true));
    }
    EXPECT_TRUE(second.ok());
    EXPECT_EQ(process.Find(5), &node);
    EXPECT_NE(process.Find(9), &node);
    EXPECT_EQ(process.NodeFor(9), process.Find(9));
    EXPECT_EQ(process.NodeFor(1), &node) << "never started: the thread's node";
    EXPECT_EQ(process.Start(9, nullptr, true).message(), "customer id 9 has been started already");
    OnThreads({5, 9}, &node, [&](int id) { ThrowIfError(process.Finalize(id, true)); });
    EXPECT_EQ(process.Finalize(9, true).message(), "customer id 9 was not started");
  });
}

TEST_F(LegacyProcessTest, AnIdKeepsItsRankOverRestarts) {
  std::map<int, int> rank_of;
  for (const std::vector<int>& order :
       {std::vector<int>{0, 1}, std::vector<int>{1, 0}, std::vector<int>{0, 1}}) {
    Run([&](Postoffice& node) {
      LegacyProcess& process = LegacyProcess::OfThread();
      {
        Thread late("late", [&] {
          const ScopedPostoffice bound(&node);
          while (process.Find(order[0]) == nullptr) std::this_thread::yield();
          ThrowIfError(process.Start(order[1], nullptr, true));
        });
        ThrowIfError(process.Start(order[0], nullptr, true));
      }
      for (int id : order) {
        const int rank = process.Find(id)->my_rank();
        EXPECT_EQ(rank_of.emplace(id, rank).first->second, rank) << "id " << id;
      }
      OnThreads(order, &node, [&](int id) { ThrowIfError(process.Finalize(id, true)); });
    });
  }
}

class LegacyProcessOfOneTest : public LegacyProcessTest {
 protected:
  LegacyProcessOfOneTest() : LegacyProcessTest(1) {}
};

TEST_F(LegacyProcessOfOneTest, AnUndecidedMailboxMovesToTheNodeOfItsId) {
  FakeMailbox early(0, 4);
  FakeMailbox decided(1, 4);
  FakeMailbox other(0, 5);
  Postoffice elsewhere{Config()};
  Run([&](Postoffice& node) {
    LegacyProcess& process = LegacyProcess::OfThread();
    for (FakeMailbox* mailbox : {&early, &decided, &other}) {
      ThrowIfError(elsewhere.Attach(mailbox));
      process.AddUndecided(mailbox, &elsewhere);
    }
    process.Decide(&decided);
    ThrowIfError(process.Start(4, nullptr, true));
    EXPECT_EQ(early.moved_to, &node);
    EXPECT_EQ(decided.moved_to, nullptr);
    EXPECT_EQ(other.moved_to, nullptr);
    EXPECT_EQ(node.Attach(&early).code(), StatusCode::kAlreadyExists);
    EXPECT_TRUE(elsewhere.Attach(&early).ok()) << "it has left";
    elsewhere.Detach(&early);
    ThrowIfError(process.Finalize(4, true));
    node.Detach(&early);
  });
  elsewhere.Detach(&decided);
  elsewhere.Detach(&other);
}

TEST_F(LegacyProcessOfOneTest, AMailboxThatCannotMoveFailsTheStartAndLeavesTheIdFree) {
  FakeMailbox early(0, 4);
  FakeMailbox there(0, 4);
  Postoffice elsewhere{Config()};
  Run([&](Postoffice& node) {
    LegacyProcess& process = LegacyProcess::OfThread();
    ThrowIfError(node.Attach(&there));
    ThrowIfError(elsewhere.Attach(&early));
    process.AddUndecided(&early, &elsewhere);
    EXPECT_EQ(process.Start(4, nullptr, true).code(), StatusCode::kAlreadyExists);
    EXPECT_EQ(process.Find(4), nullptr);
    ThrowIfError(process.Start(4, nullptr, true));
    ThrowIfError(process.Finalize(4, true));
    node.Detach(&there);
  });
}

TEST_F(LegacyProcessOfOneTest, CallsThatNameAnIdFindItsNodeFromAnyThread) {
  Run([&](Postoffice& node) {
    LegacyProcess& process = LegacyProcess::OfThread();
    ThrowIfError(process.Start(4, nullptr, true));
    Thread stranger("stranger", [&] {
      EXPECT_EQ(process.Find(4), &node);
      EXPECT_EQ(process.Current(), &node) << "not bound: the default one";
    });
    stranger.Join();
    ThrowIfError(process.Finalize(4, true));
  });
}

// F-13, R: what the library writes to DMLC_RANK is told to the program and is no wish.
TEST(LegacyEnvironmentTest, PublishesTheRankOnce) {
  Watchdog watchdog;
  const auto hub = std::make_shared<Hub>();
  const VanFactory factory = [hub](const Config& config) -> Result<std::unique_ptr<Van>> {
    return std::make_unique<Van>(
        config, [hub](uint64_t) -> Result<std::unique_ptr<Transport>> { return MakeInprocTransport(hub); });
  };
  const auto map_of = [](const std::string& role) {
    return Environment::Map{{"DMLC_ROLE", role},        {"DMLC_NUM_WORKER", "0"},
                            {"DMLC_NUM_SERVER", "2"},   {"DMLC_PS_ROOT_URI", "inproc"},
                            {"DMLC_PS_ROOT_PORT", "1"}, {"DMLC_NODE_HOST", "inproc"}};
  };
  std::vector<std::unique_ptr<Environment>> environments;
  std::vector<std::unique_ptr<Postoffice>> nodes;
  for (const char* role : {"scheduler", "server", "server"}) {
    environments.push_back(std::make_unique<Environment>(map_of(role), Environment::Fallback::kMapOnly));
    nodes.push_back(std::make_unique<Postoffice>(environments.back().get(), factory));
  }
  for (int round = 0; round < 2; ++round) {
    std::vector<std::unique_ptr<Thread>> threads;
    for (const auto& node : nodes) {
      threads.push_back(std::make_unique<Thread>("node", [&node] {
        EXPECT_EQ(node->TryStart(0, nullptr, true), Status::Ok());
        EXPECT_EQ(node->TryFinalize(0, true), Status::Ok());
      }));
    }
  }
  for (size_t i = 1; i < nodes.size(); ++i) {
    EXPECT_EQ(environments[i]->find("DMLC_RANK"), std::to_string(nodes[i]->my_rank()));
    EXPECT_TRUE(environments[i]->IsPublished("DMLC_RANK"));
  }
  EXPECT_NE(nodes[1]->my_rank(), nodes[2]->my_rank());
}

}  // namespace
}  // namespace ps
