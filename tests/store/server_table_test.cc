#include "store/server_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "store/executors.h"

namespace ps {
namespace {

using Floats = std::vector<float>;

TableSpec Spec(const Consistency& consistency, TableSpec::Apply apply) {
  TableSpec spec;
  spec.name = "w";
  spec.rows = 2;
  spec.consistency = consistency;
  spec.apply = apply;
  return spec;
}

// One table with three workers, everything on the thread of the test.
class ServerTableTest : public testing::Test {
 protected:
  struct Answer {
    bool came = false;
    OpReply reply;
    Floats values;
    std::vector<Key> keys;
  };

  void Make(const TableSpec& spec, MemoryBudget* budget = nullptr) {
    table_ = nullptr;
    TableSlots::Place place;
    place.range = Range(0, static_cast<std::uint64_t>(spec.rows));
    place.num_workers = 3;
    place.epoch = 5;
    place.budget = budget;
    table_ = ServerTable::Make(spec, place, &executors_, nullptr).value();
  }
  std::shared_ptr<Answer> Ask(const Op& op, int worker, const Floats& values = {},
                              const std::vector<Key>& keys = {}) {
    const auto answer = std::make_shared<Answer>();
    ServerTable::Request request;
    request.op = op;
    request.worker = worker;
    // Memory of the sender, which takes it back when it is answered.
    auto lent = std::make_shared<Floats>(values);
    request.vals = SArray<char>(reinterpret_cast<char*>(lent->data()), lent->size() * sizeof(float));
    request.keys = SArray<Key>(keys);
    request.is_borrowed = true;
    request.reply = std::make_shared<Reply>(1, [answer, lent](StoreAnswer&& from) {
      std::fill(lent->begin(), lent->end(), -1e30f);
      answer->came = true;
      answer->reply = from.replies[0];
      answer->keys.assign(from.keys.begin(), from.keys.end());
      answer->values.resize(from.vals.size() / sizeof(float));
      if (!from.vals.empty()) std::memcpy(answer->values.data(), from.vals.data(), from.vals.size());
    });
    const std::shared_ptr<Reply> reply = request.reply;
    const Status handled = table_->Handle(std::move(request));
    if (!handled.ok()) {
      reply->Fail(0, handled);
      reply->Finish();
    }
    return answer;
  }
  std::shared_ptr<Answer> Add(int worker, std::uint64_t round, const Floats& values,
                              OpCode code = OpCode::kAdd) {
    Op op;
    op.code = code;
    op.flags = Op::kWhole | Op::kAuto;
    op.round = round;
    return Ask(op, worker, values);
  }
  std::shared_ptr<Answer> Get(int worker, std::uint64_t round) {
    Op op;
    op.code = OpCode::kGet;
    op.flags = Op::kWhole;
    op.round = round;
    return Ask(op, worker);
  }
  std::shared_ptr<Answer> SetOptions(const std::string& text, std::uint64_t from) {
    Op op;
    op.code = OpCode::kOption;
    op.text = text;
    op.round = from;
    return Ask(op, 0);
  }

  Executors executors_{0};
  std::unique_ptr<ServerTable> table_;
};

TEST_F(ServerTableTest, SumsAreMadeInOrderOfTheWorkersWhateverCameFirst) {
  const Floats parts[3] = {{1e8f, 1}, {-1e8f, 2}, {1, 4}};
  const float expected = (1e8f + -1e8f) + 1;  // another order loses the 1
  int order[3] = {0, 1, 2};
  do {
    Make(Spec(Consistency::Bsp(), TableSpec::kMerged));
    for (const int worker : order) EXPECT_TRUE(Add(worker, 1, parts[worker])->came);
    EXPECT_EQ(Get(0, 1)->values, (Floats{expected, 7})) << order[0] << order[1] << order[2];
  } while (std::next_permutation(order, order + 3));
}

TEST_F(ServerTableTest, WithoutAnOrderSumsAreMadeAsContributionsCome) {
  const Floats parts[3] = {{1e8f, 1}, {1, 4}, {-1e8f, 2}};
  for (const bool deterministic : {true, false}) {
    TableSpec spec = Spec(Consistency::Bsp(), TableSpec::kMerged);
    spec.deterministic = deterministic;
    Make(spec);
    for (const int worker : {2, 0, 1}) EXPECT_TRUE(Add(worker, 1, parts[worker])->came);
    // In order of the workers the 1 is lost.
    EXPECT_EQ(Get(0, 1)->values, (Floats{deterministic ? 0.0f : 1.0f, 7}));
  }
}

TEST_F(ServerTableTest, WithoutAnOrderOnlyWhatCountsForCertainIsSummedEarly) {
  TableSpec spec = Spec(Consistency::Bsp(), TableSpec::kMerged);
  spec.deterministic = false;
  spec.auto_close = false;
  Make(spec);
  Op part;
  part.code = OpCode::kAdd;
  part.flags = Op::kWhole;
  part.round = 1;
  Ask(part, 2, {100, 100});  // is lost before it has ended its round
  Ask(part, 1, {2, 2});
  Ask(part, 0, {1, 1});
  Op close;
  close.code = OpCode::kClose;
  close.round = 1;
  close.parts = 1;
  Ask(close, 1);
  table_->OnWorkerGone(2, true, Status::Unavailable("gone"));
  Ask(close, 0);
  EXPECT_EQ(Get(0, 1)->values, (Floats{3, 3}));
}

TEST_F(ServerTableTest, ContributionsOfTheNextRoundWaitForIt) {
  Make(Spec(Consistency::Bsp(), TableSpec::kMerged));
  EXPECT_TRUE(Add(0, 1, {1, 1})->came);
  EXPECT_TRUE(Add(0, 2, {10, 10})->came);
  EXPECT_EQ(Get(1, 0)->values, (Floats{0, 0}));
  Add(1, 1, {1, 1});
  Add(2, 1, {1, 1});
  EXPECT_EQ(Get(1, 1)->values, (Floats{3, 3}));
  Add(2, 2, {10, 10});
  Add(1, 2, {10, 10});
  EXPECT_EQ(Get(1, 2)->values, (Floats{33, 33}));
}

TEST_F(ServerTableTest, EachContributionIsAnUpdateWhereTheTableSaysSo) {
  TableSpec spec = Spec(Consistency::Bsp(), TableSpec::kEach);
  spec.updater = "assign";
  Make(spec);
  Add(2, 1, {3, 3});
  Add(0, 1, {1, 1});
  Add(1, 1, {2, 2});
  EXPECT_EQ(Get(0, 1)->values, (Floats{3, 3})) << "in order of the workers, so that the last one stays";
}

TEST_F(ServerTableTest, AnAddGetReadsWhatItAdded) {
  Make(Spec(Consistency::Asp(), TableSpec::kEach));
  EXPECT_EQ(Add(0, 1, {1, 2}, OpCode::kAddGet)->values, (Floats{1, 2}));
  Make(Spec(Consistency::Bsp(), TableSpec::kMerged));
  const auto first = Add(0, 1, {1, 2}, OpCode::kAddGet);
  Add(1, 1, {1, 2});
  EXPECT_FALSE(first->came);
  Add(2, 1, {1, 2});
  EXPECT_EQ(first->values, (Floats{3, 6}));
}

TEST_F(ServerTableTest, ReadsWaitForTheFirstWriteWhereTheTableHasNoStart) {
  TableSpec spec = Spec(Consistency::Asp(), TableSpec::kEach);
  spec.init = Init::FirstWrite();
  spec.updater = "sgd";
  spec.updater_options["lr"] = "1";
  Make(spec);
  const auto read = Get(1, 0);
  EXPECT_FALSE(read->came);
  Add(0, 1, {5, 6});
  ASSERT_TRUE(read->came);
  EXPECT_EQ(read->values, (Floats{5, 6})) << "the first contribution is the values";
  Add(0, 2, {1, 1});
  EXPECT_EQ(Get(0, 2)->values, (Floats{4, 5}));
}

TEST_F(ServerTableTest, OptionsHoldFromTheirRoundOn) {
  TableSpec spec = Spec(Consistency::Bsp(), TableSpec::kMerged);
  spec.updater = "sgd";
  spec.updater_options["lr"] = "1";
  Make(spec);
  EXPECT_TRUE(SetOptions("lr=10", 3)->reply.status.ok());
  for (std::uint64_t round = 1; round <= 3; ++round) {
    for (int worker = 0; worker < 3; ++worker) Add(worker, round, {1, 1});
  }
  EXPECT_EQ(Get(0, 3)->values, (Floats{-3 - 3 - 30, -36}));
  const auto wrong = SetOptions("no_such_option=1", 0);
  EXPECT_EQ(wrong->reply.status.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(wrong->reply.status.message().find("no_such_option"), std::string::npos);
}

TEST_F(ServerTableTest, AReadOfAnotherEpochBringsAllRows) {
  Make(Spec(Consistency::Asp(), TableSpec::kEach));
  Op op;
  op.code = OpCode::kGet;
  op.flags = Op::kWhole | Op::kDelta;
  op.since = 1000;
  op.epoch = 4;
  const auto all = Ask(op, 0);
  EXPECT_EQ(all->keys, (std::vector<Key>{0, 1}));
  EXPECT_EQ(all->reply.epoch, 5u);
  op.epoch = 5;
  op.since = all->reply.version;
  EXPECT_TRUE(Ask(op, 0)->keys.empty());
}

TEST_F(ServerTableTest, SizesAndRowsThatDoNotFitAreRefused) {
  Make(Spec(Consistency::Asp(), TableSpec::kEach));
  EXPECT_EQ(Add(0, 1, {1})->reply.status.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(Add(0, 2, {1, 2, 3})->reply.status.message().find("12 bytes"), std::string::npos);
  EXPECT_EQ(Get(0, 2)->values, (Floats{0, 0})) << "those rounds are over, and nobody waits for them";
}

TEST_F(ServerTableTest, ARoundGoesOnWithoutAContributionThatIsRefused) {
  for (const auto apply : {TableSpec::kEach, TableSpec::kMerged}) {
    Make(Spec(Consistency::Bsp(), apply));
    Add(0, 1, {1, 1});
    Add(1, 1, {2, 2});
    const auto refused = Add(2, 1, {9}, OpCode::kAddGet);
    ASSERT_TRUE(refused->came);
    EXPECT_EQ(refused->reply.status.code(), StatusCode::kInvalidArgument);
    const auto read = Get(0, 1);
    ASSERT_TRUE(read->came);
    EXPECT_EQ(read->values, (Floats{3, 3}));
  }
}

TEST_F(ServerTableTest, AReadBeforeTheFirstWriteSeesAllOfTheRoundThatWrites) {
  TableSpec spec = Spec(Consistency::Bsp(), TableSpec::kEach);
  spec.init = Init::FirstWrite();
  Make(spec);
  const auto read = Get(1, 0);
  EXPECT_FALSE(read->came);
  for (int worker = 0; worker < 3; ++worker) Add(worker, 1, {1, 2});
  ASSERT_TRUE(read->came);
  EXPECT_EQ(read->values, (Floats{3, 6}));
}

TEST_F(ServerTableTest, AWorkerRunsAheadAsFarAsThereIsMemoryAndTheRoundsGoOn) {
  MemoryBudget budget(4096);
  Make(Spec(Consistency::Bsp(), TableSpec::kMerged), &budget);
  std::uint64_t round = 1;
  while (Add(0, round, {1, 1})->reply.status.ok() && round < 5000) ++round;
  const std::uint64_t first_refused = round;
  EXPECT_GT(first_refused, 2u);
  EXPECT_LT(first_refused, 513u);
  const Status refused = Add(0, ++round, {1, 1})->reply.status;
  EXPECT_EQ(refused.code(), StatusCode::kResourceExhausted);
  EXPECT_NE(refused.message().find("PS_SERVER_MEMORY_LIMIT"), std::string::npos) << refused;
  for (int worker = 1; worker < 3; ++worker) {
    for (std::uint64_t each = 1; each <= round; ++each) Add(worker, each, {0, 0});
  }
  const auto read = Get(0, round);
  ASSERT_TRUE(read->came);
  EXPECT_EQ(read->values[0], static_cast<float>(first_refused - 1));
  const std::uint64_t used = budget.used_bytes();
  table_ = nullptr;
  EXPECT_LT(used, 4096u);
  EXPECT_EQ(budget.used_bytes(), 0u);
}

TEST_F(ServerTableTest, ARowThatOneContributionHasTwiceIsUpdatedOnceByTheirSum) {
  TableSpec spec = Spec(Consistency::Bsp(), TableSpec::kMerged);
  spec.updater = "assign";
  Make(spec);
  Op op;
  op.code = OpCode::kAdd;
  op.flags = Op::kAuto;
  op.round = 1;
  op.num_keys = 2;
  EXPECT_TRUE(Ask(op, 0, {3, 4}, {1, 1})->reply.status.ok());
  for (int worker = 1; worker < 3; ++worker) {
    Op tick;
    tick.code = OpCode::kClose;
    tick.round = 1;
    Ask(tick, worker);
  }
  EXPECT_EQ(Get(0, 1)->values, (Floats{0, 7}));
}

}  // namespace
}  // namespace ps
