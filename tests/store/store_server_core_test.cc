#include "store/store_server_core.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <future>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "ps/store.h"
#include "store/rule_bytes.h"
#include "store/spec_bytes.h"
#include "tests/support/fake_server_link.h"
#include "tests/support/job.h"

namespace ps {
namespace {

using Floats = std::vector<float>;

TableSpec BspSpec(int rows = 2) {
  TableSpec spec;
  spec.name = "w";
  spec.rows = rows;
  spec.consistency = Consistency::Bsp();
  spec.apply = TableSpec::kMerged;
  return spec;
}

// One server and three workers, all on the thread of the test.
class StoreServerCoreTest : public testing::Test {
 protected:
  struct Answer {
    bool came = false;
    OpReply reply;
    Floats values;
  };

  static StoreServerCore::Options ThreeWorkers() {
    StoreServerCore::Options options;
    options.num_workers = 3;
    return options;
  }
  std::shared_ptr<Answer> Ask(int worker, StoreRequest request, std::uint64_t life = 1) {
    const auto answer = std::make_shared<Answer>();
    core_.Handle({worker, life}, std::move(request), false, [answer](StoreAnswer&& from) {
      EXPECT_FALSE(answer->came) << "answered twice";
      answer->came = true;
      answer->reply = from.replies.at(0);
      answer->values.resize(from.vals.size() / sizeof(float));
      if (!from.vals.empty()) std::memcpy(answer->values.data(), from.vals.data(), from.vals.size());
    });
    return answer;
  }
  std::shared_ptr<Answer> Create(int worker, const TableSpec& spec, std::uint64_t life = 1) {
    StoreRequest request = RequestOf(OpCode::kCreate);
    request.ops[0].table = TableId(spec.name);
    request.ops[0].text = EncodeSpec(spec);
    return Ask(worker, std::move(request), life);
  }
  std::shared_ptr<Answer> Add(int worker, std::uint64_t round, float value, std::uint64_t life = 1) {
    StoreRequest request = RequestOf(OpCode::kAdd, {}, 2 * sizeof(float));
    const Floats values(2, value);
    std::memcpy(request.vals.data(), values.data(), request.vals.size());
    request.ops[0].table = TableId("w");
    request.ops[0].round = round;
    request.ops[0].flags = Op::kWhole | Op::kAuto;
    return Ask(worker, std::move(request), life);
  }
  std::shared_ptr<Answer> Get(int worker, std::uint64_t round) {
    StoreRequest request = RequestOf(OpCode::kGet);
    request.ops[0].table = TableId("w");
    request.ops[0].round = round;
    request.ops[0].flags = Op::kWhole;
    return Ask(worker, std::move(request));
  }

  StoreServerCore core_{ThreeWorkers()};
};

TEST_F(StoreServerCoreTest, ARoundIsReadWhenAllHaveGivenTheirPart) {
  for (int worker = 0; worker < 3; ++worker) EXPECT_TRUE(Create(worker, BspSpec())->reply.status.ok());
  EXPECT_TRUE(Add(2, 1, 100)->came) << "a contribution that waits is confirmed";
  const auto read = Get(2, 1);
  EXPECT_FALSE(read->came);
  Add(0, 1, 1);
  EXPECT_FALSE(read->came);
  Add(1, 1, 10);
  ASSERT_TRUE(read->came);
  EXPECT_EQ(read->values, Floats(2, 111));
}

TEST_F(StoreServerCoreTest, UnderShrinkOthersGoOnWithoutWhoIsLost) {
  Create(0, BspSpec());
  Add(0, 1, 1);
  Add(1, 1, 10);
  const auto read = Get(0, 1);
  EXPECT_FALSE(read->came);
  core_.OnWorkerGone(2, true, Status::Unavailable("worker 2 is gone"));
  ASSERT_TRUE(read->came);
  EXPECT_EQ(read->values, Floats(2, 11));
}

TEST_F(StoreServerCoreTest, UnderFailWhatWaitsAndWhatComesLaterNamesWhoIsLost) {
  Create(0, BspSpec());
  Add(0, 1, 1);
  const auto read = Get(0, 1);
  core_.OnWorkerGone(2, false, Status::Unavailable("worker 2 is gone"));
  ASSERT_TRUE(read->came);
  EXPECT_EQ(read->reply.status.message(), "worker 2 is gone");
  EXPECT_EQ(Add(1, 1, 1)->reply.status.code(), StatusCode::kUnavailable);
  EXPECT_EQ(Get(1, 0)->reply.status.code(), StatusCode::kUnavailable);
  // The gate gives the read up when its reader starts again: it has been answered, and is not looked for.
  EXPECT_TRUE(Create(0, BspSpec(), 2)->came);
}

TEST_F(StoreServerCoreTest, AnAsynchronousTableGoesOnWhoeverIsLost) {
  TableSpec spec = BspSpec();
  spec.consistency = Consistency::Asp();
  spec.apply = TableSpec::kEach;
  Create(0, spec);
  core_.OnWorkerGone(2, false, Status::Unavailable("worker 2 is gone"));
  EXPECT_TRUE(Add(0, 1, 1)->reply.status.ok());
  EXPECT_EQ(Get(0, 1)->values, Floats(2, 1));
}

TEST_F(StoreServerCoreTest, AWorkerThatStartsAgainGoesOnAfterItsLastRound) {
  for (int worker = 0; worker < 3; ++worker) Create(worker, BspSpec());
  for (int worker = 0; worker < 3; ++worker) Add(worker, 1, 1);
  Add(2, 2, 5);
  const auto again = Create(2, BspSpec(), 2);
  EXPECT_TRUE(again->reply.status.ok());
  EXPECT_EQ(again->reply.round, 2u);
  Add(0, 2, 1);
  Add(1, 2, 1);
  EXPECT_EQ(Get(0, 2)->values, Floats(2, 3 + 7));
}

TEST_F(StoreServerCoreTest, WhatIsNoTableOrNoWorkerIsRefused) {
  EXPECT_EQ(Get(0, 0)->reply.status.code(), StatusCode::kNotFound);
  EXPECT_EQ(Create(-1, BspSpec())->reply.status.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(Create(3, BspSpec())->reply.status.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(Ask(0, StoreRequest())->reply.status.code(), StatusCode::kInvalidArgument);
  StoreRequest create = RequestOf(OpCode::kCreate);
  create.ops[0].text = "no spec";
  EXPECT_EQ(Ask(0, std::move(create))->reply.status.code(), StatusCode::kInvalidArgument);
}

TEST_F(StoreServerCoreTest, AnAnswerThatIsTooLargeForAMessageIsRefusedByName) {
  StoreServerCore::Options options = ThreeWorkers();
  options.message_limit.bytes = 100;
  StoreServerCore core(options);
  const auto ask = [&core](StoreRequest request) {
    OpReply reply;
    core.Handle({0, 1}, std::move(request), false,
                [&reply](StoreAnswer&& from) { reply = from.replies.at(0); });
    return reply.status;
  };
  TableSpec spec = BspSpec(26);
  StoreRequest create = RequestOf(OpCode::kCreate);
  create.ops[0].table = TableId(spec.name);
  create.ops[0].text = EncodeSpec(spec);
  EXPECT_TRUE(ask(std::move(create)).ok());
  StoreRequest get = RequestOf(OpCode::kGet);
  get.ops[0].table = TableId("w");
  get.ops[0].flags = Op::kWhole;
  const Status refused = ask(get);
  EXPECT_EQ(refused.code(), StatusCode::kResourceExhausted);
  EXPECT_NE(refused.message().find("table 'w' has 104 bytes, over PS_MAX_MESSAGE_BYTES=100"),
            std::string::npos)
      << refused;
  StoreRequest some = RequestOf(OpCode::kGet, {1, 2, 3});
  some.ops[0].table = TableId("w");
  EXPECT_TRUE(ask(std::move(some)).ok());
}

TEST_F(StoreServerCoreTest, ARuleOfAUserNeverRunsOnTheThreadThatReceives) {
  static std::thread::id ran;
  static const Status registered = RegisterUpdaterFunction(
      "where_it_runs", [](const UpdaterCall*, void*) { ran = std::this_thread::get_id(); }, 0, nullptr);
  ASSERT_TRUE(registered.ok());
  ran = std::thread::id();
  TableSpec spec;
  spec.name = "w";
  spec.rows = 2;
  spec.updater = "where_it_runs";
  EXPECT_TRUE(Create(0, spec)->reply.status.ok());
  const auto added = Add(0, 1, 1);
  core_.Close();  // when this returns all lanes have ended
  EXPECT_TRUE(added->came);
  EXPECT_NE(ran, std::thread::id());
  EXPECT_NE(ran, std::this_thread::get_id());
}

TEST_F(StoreServerCoreTest, CloseFailsWhatWaits) {
  Create(0, BspSpec());
  Add(0, 1, 1);
  const auto read = Get(0, 1);
  core_.Close();
  ASSERT_TRUE(read->came);
  EXPECT_EQ(read->reply.status.code(), StatusCode::kCancelled);
  EXPECT_EQ(Get(0, 0)->reply.status.code(), StatusCode::kCancelled);
}

TEST_F(StoreServerCoreTest, ATableThatIsMadeAfterALossGoesOnWithoutWhoIsLost) {
  core_.OnWorkerGone(2, true, Status::Unavailable("worker 2 is gone"));
  Create(0, BspSpec());
  Add(0, 1, 1);
  Add(1, 1, 10);
  const auto read = Get(0, 1);
  ASSERT_TRUE(read->came);
  EXPECT_EQ(read->values, Floats(2, 11));
  EXPECT_EQ(Create(2, BspSpec(), 2)->reply.round, 1u) << "it comes again, and takes part from here on";
  Add(0, 2, 1);
  Add(1, 2, 1);
  const auto next = Get(0, 2);
  EXPECT_FALSE(next->came);
  Add(2, 2, 1, 2);
  EXPECT_TRUE(next->came);
}

TEST_F(StoreServerCoreTest, ATableThatIsMadeAfterALossFailsUnderFail) {
  core_.OnWorkerGone(2, false, Status::Unavailable("worker 2 is gone"));
  Create(0, BspSpec());
  EXPECT_EQ(Add(0, 1, 1)->reply.status.message(), "worker 2 is gone");
}

TEST_F(StoreServerCoreTest, ACheckpointThatLacksATableFailsAndNeverWaitsForWhatIsNoTable) {
  const std::string folder = NewFolder("core");
  Create(0, BspSpec());
  const auto save = [&](std::vector<Op> tables) {
    Op place;
    place.code = OpCode::kSave;
    place.round = 1;
    place.text = folder;
    StoreRequest request;
    request.ops = {place};
    for (Op& op : tables) request.ops.push_back(std::move(op));
    std::promise<Status> promise;
    core_.Handle({0, 1}, std::move(request), false, [&promise](StoreAnswer&& answer) {
      Status first;
      for (const OpReply& reply : answer.replies) first = first.ok() ? reply.status : first;
      promise.set_value(first);
    });
    return promise.get_future().get();
  };
  Op table;
  table.code = OpCode::kSave;
  table.table = TableId("w");
  Op read = table;
  read.code = OpCode::kGet;
  read.flags = Op::kWhole;
  EXPECT_TRUE(save({table, read}).ok());
  EXPECT_TRUE(save({read}).ok());
  Op missing = table;
  missing.table = 77;
  EXPECT_EQ(save({table, missing}).code(), StatusCode::kNotFound);
  core_.Close();
  EXPECT_EQ(save({}).code(), StatusCode::kCancelled);
  std::filesystem::remove_all(folder);
}

TEST_F(StoreServerCoreTest, WhatWasNotReadFromACheckpointIsNotPutInPlace) {
  StoreRequest commit = RequestOf(OpCode::kLoad);
  commit.ops[0].flags = Op::kCommit;
  commit.ops[0].round = 4;
  EXPECT_EQ(Ask(0, std::move(commit))->reply.status.code(), StatusCode::kFailedPrecondition);
  StoreRequest ask = RequestOf(OpCode::kLoad);
  ask.ops[0].flags = Op::kAsk;
  EXPECT_EQ(Ask(0, std::move(ask))->reply.round, 0u);
}

TEST_F(StoreServerCoreTest, ATableIsToldAsItWasMadeWhateverItsRuleIs) {
  StoreRequest find = RequestOf(OpCode::kFind);
  find.ops[0].table = TableId("w");
  EXPECT_EQ(Ask(0, find)->reply.text, "") << "others may have it";
  Create(0, BspSpec());
  StoreRequest rule = RequestOf(OpCode::kUpdater);
  rule.ops[0].table = TableId("w");
  rule.ops[0].round = 1;
  rule.ops[0].text = EncodeRule({{"adam", {}}, false, {}});
  EXPECT_TRUE(Ask(0, std::move(rule))->reply.status.ok());
  EXPECT_EQ(DecodeSpec(Ask(1, find)->reply.text).value(), BspSpec());
}

// As a server finds them that was started again: it has the table, and hears of its worker by this operation.
TEST_F(StoreServerCoreTest, AnOperationForTheRuleTellsHowManyRoundsItsSenderHasEnded) {
  for (const OpCode code : {OpCode::kOption, OpCode::kUpdater}) {
    StoreServerCore core(ThreeWorkers());
    const auto ask = [&core](int worker, StoreRequest request) {
      OpReply reply;
      core.Handle({worker, 1}, std::move(request), false,
                  [&reply](StoreAnswer&& from) { reply = from.replies.at(0); });
      return reply;
    };
    StoreRequest create = RequestOf(OpCode::kCreate);
    create.ops[0].table = TableId("w");
    create.ops[0].text = EncodeSpec(BspSpec());
    EXPECT_TRUE(ask(1, create).status.ok());
    StoreRequest request = RequestOf(code);
    request.ops[0].table = TableId("w");
    request.ops[0].text = code == OpCode::kOption ? "rate=2" : EncodeRule({{"sgd", {}}, false, {}});
    request.ops[0].round = code == OpCode::kOption ? 100 : 6;
    request.ops[0].since = 5;
    EXPECT_TRUE(ask(0, std::move(request)).status.ok());
    EXPECT_EQ(ask(0, create).round, 5u) << static_cast<int>(code);
  }
}

TEST_F(StoreServerCoreTest, WhatWasReadFromACheckpointGoesWithWhoReadItOrWhenHeSaysSo) {
  const std::string folder = NewFolder("core");
  const std::uint64_t step = [&folder] {
    const auto stores = Store::Local();
    const auto table = stores[0]->Create(BspSpec());
    return stores[0]->Save(folder);
  }();
  Create(0, BspSpec());
  LoadOrder order{folder, step, "", LoadOptions::kAll};
  const auto load = [&](std::uint8_t flags) {
    StoreRequest request;
    request.ops = {order.ToOp()};
    request.ops[0].flags = flags;
    std::promise<Status> outcome;
    core_.Handle({1, 1}, std::move(request), false,
                 [&outcome](StoreAnswer&& answer) { outcome.set_value(answer.replies.at(0).status); });
    return outcome.get_future().get();
  };
  for (const auto what : {LoadOptions::kAll, LoadOptions::kStates, LoadOptions::kStatesAndRule}) {
    order.what = what;
    ASSERT_TRUE(load(0).ok());
    EXPECT_TRUE(load(Op::kForget).ok());
    EXPECT_EQ(load(Op::kCommit).code(), StatusCode::kFailedPrecondition);
    ASSERT_TRUE(load(0).ok());
    core_.ForgetLoadOf(2);  // it was another one
    core_.ForgetLoadOf(1);
    EXPECT_EQ(load(Op::kCommit).code(), StatusCode::kFailedPrecondition);
    ASSERT_TRUE(load(0).ok());
    core_.OnWorkerGone(1, true, Status::Unavailable("worker 1 is gone"));
    EXPECT_EQ(load(Op::kCommit).code(), StatusCode::kFailedPrecondition);
    ASSERT_TRUE(load(0).ok());
    core_.ForgetLoadOf(2);
    EXPECT_TRUE(load(Op::kCommit).ok());
  }
  std::filesystem::remove_all(folder);
}

TEST_F(StoreServerCoreTest, AnyOperationIsAnsweredOnceAndNoneEndsTheServer) {
  Create(0, BspSpec());
  std::mt19937 random(11);
  std::vector<std::shared_ptr<Answer>> answers;
  for (int i = 0; i < 20000; ++i) {
    const std::size_t num_keys = random() % 4;
    StoreRequest request = RequestOf(static_cast<OpCode>(1 + random() % 14),
                                     std::vector<Key>(num_keys, random() % 3), random() % 20);
    Op& op = request.ops[0];
    op.table = random() % 4 == 0 ? random() : TableId("w");
    op.flags = static_cast<std::uint8_t>(random() % 8);
    if (op.code == OpCode::kErase) op.flags = 0;
    op.round = random() % 3 == 0 ? ~std::uint64_t{0} - random() % 3 : random() % 5;
    op.parts = random() % 3;
    op.text = std::string(random() % 5, 'x');
    answers.push_back(Ask(static_cast<int>(random() % 4) - 1, std::move(request)));
  }
  core_.Close();
  for (const auto& answer : answers) EXPECT_TRUE(answer->came);
}

}  // namespace
}  // namespace ps
