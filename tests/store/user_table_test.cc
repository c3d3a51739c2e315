#include "ps/user_table.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "ps/store_server.h"
#include "tests/support/store_world.h"
#include "tests/support/sum_shard.h"

namespace ps {
namespace {

constexpr char kCode[] = "Sums";

// What each server has summed.
std::vector<Numbers> SumsOf(UserTable& table) {
  std::vector<UserTable::Part> parts;
  for (int server = 0; server < table.num_servers(); ++server) parts.push_back({server, {}});
  std::vector<Numbers> sums;
  table
      .GetAsync(parts,
                [&sums](int server, UserBlocks& answer) {
                  EXPECT_EQ(static_cast<std::size_t>(server), sums.size()) << "in the order of the servers";
                  sums.push_back(NumbersOf(answer.at(0)));
                })
      .Wait();
  return sums;
}

StatusCode CodeOf(const std::function<void()>& call, std::string* text = nullptr) {
  try {
    call();
  } catch (const Error& error) {
    if (text != nullptr) *text = error.status().message();
    return error.code();
  }
  return StatusCode::kOk;
}

class UserTableTest : public testing::TestWithParam<Way> {};

TEST_P(UserTableTest, AddsArriveAtTheServersTheyAreForOnceAndInOrder) {
  StoreWorld world(GetParam(), 2, 2);
  SumShardWatch watch;
  world.Register("t", kCode, MakeSumShard(&watch));
  world.Run([](int worker, Store& store) {
    UserTable table(store, "t", kCode);
    for (int i = 0; i < 200; ++i) table.AddAsync({{1, {BlockOf({1, worker})}}, {0, {BlockOf({2})}}});
    // Its own calls are before it.
    EXPECT_GE(SumsOf(table)[0].at(0), 400);
    store.Barrier();
    EXPECT_EQ(SumsOf(table), (std::vector<Numbers>{{800}, {400, 200}}));
  });
  EXPECT_EQ(watch.num_threads, 0) << "a shard's calls come on one thread";
}

TEST_P(UserTableTest, WhatAServerThrowsIsTheTicketsAndTheBarriersError) {
  StoreWorld world(GetParam(), 2, 1);
  world.Register("t", kCode, MakeSumShard());
  UserTable table(world[0], "t", kCode);
  std::string text;
  const Ticket failed = table.AddAsync({{0, {BlockOf({1})}}, {1, {BlockOf({-1})}}});
  EXPECT_EQ(CodeOf([&] { failed.Wait(); }, &text), StatusCode::kInternal);
  EXPECT_EQ(text, "server 1: table 't': its code threw: negative numbers are not liked");
  EXPECT_EQ(CodeOf([&] { world[0].Flush(); }), StatusCode::kInternal);
  world[0].Flush();
  bool is_taken = false;
  const Ticket read =
      table.GetAsync({{0, {}}, {1, {BlockOf({})}}}, [&](int, UserBlocks&) { is_taken = true; });
  EXPECT_EQ(CodeOf([&] { read.Wait(); }, &text), StatusCode::kNotFound) << text;
  EXPECT_FALSE(is_taken);
  EXPECT_EQ(SumsOf(table), (std::vector<Numbers>{{1}, {}}));
}

TEST_P(UserTableTest, WhatTakingAnAnswerThrowsIsTheTicketsError) {
  StoreWorld world(GetParam(), 1, 1);
  world.Register("t", kCode, MakeSumShard());
  UserTable table(world[0], "t", kCode);
  const auto throws = [](int, UserBlocks&) { throw std::runtime_error("not expected"); };
  std::string text;
  EXPECT_EQ(CodeOf([&] { table.GetAsync({{0, {}}}, throws).Wait(); }, &text), StatusCode::kInternal);
  EXPECT_EQ(text, "not expected");
  EXPECT_EQ(SumsOf(table).size(), 1u);
}

TEST_P(UserTableTest, WrongServersAreRefusedBeforeAnythingIsSent) {
  StoreWorld world(GetParam(), 2, 1);
  world.Register("t", kCode, MakeSumShard());
  UserTable table(world[0], "t", kCode);
  EXPECT_EQ(CodeOf([&] { table.AddAsync({{0, {BlockOf({1})}}, {2, {}}}); }), StatusCode::kInvalidArgument);
  EXPECT_EQ(CodeOf([&] { table.AddAsync({{-1, {}}}); }), StatusCode::kInvalidArgument);
  EXPECT_EQ(CodeOf([&] { table.AddAsync({{0, {BlockOf({1})}}, {0, {}}}); }), StatusCode::kInvalidArgument);
  EXPECT_TRUE(table.AddAsync({}).Done());
  EXPECT_EQ(SumsOf(table), (std::vector<Numbers>{{}, {}}));
}

TEST_P(UserTableTest, OpeningWaitsForWhoRegistersLater) {
  StoreWorld world(GetParam(), 2, 1);
  std::thread opener([&] {
    UserTable table(world[0], "t", kCode);
    table.AddAsync({{1, {BlockOf({3})}}}).Wait();
    EXPECT_EQ(SumsOf(table)[1], Numbers{3});
  });
  world.Register("t", kCode, MakeSumShard());
  opener.join();
}

TEST_P(UserTableTest, OpeningWhatNobodyRegistersNamesTheServersAndTheDeadline) {
  StoreWorld world(GetParam(), 2, 1);
  std::string text;
  EXPECT_EQ(CodeOf([&] { UserTable(world[0], "t", kCode, 50); }, &text), StatusCode::kDeadlineExceeded);
  EXPECT_NE(text.find("server 0, 1 within 50 ms (PS_REQUEST_TIMEOUT)"), std::string::npos) << text;
  world.Register("t", kCode, MakeSumShard());
  UserTable table(world[0], "t", kCode, 0);
  EXPECT_EQ(SumsOf(table).size(), 2u);
}

TEST_P(UserTableTest, WhoMeansAnotherTableIsTold) {
  StoreWorld world(GetParam(), 2, 1);
  world.Register("t", kCode, MakeSumShard());
  std::string text;
  EXPECT_EQ(CodeOf([&] { UserTable(world[0], "t", "Products"); }, &text), StatusCode::kAlreadyExists);
  EXPECT_NE(text.find("updater: `Sums` and `Products`"), std::string::npos) << text;
  EXPECT_EQ(CodeOf([&] { world[0].Create(DenseSpec("t", 4)); }, &text), StatusCode::kAlreadyExists);
  EXPECT_NE(text.find("kind: the program's own and dense"), std::string::npos) << text;
  EXPECT_EQ(CodeOf([&] { world.Register("t", kCode, MakeSumShard()); }), StatusCode::kAlreadyExists);
  const auto rows = world[0].Create(DenseSpec("rows", 4));
  EXPECT_EQ(CodeOf([&] { world.Register("rows", kCode, MakeSumShard()); }), StatusCode::kAlreadyExists);
  EXPECT_EQ(CodeOf([&] { UserTable(world[0], "rows", kCode); }), StatusCode::kAlreadyExists);
}

TEST_P(UserTableTest, TheStoreKnowsItAsAnyTable) {
  StoreWorld world(GetParam(), 2, 1);
  SumShardWatch watch;
  world.Register("t", kCode, MakeSumShard(&watch));
  UserTable table(world[0], "t", kCode);
  EXPECT_EQ(world[0].Find("t").value().kind, TableSpec::kUser);
  const auto rows = world[0].Create(TableSpec::User("t", kCode, 2));
  std::uint8_t byte = 0;
  EXPECT_EQ(CodeOf([&] { rows->Get(Rows::Of({0}), &byte); }), StatusCode::kInvalidArgument)
      << "it has no rows";
  world[0].EraseTable("t").Wait();
  EXPECT_EQ(world[0].Find("t").status().code(), StatusCode::kNotFound);
  EXPECT_EQ(CodeOf([&] {
              table.AddAsync({{0, {}}}).Wait();
            }),
            StatusCode::kNotFound)
      << "nobody waits for it";
  world.Register("t", "Others", MakeSumShard(&watch));
  UserTable again(world[0], "t", "Others");
  EXPECT_EQ(SumsOf(again), (std::vector<Numbers>{{}, {}}));
}

TEST_P(UserTableTest, CallsForWhatIsNowAnotherTableAreRefused) {
  StoreWorld world(GetParam(), 1, 2);
  world.Register("t", kCode, MakeSumShard());
  UserTable code(world[1], "t", kCode);
  world[0].EraseTable("t").Wait();
  const auto rows = world[0].Create(DenseSpec("t", 4, 2));
  SArray<char> number(8);
  EXPECT_EQ(CodeOf([&] { code.AddAsync({{0, {number}}}).Wait(); }), StatusCode::kInvalidArgument);
  world[0].EraseTable("t").Wait();
  world.Register("t", kCode, MakeSumShard());
  const float values[] = {1, 2};
  EXPECT_EQ(CodeOf([&] { rows->Add(Rows::Of({0}), values); }), StatusCode::kInvalidArgument);
}

// Its worker has asked before another one makes a table of rows by the name, be it at one server alone.
TEST_P(UserTableTest, WhoWaitsForCodeIsToldThatTheNameIsTaken) {
  for (const std::int64_t min_split : {0, 1000}) {
    StoreWorld world(GetParam(), 3, 2);
    std::string text;
    StatusCode code = StatusCode::kOk;
    std::thread waiting([&] { code = CodeOf([&] { UserTable(world[1], "t", kCode); }, &text); });
    TableSpec spec = DenseSpec("t", 4);
    spec.min_split = min_split;
    const auto rows = world[0].Create(spec);
    waiting.join();
    EXPECT_EQ(code, StatusCode::kAlreadyExists);
    EXPECT_NE(text.find("kind: "), std::string::npos) << text;
  }
}

// Now, and not after PS_REQUEST_TIMEOUT, which is a minute.
TEST_P(UserTableTest, WhoWaitsForCodeIsToldWhyAServerCouldNotMakeIt) {
  StoreWorld world(GetParam(), 2, 1);
  const auto fails = [](const UserShardPlace&) -> std::unique_ptr<UserShard> {
    throw std::runtime_error("no licence for it");
  };
  std::string text;
  StatusCode code = StatusCode::kOk;
  std::thread waiting([&] { code = CodeOf([&] { UserTable(world[0], "t", kCode); }, &text); });
  if (world.cluster() == nullptr) {
    EXPECT_EQ(CodeOf([&] { world.Register("t", kCode, fails); }), StatusCode::kInternal);
  } else {
    for (int i = 0; i < 2; ++i)
      EXPECT_EQ(CodeOf([&] { world.server(i).user_shards().Register("t", kCode, fails); }),
                StatusCode::kInternal);
  }
  waiting.join();
  EXPECT_EQ(code, StatusCode::kInternal);
  EXPECT_NE(text.find(": table 't': its code threw: no licence for it"), std::string::npos) << text;
  world.Register("t", kCode, MakeSumShard());
  UserTable table(world[0], "t", kCode);
  EXPECT_EQ(SumsOf(table).size(), 2u);
}

TEST_P(UserTableTest, CallsOfAClosedStoreFail) {
  StoreWorld world(GetParam(), 1, 1);
  world.Register("t", kCode, MakeSumShard());
  UserTable table(world[0], "t", kCode);
  world[0].Close();
  EXPECT_NE(CodeOf([&] { table.AddAsync({{0, {}}}).Wait(); }), StatusCode::kOk);
}

INSTANTIATE_TEST_SUITE_P(Ways, UserTableTest, EveryWay(), NameOfWay);

// Answers with more than a message may have.
class Talkative : public SumShard {
 public:
  using SumShard::SumShard;
  void Get(int, const UserBlocks&, UserBlocks* answer) override { *answer = {SArray<char>(2 << 20, 1)}; }
};

TEST(UserTableLimitTest, WhatIsTooLargeForAMessageIsRefused) {
  Config config;
  config.max_message_bytes = 1 << 20;
  StoreWorld world(Way::kCluster, 1, 1, config);
  world.Register("t", kCode, MakeSumShard());
  UserTable table(world[0], "t", kCode);
  std::string text;
  const UserBlocks large = {SArray<char>(2 << 20, 1)};
  EXPECT_EQ(CodeOf([&] { table.AddAsync({{0, large}}); }, &text), StatusCode::kResourceExhausted);
  EXPECT_NE(text.find("what goes to server 0"), std::string::npos) << text;
  // Of an answer the server says it.
  world.Register("talkative", kCode,
                 [](const UserShardPlace& place) { return std::make_unique<Talkative>(place); });
  UserTable talkative(world[0], "talkative", kCode);
  EXPECT_EQ(CodeOf([&] { SumsOf(talkative); }, &text), StatusCode::kResourceExhausted);
  EXPECT_NE(text.find("server 0: the answer to a Get of table 'talkative'"), std::string::npos) << text;
  talkative.AddAsync({{0, {BlockOf({1})}}}).Wait();
}

TEST(UserTableLimitTest, ServersOfAClusterAreNotTheWorkers) {
  StoreWorld world(Way::kCluster, 1, 1);
  EXPECT_EQ(CodeOf([&] { world[0].user_shards(); }), StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace ps
