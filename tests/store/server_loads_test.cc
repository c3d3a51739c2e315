#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "ps/user_table.h"
#include "store/loopback.h"
#include "store/spec_bytes.h"
#include "store/user_blocks.h"
#include "tests/support/job.h"
#include "tests/support/store_world.h"
#include "tests/support/sum_shard.h"

namespace ps {
namespace {

constexpr char kCode[] = "Sums";

// As SumShard, but each server keeps of others' parts those of its number's parity.
class SharingShard : public SumShard {
 public:
  explicit SharingShard(const UserShardPlace& place) : SumShard(place) {}
  bool TakesPartsOfOthers() const override { return true; }
  void Load(dmlc::Stream* from) override {
    SumShard::Load(from);
    ++num_parts_;
  }
  void Get(int, const UserBlocks&, UserBlocks* answer) override { *answer = {BlockOf({num_parts_})}; }

 private:
  int num_parts_ = 0;
};

Numbers SumsAt(UserTable& table, int server) {
  Numbers sums;
  table.GetAsync({{server, {}}}, [&sums](int, UserBlocks& answer) { sums = NumbersOf(answer.at(0)); }).Wait();
  return sums;
}

Status LoadIn(Store& store, const std::string& folder) {
  try {
    store.Load(folder);
  } catch (const Error& error) {
    return error.status();
  }
  return Status::Ok();
}

class ServerLoadsTest : public testing::TestWithParam<Way> {
 protected:
  void SetUp() override { folder_ = NewFolder("server_loads"); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // A table of 2 servers: {1, ..., 300000} at the first, {7} at the other one. Then more is added.
  void SaveAndGoOn(Store& store, UserTable& table) {
    Numbers many(300000);
    for (std::size_t i = 0; i < many.size(); ++i) many[i] = static_cast<std::int64_t>(i) + 1;
    table.AddAsync({{0, {BlockOf(many)}}, {1, {BlockOf({7})}}});
    store.Save(folder_);
    table.AddAsync({{0, {BlockOf({100})}}, {1, {BlockOf({100})}}}).Wait();
  }

  std::string folder_;
};

TEST_P(ServerLoadsTest, AProgramsOwnTableIsAsItWasSaved) {
  StoreWorld world(GetParam(), 2, 1);
  SumShardWatch watch;
  world.Register("t", kCode, MakeSumShard(&watch));
  UserTable table(world[0], "t", kCode);
  const auto rows = world[0].Create(DenseSpec("rows", 4));
  const std::vector<float> ones(4, 1);
  rows->Add(Rows::All(), ones.data());
  SaveAndGoOn(world[0], table);
  EXPECT_EQ(SumsAt(table, 1), Numbers{107});
  world[0].Load(folder_);
  EXPECT_EQ(SumsAt(table, 1), Numbers{7});
  const Numbers many = SumsAt(table, 0);
  ASSERT_EQ(many.size(), 300000u);
  for (std::size_t i = 0; i < many.size(); ++i) ASSERT_EQ(many[i], static_cast<std::int64_t>(i) + 1);
  EXPECT_EQ(watch.num_threads, 0);
  table.AddAsync({{1, {BlockOf({1})}}});
  EXPECT_EQ(SumsAt(table, 1), Numbers{8});
}

TEST_P(ServerLoadsTest, AnotherNumberOfServersIsAnErrorThatSaysSoAndChangesNothing) {
  {
    StoreWorld world(GetParam(), 2, 1);
    world.Register("t", kCode, MakeSumShard());
    UserTable table(world[0], "t", kCode);
    SaveAndGoOn(world[0], table);
  }
  StoreWorld world(GetParam(), 3, 1);
  world.Register("t", kCode, MakeSumShard());
  UserTable table(world[0], "t", kCode);
  table.AddAsync({{2, {BlockOf({5})}}});
  const Status refused = LoadIn(world[0], folder_);
  EXPECT_EQ(refused.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(refused.message().find("was saved by 2 servers, and there are 3"), std::string::npos) << refused;
  EXPECT_EQ(SumsAt(table, 2), Numbers{5});
}

TEST_P(ServerLoadsTest, CodeThatTakesPartsOfOthersGetsAllOfThem) {
  const auto make = [](const UserShardPlace& place) { return std::make_unique<SharingShard>(place); };
  {
    StoreWorld world(GetParam(), 2, 1);
    world.Register("t", kCode, make);
    UserTable table(world[0], "t", kCode);
    SaveAndGoOn(world[0], table);
    EXPECT_TRUE(LoadIn(world[0], folder_).ok());
    EXPECT_EQ(SumsAt(table, 0), Numbers{1}) << "of as many servers each takes its own";
  }
  StoreWorld world(GetParam(), 3, 1);
  world.Register("t", kCode, make);
  UserTable table(world[0], "t", kCode);
  EXPECT_TRUE(LoadIn(world[0], folder_).ok());
  for (int server = 0; server < 3; ++server) EXPECT_EQ(SumsAt(table, server), Numbers{2}) << server;
}

TEST_P(ServerLoadsTest, CodeThatIsNotThereOrAnotherOneIsNamed) {
  {
    StoreWorld world(GetParam(), 2, 1);
    world.Register("t", kCode, MakeSumShard());
    UserTable table(world[0], "t", kCode);
    SaveAndGoOn(world[0], table);
  }
  StoreWorld world(GetParam(), 2, 1);
  const Status missing = LoadIn(world[0], folder_);
  EXPECT_EQ(missing.code(), StatusCode::kNotFound);
  EXPECT_NE(missing.message().find("of code Sums, which is not registered at server"), std::string::npos)
      << missing;
  world.Register("t", "Others", MakeSumShard());
  UserTable table(world[0], "t", "Others");
  const Status other = LoadIn(world[0], folder_);
  EXPECT_NE(other.message().find("updater: `Sums` and `Others`"), std::string::npos) << other;
  EXPECT_EQ(SumsAt(table, 0), Numbers{});
}

TEST_P(ServerLoadsTest, DamageIsFoundBeforeTheCodeSeesAnyOfIt) {
  StoreWorld world(GetParam(), 2, 1);
  world.Register("t", kCode, MakeSumShard());
  UserTable table(world[0], "t", kCode);
  SaveAndGoOn(world[0], table);
  const std::string file = folder_ + "/1/shard-0";
  const auto size = static_cast<std::streamoff>(std::filesystem::file_size(file));
  std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
  bytes.seekp(size / 2);
  bytes.put('#');
  bytes.close();
  EXPECT_EQ(LoadIn(world[0], folder_).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(SumsAt(table, 1), Numbers{107});
}

INSTANTIATE_TEST_SUITE_P(Ways, ServerLoadsTest, EveryWay(), NameOfWay);

Numbers SumsIn(StoreServerCore& server, const std::string& table) {
  std::promise<StoreAnswer> answer;
  StoreRequest request;
  request.ops.resize(1);
  request.ops[0].code = OpCode::kGet;
  request.ops[0].flags = Op::kUser;
  request.ops[0].table = TableId(table);
  server.Handle({0, 1}, std::move(request), false,
                [&answer](StoreAnswer&& from) { answer.set_value(std::move(from)); });
  const StoreAnswer came = answer.get_future().get();
  ThrowIfError(came.replies.at(0).status);
  return NumbersOf(UnpackBlocks(came.keys, came.vals).value().at(0));
}

// A server that takes the place of one that was lost has its tables from the newest checkpoint, those of the
// program's own code as soon as they are registered.
TEST(ServerRestartTest, WhatIsRegisteredLaterIsLoadedThen) {
  const std::string folder = NewFolder("server_restart");
  std::uint64_t step = 0;
  {
    const auto stores = Store::Local();
    stores[0]->user_shards().Register("t", kCode, MakeSumShard());
    UserTable table(*stores[0], "t", kCode);
    table.AddAsync({{0, {BlockOf({4, 5})}}});
    step = stores[0]->Save(folder);
  }
  const auto servers = std::make_shared<LoopbackServers>(1, 1, StoreServerCore::Options());
  ASSERT_TRUE(servers->server(0).Load(folder, step).ok());
  servers->Register("t", kCode, MakeSumShard());
  servers->Register("new", kCode, MakeSumShard());
  EXPECT_EQ(SumsIn(servers->server(0), "t"), (Numbers{4, 5}));
  EXPECT_EQ(SumsIn(servers->server(0), "new"), Numbers{});
  servers->server(0).Forget("t");
  SumShardWatch watch;
  try {
    servers->Register("t", "Others", MakeSumShard(&watch));
    FAIL() << "it has been saved by other code";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), StatusCode::kInvalidArgument) << error.status();
  }
  servers->server(0).Close();  // what it has made ends with its lane
  EXPECT_EQ(watch.num_alive, 0);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace ps
