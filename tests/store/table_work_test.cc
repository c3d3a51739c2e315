#include "store/table_work.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <future>
#include <memory>
#include <vector>

#include "tests/support/watchdog.h"

namespace ps {
namespace {

using Floats = std::vector<float>;

// A table of three slots on three threads.
class TableWorkTest : public testing::Test {
 protected:
  static constexpr std::size_t kRows = 300000;

  ~TableWorkTest() override { executors_.Close(); }  // first: not every read waits for all slots

  void Make(TableSpec::Kind kind) {
    spec_.name = "w";
    spec_.kind = kind;
    spec_.rows = kind == TableSpec::kDense ? kRows : 0;
    spec_.consistency = Consistency::Bsp();
    spec_.apply = TableSpec::kMerged;
    TableSlots::Place place;
    place.range = Range(0, kind == TableSpec::kDense ? kRows : 4096);
    place.num_lanes = executors_.num_lanes();
    slots_ = TableSlots::Make(spec_, place).value();
    ASSERT_EQ(slots_->size(), 3u);
    work_ = std::make_unique<TableWork>(&spec_, slots_.get(), &lanes_, nullptr);
  }
  std::shared_ptr<Reply> NewReply(std::promise<StoreAnswer>* answer) {
    return std::make_shared<Reply>(1, [answer](StoreAnswer&& from) { answer->set_value(std::move(from)); });
  }
  TableWork::Shared Contribution(const Floats& values, const std::vector<Key>& keys) {
    SArray<char> bytes(values.size() * sizeof(float));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    const SArray<Key> named(keys);
    auto reply = std::make_shared<Reply>(1, [](StoreAnswer&&) {});
    auto contribution = std::make_shared<ps::Contribution>(reply, 0, named, bytes, false);
    contribution->ShareOut(*slots_, keys.empty() ? slots_->all() : RowSet::List(named.data(), named.size()),
                           sizeof(float));
    return contribution;
  }
  Floats Read(const std::vector<Key>& keys) {
    std::promise<StoreAnswer> answer;
    TableRead read;
    read.reply = NewReply(&answer);
    read.keys = SArray<Key>(keys);
    read.rows = keys.empty() ? slots_->all() : RowSet::List(read.keys.data(), read.keys.size());
    work_->Read(std::move(read));
    const StoreAnswer came = answer.get_future().get();
    Floats values(came.vals.size() / sizeof(float));
    std::memcpy(values.data(), came.vals.data(), came.vals.size());
    return values;
  }

  Watchdog watchdog_;
  Executors executors_{3};
  TableLanes lanes_{&executors_};
  TableSpec spec_;
  std::unique_ptr<TableSlots> slots_;
  std::unique_ptr<TableWork> work_;
};

TEST_F(TableWorkTest, AReadSeesAllThatWasPostedBeforeIt) {
  for (const TableSpec::Kind kind : {TableSpec::kDense, TableSpec::kHash}) {
    Make(kind);
    const std::vector<Key> keys = {299999, 5, 150000, 6, 5};
    for (int i = 1; i <= 200; ++i) {
      work_->Update(Contribution({1, 2, 3, 4, 5}, keys));
      const float n = static_cast<float>(i);
      EXPECT_EQ(Read(keys), (Floats{n, 7 * n, 3 * n, 4 * n, 7 * n}));
    }
  }
}

TEST_F(TableWorkTest, ASumIsOneUpdate) {
  Make(TableSpec::kDense);
  const std::uint64_t before = work_->state().version;
  work_->Fold(Contribution(Floats(kRows, 1), {}));
  work_->Fold(Contribution({10, 20}, {0, 299999}));
  EXPECT_EQ(Read({0, 1, 299999}), (Floats{0, 0, 0}));
  work_->UpdateBySum(2);
  EXPECT_EQ(Read({0, 1, 299999}), (Floats{11, 1, 21}));
  EXPECT_EQ(work_->state().version, before + 1);
  EXPECT_EQ(work_->state().num_updates, 1);
}

TEST_F(TableWorkTest, SetAndEraseGoToTheirSlots) {
  Make(TableSpec::kDense);
  work_->Set(Contribution({7, 8}, {1, 299998}));
  EXPECT_EQ(Read({1, 299998}), (Floats{7, 8}));
  std::promise<StoreAnswer> erased;
  const SArray<Key> keys{299998};
  work_->Erase(NewReply(&erased), 0, keys, RowSet::List(keys.data(), 1));
  erased.get_future().wait();
  EXPECT_EQ(Read({1, 299998}), (Floats{7, 0}));
}

TEST_F(TableWorkTest, ADeltaReadGathersWhatEachSlotFound) {
  Make(TableSpec::kDense);
  const std::uint64_t since = work_->state().version;
  work_->Update(Contribution({1, 2}, {100, 299900}));
  std::promise<StoreAnswer> answer;
  TableRead read;
  read.reply = NewReply(&answer);
  read.rows = slots_->all();
  read.is_delta = true;
  read.since = since;
  work_->Read(std::move(read));
  const StoreAnswer came = answer.get_future().get();
  // Rows of one element share a version by 64.
  EXPECT_EQ(came.keys.size() * sizeof(float), came.vals.size());
  EXPECT_EQ(came.keys.size(), 128u);
  for (std::size_t i = 0; i < came.keys.size(); ++i) {
    float value = 0;
    std::memcpy(&value, came.vals.data() + i * sizeof(float), sizeof(float));
    EXPECT_EQ(value, came.keys[i] == 100 ? 1 : came.keys[i] == 299900 ? 2 : 0);
  }
}

TEST_F(TableWorkTest, AReadThatNoMemoryCanHoldFails) {
  spec_.width = (std::int64_t{1} << 31) - 1;
  Make(TableSpec::kHash);
  std::promise<StoreAnswer> answer;
  TableRead read;
  read.reply = NewReply(&answer);
  read.keys = SArray<Key>(std::vector<Key>(100000));  // petabytes
  read.rows = RowSet::List(read.keys.data(), read.keys.size());
  work_->Read(std::move(read));
  EXPECT_EQ(answer.get_future().get().replies.at(0).status.code(), StatusCode::kResourceExhausted);
}

TEST(InlineTableWorkTest, ATableWithoutFirstValuesIsNotSaved) {
  Executors executors(0);
  TableSpec spec;
  spec.name = "w";
  spec.rows = 4;
  TableSlots::Place place;
  place.range = Range(0, 4);
  const auto slots = TableSlots::Make(spec, place).value();
  (*slots)[0].broken = Status::Unavailable("the rule knows none");
  TableLanes lanes(&executors);
  TableWork work(&spec, slots.get(), &lanes, nullptr);
  Status outcome;
  SaveJob::Place where;
  where.uri = testing::TempDir() + "table_without_first_values";
  const auto job =
      std::make_shared<SaveJob>(where, 1, [&outcome](Result<ShardFile>&& file) { outcome = file.status(); });
  TableRecord record;
  record.spec = spec;
  record.range = place.range;
  work.Save(job, record);
  executors.Drain();
  job->Run();
  EXPECT_EQ(outcome.code(), StatusCode::kUnavailable) << outcome;
  for (const char* part : {"table 'w'", "the rule knows none"})
    EXPECT_NE(outcome.message().find(part), std::string::npos) << outcome;
}

// Nobody writes what is handed over, so the save is stuck.
TEST(InlineTableWorkTest, OnlyWhatComesForATableThatIsSavedWaitsForTheDisk) {
  Watchdog watchdog;
  Executors executors(0);
  TableSpec spec;
  spec.name = "w";
  spec.rows = 4 << 20;  // 16 pieces, more than a save takes unwritten
  TableSlots::Place place;
  place.range = Range(0, static_cast<std::uint64_t>(spec.rows));
  const auto slots = TableSlots::Make(spec, place).value();
  TableLanes lanes(&executors);
  TableWork saved(&spec, slots.get(), &lanes, nullptr);
  const auto job = std::make_shared<SaveJob>(SaveJob::Place(), 1, [](Result<ShardFile>&&) {});
  TableRecord record;
  record.spec = spec;
  saved.Save(job, record);
  const auto read = [&saved] {
    auto answer = std::make_shared<std::promise<StoreAnswer>>();
    TableRead now;
    now.reply =
        std::make_shared<Reply>(1, [answer](StoreAnswer&& from) { answer->set_value(std::move(from)); });
    now.keys = SArray<Key>{5};
    now.rows = RowSet::List(now.keys.data(), 1);
    saved.Read(std::move(now));
    return answer->get_future();
  };
  const auto add = [&slots, &saved](float value) {
    SArray<char> bytes(sizeof(float));
    std::memcpy(bytes.data(), &value, sizeof(value));
    const SArray<Key> keys{5};
    auto added = std::make_shared<Contribution>(std::make_shared<Reply>(1, [](StoreAnswer&&) {}), 0, keys,
                                                bytes, false);
    added->ShareOut(*slots, RowSet::List(keys.data(), 1), sizeof(float));
    saved.Update(added);
  };
  add(2);
  std::future<StoreAnswer> waiting = read();
  EXPECT_EQ(waiting.wait_for(std::chrono::seconds(0)), std::future_status::timeout);
  job->Abandon(Status::Cancelled("the disk is stuck"));
  float value = 0;
  std::memcpy(&value, waiting.get().vals.data(), sizeof(value));
  EXPECT_EQ(value, 2);
  executors.Drain();
  // It is inline again.
  EXPECT_EQ(read().wait_for(std::chrono::seconds(0)), std::future_status::ready);
}

}  // namespace
}  // namespace ps
