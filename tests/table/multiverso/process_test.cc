#include "ps/multiverso/process.h"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ps/environment.h"
#include "ps/multiverso/array_table.h"
#include "ps/multiverso/create_table.h"
#include "ps/status.h"
#include "tests/support/watchdog.h"

namespace multiverso {
namespace {

// Of this process, outside any job.
class MultiversoProcessTest : public testing::Test {
 protected:
  void SetUp() override { Clear(); }
  void TearDown() override { Clear(); }

  static void Clear() {
    internal::ResetFlags();
    MV_NetFinalize();
    ps::Environment::Init({{"DMLC_ROLE", ""},
                           {"DMLC_NUM_WORKER", ""},
                           {"DMLC_NUM_SERVER", ""},
                           {"DMLC_PS_ROOT_URI", ""},
                           {"DMLC_PS_ROOT_PORT", ""}});
  }
  static std::string ErrorOf(const std::function<void()>& call) {
    try {
      call();
    } catch (const ps::Error& error) {
      return error.what();
    }
    return "no error";
  }

  ps::Watchdog watchdog_{std::chrono::seconds(30)};
};

TEST_F(MultiversoProcessTest, AProgramAloneRunsFromInitToShutDown) {
  std::string texts[] = {"prog", "-updater_type=sgd", "input.txt"};
  char* argv[] = {texts[0].data(), texts[1].data(), texts[2].data(), nullptr};
  int argc = 3;
  MV_Init(&argc, argv);
  EXPECT_EQ(argc, 2);
  EXPECT_EQ(std::string(argv[1]), "input.txt");
  const std::unique_ptr<ArrayWorker<int>> table(MV_CreateTable(ArrayTableOption<int>(2)));
  const int delta[] = {1, 2};
  table->AddAsync(delta, 2);
  MV_Barrier();
  int values[2] = {};
  table->Get(values, 2);
  EXPECT_EQ(values[0], -1);
  EXPECT_EQ(values[1], -2);
  MV_ShutDown();
  MV_Init();
  EXPECT_EQ(MV_Size(), 1);
  MV_ShutDown(false);
}

TEST_F(MultiversoProcessTest, WithoutARoleThereAreNoTablesAndNobodyToMeet) {
  MV_SetFlag("ps_role", "none");
  MV_Init();
  EXPECT_EQ(MV_Rank(), -1);
  EXPECT_EQ(MV_WorkerId(), -1);
  EXPECT_EQ(MV_ServerId(), -1);
  EXPECT_EQ(MV_CreateTable(ArrayTableOption<int>(2)), nullptr);
  MV_Barrier();
  MV_ShutDown();
}

TEST_F(MultiversoProcessTest, ProcessesThatAreNamedByCallsMakeAList) {
  const int ranks[] = {0, 2};
  const char* endpoints[] = {"10.0.0.1:7000", "10.0.0.3"};
  MV_NetConnect(ranks, endpoints, 2);
  EXPECT_NE(ErrorOf([] { MV_Init(); }).find("MV_NetBind has not said"), std::string::npos);
  MV_NetBind(2, "10.0.0.3");
  EXPECT_NE(ErrorOf([] { MV_Init(); }).find("rank 1 is missing"), std::string::npos);
  EXPECT_NE(ErrorOf([] { MV_NetBind(0, "10.0.0.2:7000"); }).find("it is 10.0.0.1:7000 already"),
            std::string::npos);
  EXPECT_NE(ErrorOf([] { MV_NetBind(1, "no host"); }).find("MV_NetBind: rank 1"), std::string::npos);
  EXPECT_NE(ErrorOf([] { MV_NetBind(-1, "10.0.0.2"); }).find("ranks begin with 0"), std::string::npos);
  MV_NetFinalize();
  MV_Init();
  EXPECT_EQ(MV_Size(), 1) << "they are forgotten";
  MV_ShutDown();
}

TEST_F(MultiversoProcessTest, WhatIsWrongIsSaidBeforeAnythingStarts) {
  MV_SetFlag("updater_type", "adam");
  EXPECT_NE(ErrorOf([] { MV_Init(); }).find("there are default, sgd"), std::string::npos);
  internal::ResetFlags();
  MV_SetFlag("machine_file", "nowhere/machines");
  EXPECT_NE(ErrorOf([] { MV_Init(); }).find("nowhere/machines"), std::string::npos);
  internal::ResetFlags();
  MV_SetFlag("ps_role", "server");
  EXPECT_NE(ErrorOf([] { MV_Init(); }).find("by itself"), std::string::npos);
  internal::ResetFlags();
  MV_Init();
  EXPECT_NE(ErrorOf([] { MV_Init(); }).find("already"), std::string::npos);
  MV_ShutDown();
}

}  // namespace
}  // namespace multiverso
