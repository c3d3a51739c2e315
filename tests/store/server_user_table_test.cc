#include "store/server_user_table.h"

#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "store/user_blocks.h"
#include "tests/support/sum_shard.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

class ServerUserTableTest : public testing::TestWithParam<int> {
 protected:
  ServerUserTableTest() : executors_(GetParam()) {}

  std::shared_ptr<ServerUserTable> Make(const MakeUserShard& make) {
    return ServerUserTable::Make({TableSpec::User("t", "Sums", 3), {1, 3}, make, &executors_}).value();
  }
  // What a server would answer.
  StoreAnswer Ask(ServerUserTable* table, OpCode code, const UserBlocks& blocks, bool is_borrowed = false) {
    std::promise<StoreAnswer> promise;
    PackedBlocks packed = PackBlocks(blocks);
    ServedTable::Request request;
    request.op.code = code;
    request.worker = 2;
    request.keys = packed.sizes;
    request.vals = packed.bytes;
    request.is_borrowed = is_borrowed;
    request.reply = std::make_shared<Reply>(
        1, [&promise](StoreAnswer&& answer) { promise.set_value(std::move(answer)); });
    const std::shared_ptr<Reply> reply = request.reply;
    const Status done = table->Handle(std::move(request));
    if (!done.ok()) {
      reply->Fail(0, done);
      reply->Finish();
    }
    return promise.get_future().get();
  }

  Watchdog watchdog_;
  Executors executors_;
};

TEST_P(ServerUserTableTest, CallsRunOnOneThreadThatIsNotTheReceivers) {
  SumShardWatch watch;
  const auto table = Make(MakeSumShard(&watch));
  for (int i = 0; i < 20; ++i) {
    const bool added = Ask(table.get(), OpCode::kAdd, {BlockOf({1, 2})}).replies[0].status.ok();
    EXPECT_TRUE(added);
  }
  const StoreAnswer answer = Ask(table.get(), OpCode::kGet, {});
  const UserBlocks blocks = UnpackBlocks(answer.keys, answer.vals).value();
  EXPECT_EQ(NumbersOf(blocks.at(0)), (Numbers{20, 40}));
  EXPECT_EQ(NumbersOf(blocks.at(1)), (Numbers{2, 1}));
  EXPECT_EQ(watch.num_threads, 0);
}

TEST_P(ServerUserTableTest, WhatItsCodeThrowsIsTheErrorOfThatCall) {
  const auto table = Make(MakeSumShard());
  const Status thrown = Ask(table.get(), OpCode::kAdd, {BlockOf({-1})}).replies[0].status;
  EXPECT_EQ(thrown.code(), StatusCode::kInternal);
  EXPECT_NE(thrown.message().find("table 't'"), std::string::npos) << thrown;
  EXPECT_NE(thrown.message().find("negative numbers are not liked"), std::string::npos) << thrown;
  const Status typed = Ask(table.get(), OpCode::kGet, {BlockOf({})}).replies[0].status;
  EXPECT_EQ(typed.code(), StatusCode::kNotFound) << typed;
  EXPECT_TRUE(Ask(table.get(), OpCode::kAdd, {BlockOf({5})}).replies[0].status.ok());
}

class ThrowsNumbers : public SumShard {
 public:
  using SumShard::SumShard;
  void Add(int, const UserBlocks&) override { throw 42; }  // NOLINT: anything may be thrown
};

TEST_P(ServerUserTableTest, AnythingMayBeThrown) {
  const auto table = Make([](const UserShardPlace& place) { return std::make_unique<ThrowsNumbers>(place); });
  EXPECT_EQ(Ask(table.get(), OpCode::kAdd, {}).replies[0].status.code(), StatusCode::kInternal);
}

TEST_P(ServerUserTableTest, WhatIsNoCallOfBlocksIsRefused) {
  const auto table = Make(MakeSumShard());
  EXPECT_EQ(Ask(table.get(), OpCode::kSet, {}).replies[0].status.code(), StatusCode::kInvalidArgument);
  std::promise<Status> promise;
  ServedTable::Request request;
  request.op.code = OpCode::kAdd;
  request.keys = SArray<Key>(std::vector<Key>{~Key{0}});
  request.reply = std::make_shared<Reply>(
      1, [&promise](StoreAnswer&& answer) { promise.set_value(answer.replies[0].status); });
  ASSERT_TRUE(table->Handle(std::move(request)).ok());
  EXPECT_EQ(promise.get_future().get().code(), StatusCode::kInvalidArgument);
}

class Keeper : public SumShard {
 public:
  using SumShard::SumShard;
  void Add(int, const UserBlocks& blocks) override { kept_ = blocks; }
  void Get(int, const UserBlocks&, UserBlocks* answer) override { *answer = kept_; }

 private:
  UserBlocks kept_;
};

TEST_P(ServerUserTableTest, BlocksMayBeKeptWhateverTheirSenderDoesWithItsMemory) {
  const auto table = Make([](const UserShardPlace& place) { return std::make_unique<Keeper>(place); });
  SArray<char> lent = PackBlocks({BlockOf({1, 2, 3})}).bytes;
  std::promise<void> done;
  ServedTable::Request request;
  request.op.code = OpCode::kAdd;
  request.keys = SArray<Key>(std::vector<Key>{lent.size()});
  request.vals = lent;
  request.is_borrowed = true;
  request.reply = std::make_shared<Reply>(1, [&done](StoreAnswer&&) { done.set_value(); });
  ASSERT_TRUE(table->Handle(std::move(request)).ok());
  done.get_future().get();
  for (char& byte : lent) byte = 7;
  const StoreAnswer answer = Ask(table.get(), OpCode::kGet, {});
  EXPECT_EQ(NumbersOf(UnpackBlocks(answer.keys, answer.vals).value().at(0)), (Numbers{1, 2, 3}));
}

TEST_P(ServerUserTableTest, AShardThatCanNotBeMadeSaysWhy) {
  const auto throws = [](const UserShardPlace&) -> std::unique_ptr<UserShard> {
    throw std::runtime_error("no such file");
  };
  const Status why =
      ServerUserTable::Make({TableSpec::User("t", "Sums", 1), {}, throws, &executors_}).status();
  EXPECT_NE(why.message().find("no such file"), std::string::npos) << why;
  const auto none = [](const UserShardPlace&) { return std::unique_ptr<UserShard>(); };
  EXPECT_FALSE(ServerUserTable::Make({TableSpec::User("t", "Sums", 1), {}, none, &executors_}).ok());
}

TEST_P(ServerUserTableTest, ItsShardEndsWithItAfterWhatWasAsked) {
  SumShardWatch watch;
  auto table = Make(MakeSumShard(&watch));
  EXPECT_EQ(watch.num_alive, 1);
  table->Close("erased");
  table.reset();
  executors_.Close();
  EXPECT_EQ(watch.num_alive, 0);
}

INSTANTIATE_TEST_SUITE_P(Threads, ServerUserTableTest, testing::Values(0, 3),
                         [](const auto& info) { return "Threads" + std::to_string(info.param); });

}  // namespace
}  // namespace ps
