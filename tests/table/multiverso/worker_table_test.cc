#include "ps/multiverso/worker_table.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "ps/store.h"
#include "tests/support/range_table.h"
#include "tests/support/watchdog.h"

namespace multiverso {
namespace {

using Doubles = std::vector<double>;

ps::StatusCode CodeOf(const std::function<void()>& call, std::string* text = nullptr) {
  try {
    call();
  } catch (const ps::Error& error) {
    if (text != nullptr) *text = error.status().message();
    return error.code();
  }
  return ps::StatusCode::kOk;
}

class WorkerTableTest : public testing::Test {
 protected:
  WorkerTableTest() : stores_(ps::Store::Local({2, 1, 0})) {
    context_.store = stores_[0].get();
    context_.servers = &stores_[0]->user_shards();
    table_.reset(CreateUserTable(RangeOption<double>(10), context_));
  }
  Doubles Get(const std::vector<int>& places) {
    Doubles values;
    table_->Get(places, &values);
    return values;
  }

  ps::Watchdog watchdog_;
  std::vector<std::unique_ptr<ps::Store>> stores_;
  UserTableContext context_;
  std::unique_ptr<RangeWorker<double>> table_;
};

TEST_F(WorkerTableTest, CallsGoWherePartitionSaysAndAnswersToProcessReplyGet) {
  table_->Add({0, 9, 4, 5}, {1, 2, 3, 4});
  EXPECT_EQ(Get({5, 4, 0, 9, 1}), (Doubles{4, 3, 1, 2, 0}));
}

TEST_F(WorkerTableTest, AGetAfterAnAddAsyncSeesIt) {
  for (int i = 1; i <= 100; ++i) {
    table_->AddAsync({0, 9}, {1, 2});
    EXPECT_EQ(Get({0, 9}), (Doubles{1.0 * i, 2.0 * i}));
  }
}

TEST_F(WorkerTableTest, TheOptionIsTheLastBlob) {
  AddOption option;
  option.set_learning_rate(0.5);
  table_->Wait(table_->AddAsync({0, 9}, {4, 6}, &option));
  EXPECT_EQ(Get({0, 9}), (Doubles{2, 3}));
}

TEST_F(WorkerTableTest, WaitingTwiceReturnsAndAnUnknownIdIsRefused) {
  const int id = table_->AddAsync({0}, {1});
  table_->Wait(id);
  table_->Wait(id);
  EXPECT_EQ(CodeOf([&] { table_->Wait(id + 1); }), ps::StatusCode::kInvalidArgument);
  EXPECT_EQ(CodeOf([&] { table_->Wait(-1); }), ps::StatusCode::kInvalidArgument);
  table_->Add({0}, {1});
  EXPECT_EQ(Get({0}), Doubles{2});
}

TEST_F(WorkerTableTest, WhatAServersHalfThrowsFailsThatCallAlone) {
  std::string text;
  EXPECT_EQ(CodeOf([&] { table_->Add({0, 10}, {1, 1}); }, &text), ps::StatusCode::kInternal);
  EXPECT_EQ(text, "server 1: table 'multiverso table 0': its code threw: place 10 is beyond the end");
  Doubles values;
  EXPECT_EQ(CodeOf([&] { table_->Get({10}, &values); }), ps::StatusCode::kInternal);
  EXPECT_EQ(Get({0}), Doubles{1}) << "the other server has carried out its part";
}

TEST_F(WorkerTableTest, WhatPartitionThrowsComesBeforeAnythingIsSent) {
  EXPECT_THROW(table_->AddAsync({0, -1}, {1, 1}), std::runtime_error);
  std::string text;
  EXPECT_EQ(CodeOf([&] { table_->AddAsync({0, 11}, {1, 1}); }, &text), ps::StatusCode::kInvalidArgument);
  EXPECT_NE(text.find("there is no server 11"), std::string::npos) << text;
  EXPECT_EQ(CodeOf([&] { table_->AddAsync({0}, {}); }), ps::StatusCode::kInvalidArgument) << "no value";
  EXPECT_EQ(Get({0}), Doubles{0});
}

TEST_F(WorkerTableTest, WhatProcessReplyGetThrowsIsTheErrorOfTheGet) {
  table_->throws_in_reply = true;
  std::string text;
  EXPECT_EQ(CodeOf([&] { Get({0}); }, &text), ps::StatusCode::kInternal);
  EXPECT_EQ(text, "the reply is not liked");
  table_->throws_in_reply = false;
  EXPECT_EQ(Get({0}), Doubles{0});
}

TEST_F(WorkerTableTest, ATableThatNobodyHasConnectedHasNoServers) {
  RangeWorker<double> alone{RangeOption<double>(4)};
  EXPECT_EQ(CodeOf([&] { alone.AddAsync({0}, {1}); }), ps::StatusCode::kFailedPrecondition);
  EXPECT_EQ(CodeOf([&] { alone.Wait(0); }), ps::StatusCode::kInvalidArgument);
}

TEST_F(WorkerTableTest, ManyThreadsMayCall) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([this] {
      for (int n = 0; n < 200; ++n) table_->AddAsync({0, 5}, {1, 1});
    });
  }
  for (std::thread& thread : threads) thread.join();
  stores_[0]->Flush();
  EXPECT_EQ(Get({0, 5}), (Doubles{800, 800}));
}

TEST_F(WorkerTableTest, ItMayOutliveItsStore) {
  const int id = table_->AddAsync({0}, {1});
  table_->Wait(id);
  stores_.clear();
  EXPECT_NE(CodeOf([&] { Get({0}); }), ps::StatusCode::kOk);
}

// Asks for something of its own table where it may not wait.
class Impatient : public RangeWorker<double> {
 public:
  using RangeWorker<double>::RangeWorker;
  void ProcessReplyGet(std::vector<Blob>& reply) override {
    if (adds) WorkerTable::Add(Blob(reply[0]), Blob(reply[1]));
    RangeWorker<double>::ProcessReplyGet(reply);
  }
  bool adds = true;
};
struct ImpatientOption : RangeOption<double> {
  using RangeOption<double>::RangeOption;
  using WorkerTableType = Impatient;
};

TEST_F(WorkerTableTest, WaitingWithinAReplyIsRefusedBeforeAnythingIsSent) {
  context_.table_id = 1;
  const std::unique_ptr<Impatient> table(CreateUserTable(ImpatientOption(4), context_));
  table->Add({0}, {3});
  Doubles values;
  std::string text;
  EXPECT_EQ(CodeOf([&] { table->Get({0}, &values); }, &text), ps::StatusCode::kFailedPrecondition) << text;
  table->adds = false;
  table->Get({0}, &values);
  EXPECT_EQ(values, Doubles{3});
}

}  // namespace
}  // namespace multiverso
