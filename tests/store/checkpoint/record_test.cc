#include "store/checkpoint/record.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/store/checkpoint/saved_table.h"

namespace ps {
namespace {

TEST(TableRecordTest, RoundTrips) {
  const TableRecord record = RecordOf(DenseSpec("dense", 50, 3), 2, Range(10, 20));
  const Result<TableRecord> again = DecodeTableRecord(EncodeTableRecord(record));
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_TRUE(again.value().spec == record.spec);
  EXPECT_EQ(again.value().num_states, 2);
  EXPECT_EQ(again.value().range, Range(10, 20));
  EXPECT_EQ(again.value().version, record.version);
  EXPECT_EQ(again.value().num_updates, record.num_updates);
  EXPECT_EQ(again.value().gate.version, 20u);
  ASSERT_EQ(again.value().gate.clocks.size(), 2u);
  EXPECT_EQ(again.value().gate.clocks[0].last, GateState::kStays);
  EXPECT_EQ(again.value().gate.clocks[1].completed, 30u);
  EXPECT_EQ(again.value().gate.clocks[1].last, 25u);
}

TEST(TableRecordTest, RefusesWhatCannotBe) {
  EXPECT_FALSE(DecodeTableRecord("").ok());
  EXPECT_FALSE(DecodeTableRecord("\xff\xff").ok());
  TableRecord record = RecordOf(DenseSpec("dense", 50, 3), 2, Range(10, 51));
  EXPECT_FALSE(DecodeTableRecord(EncodeTableRecord(record)).ok());
  record.range = Range(20, 10);
  EXPECT_FALSE(DecodeTableRecord(EncodeTableRecord(record)).ok());
  record.range = Range(10, 20);
  record.num_states = -1;
  EXPECT_FALSE(DecodeTableRecord(EncodeTableRecord(record)).ok());
  record.num_states = 100000;
  EXPECT_FALSE(DecodeTableRecord(EncodeTableRecord(record)).ok());
  record = RecordOf(HashSpec("hash", 3), 0, Range(0, 4097));
  EXPECT_FALSE(DecodeTableRecord(EncodeTableRecord(record)).ok());
  record = RecordOf(DenseSpec("", 50, 3), 2, Range(10, 20));
  EXPECT_FALSE(DecodeTableRecord(EncodeTableRecord(record)).ok());
}

TEST(TableRecordTest, SizesARowInItsMasterTypeWithItsStates) {
  TableRecord record = RecordOf(DenseSpec("dense", 50, 3), 2, Range(0, 50));
  EXPECT_EQ(record.RowBytes(), 3u * 4 * 3);
  record.spec.dtype = DType::kBF16;
  EXPECT_EQ(record.RowBytes(), 3u * 4 * 3);
  record.spec.dtype = DType::kI8;
  EXPECT_EQ(record.RowBytes(), 3u * 1 * 3);
}

// What is wrong with such a table, as the job has it.
template <typename Change>
std::string WhyNot(int num_states, const Change& change) {
  const TableRecord saved = RecordOf(DenseSpec("dense", 50, 3), 2, Range(0, 50));
  TableSpec mine = saved.spec;
  change(&mine);
  Status status = RuleToRestore(saved, mine).status();
  if (status.ok()) status = CheckNumStates(saved, num_states);
  EXPECT_TRUE(status.ok() || status.code() == StatusCode::kInvalidArgument);
  const std::string prefix = "the checkpoint's table `dense` is another one than that of the job: ";
  EXPECT_EQ(status.message().find(prefix), status.ok() ? std::string::npos : 0) << status;
  return status.ok() ? "" : status.message().substr(prefix.size());
}

// tbl-vec-82: wrong dtype, wrong shape.
TEST(TableRecordTest, NamesWhyRowsAreNotOfATable) {
  EXPECT_EQ(WhyNot(2, [](TableSpec* s) { s->dtype = DType::kF64; }), "dtype: f32 and f64");
  EXPECT_EQ(WhyNot(2, [](TableSpec* s) { s->rows = 51; }), "rows: 50 and 51");
  EXPECT_EQ(WhyNot(2, [](TableSpec* s) { s->width = 4; }), "width: 3 and 4");
  EXPECT_EQ(WhyNot(2, [](TableSpec* s) { s->updater = "adam"; }), "updater: `add` and `adam`");
  EXPECT_EQ(WhyNot(2, [](TableSpec* s) { s->kind = TableSpec::kHash; }), "kind: dense and hash");
  EXPECT_EQ(WhyNot(2, [](TableSpec* s) { s->multi_precision = true; }), "multi_precision: false and true");
  EXPECT_EQ(WhyNot(3, [](TableSpec*) {}), "states of the updater: 2 and 3");
}

TEST(TableRecordTest, HowATableWasUsedDoesNotMatter) {
  EXPECT_EQ(WhyNot(2,
                   [](TableSpec* s) {
                     s->consistency = Consistency::Asp();
                     s->push_codec = {"f16", 0};
                     s->min_split = 7;
                     s->updater_options = {{"lr", "0.1"}};
                     s->init = Init::Constant(5);
                   }),
            "");
}

TEST(TableRecordTest, ATableGoesOnWithTheRuleThatWasInForce) {
  TableRecord saved = RecordOf(DenseSpec("dense", 50, 3), 2, Range(0, 50));
  const TableSpec made = saved.spec;
  EXPECT_EQ(RuleToRestore(saved, made).value(), TableRule::Of(made)) << "an old checkpoint has no rule";
  saved.rule = {{"adam", {{"lr", "1"}}}, false, {{{"lr", ".5"}}}};
  saved.waiting.push_back({7, false, {}, {{"lr", ".1"}}, nullptr});
  saved = DecodeTableRecord(EncodeTableRecord(saved)).value();
  ASSERT_EQ(saved.waiting.size(), 1u);
  EXPECT_EQ(RuleToRestore(saved, made).value(), saved.rule) << "made in the same way";
  EXPECT_EQ(RuleToRestore(saved, saved.rule.In(made)).value(), saved.rule) << "made with what was set later";
  TableSpec other = saved.rule.In(made);
  other.updater_options["lr"] = "9";
  EXPECT_EQ(RuleToRestore(saved, other).value(), TableRule::Of(other)) << "options of its own hold";
  other.updater = "momentum";
  EXPECT_EQ(
      RuleToRestore(saved, other).status().message(),
      "the checkpoint's table `dense` is another one than that of the job: updater: `adam` and `momentum`");
  EXPECT_TRUE(CheckStates(saved, made, saved.rule).ok());
  EXPECT_FALSE(CheckStates(saved, made, TableRule::Of(made)).ok());
}

}  // namespace
}  // namespace ps
