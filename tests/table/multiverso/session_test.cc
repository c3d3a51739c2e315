#include "table/multiverso/session.h"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "ps/multiverso/array_table.h"
#include "ps/multiverso/create_table.h"
#include "ps/multiverso/process.h"
#include "tests/support/multiverso_job.h"
#include "tests/support/watchdog.h"

namespace multiverso {
namespace {

using ps::StatusCode;

class MultiversoSessionTest : public testing::Test {
 protected:
  ps::Watchdog watchdog_{std::chrono::seconds(60)};
};

TEST_F(MultiversoSessionTest, AProcessByItselfIsWorkerAndServer) {
  Session session;
  const ScopedSession bound(&session);
  EXPECT_TRUE(session.Start({}, {}, nullptr));
  EXPECT_EQ(MV_Rank(), 0);
  EXPECT_EQ(MV_Size(), 1);
  EXPECT_EQ(MV_NumWorkers(), 1);
  EXPECT_EQ(MV_NumServers(), 1);
  EXPECT_EQ(MV_WorkerId(), 0);
  EXPECT_EQ(MV_ServerId(), 0);
  EXPECT_EQ(MV_WorkerIdToRank(0), 0);
  EXPECT_EQ(StatusOf([] { MV_ServerIdToRank(1); }).code(), StatusCode::kInvalidArgument);
  MV_Barrier();
  std::vector<float> values = {1, 2};
  MV_Aggregate(values.data(), 2);
  EXPECT_EQ(values, (std::vector<float>{1, 2}));
  bool truth = true;
  for (const auto& call : std::vector<std::function<void()>>{[&] { MV_Aggregate(&truth, 1); },
                                                             [&] { MV_Aggregate(values.data(), -1); },
                                                             [] { MV_Aggregate<float>(nullptr, 1); }})
    EXPECT_EQ(StatusOf(call).code(), StatusCode::kInvalidArgument) << "as with several";
  MV_ShutDown();
}

TEST_F(MultiversoSessionTest, CallsOutsideAreErrorsThatNameMvInit) {
  Session session;
  const ScopedSession bound(&session);
  for (const auto& call : {+[] { MV_Rank(); }, +[] { MV_Barrier(); }, +[] { MV_ShutDown(); },
                           +[] { MV_CreateTable(ArrayTableOption<int>(1)); }}) {
    const ps::Status status = StatusOf(call);
    EXPECT_EQ(status.code(), StatusCode::kFailedPrecondition);
    EXPECT_NE(status.message().find("MV_Init"), std::string::npos) << status;
  }
  session.Start({}, {}, nullptr);
  EXPECT_EQ(StatusOf([&] { session.Start({}, {}, nullptr); }).code(), StatusCode::kFailedPrecondition);
  session.End();
  EXPECT_EQ(StatusOf([] { MV_Barrier(); }).code(), StatusCode::kFailedPrecondition);
}

TEST_F(MultiversoSessionTest, ItMayStartAgainAndTablesOfBeforeFail) {
  Session session;
  const ScopedSession bound(&session);
  session.Start({}, {}, nullptr);
  const std::unique_ptr<ArrayWorker<int>> old(MV_CreateTable(ArrayTableOption<int>(1)));
  const int one = 1;
  old->Add(&one, 1);
  session.End();
  EXPECT_EQ(StatusOf([&] { old->Add(&one, 1); }).code(), StatusCode::kFailedPrecondition);
  session.Start({}, {}, nullptr);
  const std::unique_ptr<ArrayWorker<int>> table(MV_CreateTable(ArrayTableOption<int>(1)));
  int value = -1;
  table->Get(&value, 1);
  EXPECT_EQ(value, 0) << "it is another one";
  session.End();
}

TEST_F(MultiversoSessionTest, RanksAreThoseOfProcessesWhateverTheirRoles) {
  const Processes processes = {{0, 1}, {1, -1}, {-1, 0}, {2, 2}};
  std::mutex mutex;
  std::set<int> ranks;
  RunJob(processes, {}, [&] {
    EXPECT_EQ(MV_Size(), 4);
    EXPECT_EQ(MV_NumWorkers(), 3);
    EXPECT_EQ(MV_NumServers(), 3);
    const ps::ProcessMembers own{MV_WorkerId(), MV_ServerId()};
    if (own.worker >= 0) {
      EXPECT_EQ(MV_WorkerIdToRank(own.worker), MV_Rank());
    }
    if (own.server >= 0) {
      EXPECT_EQ(MV_ServerIdToRank(own.server), MV_Rank());
    }
    EXPECT_EQ(MV_ServerIdToRank(0), 3) << "servers by themselves come last";
    EXPECT_EQ(MV_WorkerIdToRank(2), 2);
    int one = 1;
    EXPECT_NE(StatusOf([&] { MV_Aggregate(&one, 1); }).message().find("of the 4 of this job 3 have one"),
              std::string::npos);
    MV_Barrier();
    const std::lock_guard<std::mutex> lock(mutex);
    ranks.insert(MV_Rank());
  });
  EXPECT_EQ(ranks, (std::set<int>{0, 1, 2, 3}));
}

// tbl-vec-67, 68, with servers and without.
TEST_F(MultiversoSessionTest, AggregateSumsOverAllProcesses) {
  TableDefaults averaging;
  averaging.has_tables = false;
  for (const Processes& processes :
       {Processes{{0, 0}, {1, 1}, {2, 2}}, Processes{{0, -1}, {1, -1}, {2, -1}}}) {
    RunJob(processes, averaging, [] {
      std::vector<float> values = {1.0F + static_cast<float>(MV_Rank()), 2, 3};
      MV_Aggregate(values.data(), 3);
      EXPECT_EQ(values, (std::vector<float>{6, 6, 9}));
      int one = 1;
      MV_Aggregate(&one, 1);
      EXPECT_EQ(one, 3);
      double large = 0.25;
      MV_Aggregate(&large, 1);
      EXPECT_EQ(large, 0.75);
      char small[] = {1, 2};
      MV_Aggregate(small, 2);
      EXPECT_EQ(small[1], 6);
      EXPECT_EQ(StatusOf([] { MV_CreateTable(ArrayTableOption<int>(1)); }).code(),
                StatusCode::kFailedPrecondition);
    });
  }
}

TEST_F(MultiversoSessionTest, WhoAggregatesSomethingElseIsNamed) {
  RunJob({{0, 0}, {1, 1}}, {}, [] {
    std::vector<int> values(static_cast<std::size_t>(2 + MV_Rank()));
    const ps::Status status = StatusOf([&] { MV_Aggregate(values.data(), static_cast<int>(values.size())); });
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
    EXPECT_NE(status.message().find("allreduce of 2 i32"), std::string::npos) << status;
    EXPECT_NE(status.message().find("allreduce of 3 i32"), std::string::npos) << status;
  });
}

TEST_F(MultiversoSessionTest, WhoHasNoWorkerHasNoTables) {
  RunJob({{-1, 0}, {0, -1}}, {}, [] {
    const std::unique_ptr<ArrayWorker<int>> table(MV_CreateTable(ArrayTableOption<int>(3)));
    EXPECT_EQ(table != nullptr, MV_WorkerId() >= 0);
    const std::unique_ptr<ArrayWorker<float>> second(MV_CreateTable(ArrayTableOption<float>(1)));
    if (second != nullptr) {
      EXPECT_EQ(second->store_table().spec().name, TableName(1)) << "all count alike";
    }
    MV_Barrier();
  });
}

TEST_F(MultiversoSessionTest, TablesInAnotherOrderAreAnErrorThatSaysWhatDiffers) {
  std::mutex mutex;
  ps::Status refused;  // of whoever comes second
  const ps::Status job = StatusOf([&] {
    RunJob({{0, 0}, {1, 1}}, {}, [&] {
      const std::size_t size = MV_WorkerId() == 0 ? 3 : 4;
      const ps::Status status = StatusOf([size] {
        const std::unique_ptr<ArrayWorker<int>> table(MV_CreateTable(ArrayTableOption<int>(size)));
      });
      const std::lock_guard<std::mutex> lock(mutex);
      if (status.code() == StatusCode::kAlreadyExists) refused = status;
      ps::ThrowIfError(status);
    });
  });
  EXPECT_FALSE(job.ok()) << "the other one is told that it has gone";
  EXPECT_NE(refused.message().find("rows: "), std::string::npos) << refused;
}

// The others are met all the same: their barriers go on in step.
TEST_F(MultiversoSessionTest, ATableThatCouldNotBeMadeKeepsNobodyWaiting) {
  RunJob({{0, 0}, {1, 1}}, {}, [&] {
    const std::unique_ptr<ArrayWorker<int>> first(MV_CreateTable(ArrayTableOption<int>(3)));
    const ps::Status status = StatusOf([] {
      const std::unique_ptr<ArrayWorker<int>> table(
          MV_CreateTable(ArrayTableOption<int>(MV_WorkerId() == 0 ? 3 : 0)));
    });
    EXPECT_EQ(status.ok(), MV_WorkerId() == 0) << status;
    const int one[] = {1, 1, 1};
    first->Add(one, 3);
    MV_Barrier();
    int values[3];
    first->Get(values, 3);
    EXPECT_EQ(values[2], 2);
    MV_Barrier();
  });
}

TEST_F(MultiversoSessionTest, DefaultsAreThoseOfTheFlags) {
  TableDefaults defaults;
  defaults.is_sync = true;
  defaults.rule = "sgd";
  RunJob({{0, 0}}, defaults, [] {
    const std::unique_ptr<ArrayWorker<int>> table(MV_CreateTable(ArrayTableOption<int>(3)));
    EXPECT_EQ(table->store_table().spec().consistency.mode, ps::Consistency::kBsp);
    EXPECT_EQ(table->store_table().spec().updater, "sgd");
  });
  defaults.has_tables = false;
  RunJob({{0, 0}}, defaults, [] {
    const ps::Status status = StatusOf([] { MV_CreateTable(ArrayTableOption<int>(3)); });
    EXPECT_NE(status.message().find("-ma=true"), std::string::npos) << status;
  });
}

// Multiverso's promise: every worker's i-th Get has all i-th Adds. Who has ended is not waited for.
TEST_F(MultiversoSessionTest, WithSyncRoundsAreCompleteAndWhoEndsIsNotWaitedFor) {
  TableDefaults defaults;
  defaults.is_sync = true;
  RunJob({{0, 0}, {1, -1}, {2, 1}}, defaults, [] {
    const std::unique_ptr<ArrayWorker<int>> table(MV_CreateTable(ArrayTableOption<int>(2)));
    const int rounds = 5 + MV_WorkerId();
    const std::vector<int> ones = {1, 1};
    for (int round = 1; round <= rounds; ++round) {
      table->AddAsync(ones.data(), 2);
      std::vector<int> values(2);
      table->Get(values.data(), 2);
      if (round <= 5) {
        EXPECT_EQ(values, (std::vector<int>{3 * round, 3 * round}));
      }
    }
  });
}

}  // namespace
}  // namespace multiverso
