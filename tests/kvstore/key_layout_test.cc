#include "kvstore/key_layout.h"

#include <gtest/gtest.h>

#include <numeric>
#include <string>

namespace ps {
namespace {

KeyLayout Planned(const Tensor& value, const KeyPlan& plan) {
  return PlanKey(KeySpace("s"), "k", value, plan).value();
}

KeyPlan Distributed() {
  KeyPlan plan;
  plan.type.is_distributed = true;
  return plan;
}

TEST(KeyLayoutTest, ASmallKeyIsOneRowOnOneServer) {
  const KeyLayout layout = Planned(Tensor::Empty({4, 5}), Distributed());
  ASSERT_EQ(layout.tables.size(), 1U);
  EXPECT_EQ(layout.tables[0].rows, 1);
  EXPECT_EQ(layout.tables[0].width, 20);
  EXPECT_EQ(layout.tables[0].updater, "assign");
  EXPECT_EQ(layout.tables[0].apply, TableSpec::kMerged);
  EXPECT_TRUE(layout.tables[0].Validate().ok()) << layout.tables[0].Validate();
}

TEST(KeyLayoutTest, FromTheBoundOnAKeyIsSpread) {
  KeyPlan plan = Distributed();
  plan.bigarray_bound = 100;
  EXPECT_EQ(Planned(Tensor::Empty({99}), plan).tables[0].rows, 1);
  const TableSpec spread = Planned(Tensor::Empty({100}), plan).tables[0];
  EXPECT_EQ(spread.rows, 100);
  EXPECT_EQ(spread.width, 1);
  EXPECT_LT(spread.min_split, 100);
  plan.keeps_whole = true;
  plan.optimizer = {"lamb", {{"lr", ".1"}}};
  const TableSpec whole = Planned(Tensor::Empty({100}), plan).tables[0];
  EXPECT_EQ(whole.rows, 1);
  EXPECT_EQ(whole.updater, "lamb");
  EXPECT_EQ(whole.updater_options, plan.optimizer.options);
}

TEST(KeyLayoutTest, SlicesCoverTheKey) {
  KeyPlan plan = Distributed();
  plan.slice_bytes = 400;
  const KeyLayout layout = Planned(Tensor::Empty({250}), plan);
  ASSERT_EQ(layout.tables.size(), 3U);  // of 96 elements, whole words of bits
  EXPECT_EQ(layout.begins, (std::vector<std::size_t>{0, 96, 192}));
  EXPECT_EQ(layout.tables[2].width, 58);
  EXPECT_NE(layout.tables[0].name, layout.tables[1].name);
  EXPECT_EQ(Planned(Tensor::Empty({100}), plan).tables.size(), 1U) << "as large as a slice";
  plan.slice_bytes = 1;
  EXPECT_EQ(Planned(Tensor::Empty({65}), plan).tables.size(), 3U) << "a slice has 32 elements at least";
  plan.keeps_whole = true;
  plan.optimizer.name = "lamb";
  EXPECT_EQ(Planned(Tensor::Empty({65}), plan).tables.size(), 1U);
}

TEST(KeyLayoutTest, WhoMakesAKeyOfAnotherSizeMeetsTheTableThatIsThere) {
  KeyPlan plan = Distributed();
  plan.slice_bytes = 128;
  const TableSpec two = Planned(Tensor::Empty({64}), plan).tables[0];
  const TableSpec four = Planned(Tensor::Empty({128}), plan).tables[0];
  plan.slice_bytes = 0;
  const TableSpec whole = Planned(Tensor::Empty({64}), plan).tables[0];
  EXPECT_EQ(two.name, four.name);
  EXPECT_EQ(two.name, whole.name);
  EXPECT_NE(two.DifferenceTo(four), "");
  EXPECT_NE(two.DifferenceTo(whole), "");
  EXPECT_TRUE(two.Validate().ok()) << two.Validate();
}

TEST(KeyLayoutTest, VeryLargeKeysHaveLargerSlices) {
  KeyPlan plan = Distributed();
  plan.slice_bytes = 128;
  const KeyLayout layout = Planned(Tensor::Empty({1000000}), plan);
  EXPECT_LE(layout.tables.size(), KeyLayout::kMaxSlices);
  std::int64_t elements = 0;
  for (const TableSpec& table : layout.tables) elements += table.width;
  EXPECT_EQ(elements, 1000000);
}

TEST(KeyLayoutTest, RowSparseKeysKeepTheirRows) {
  KeyPlan plan = Distributed();
  plan.slice_bytes = 16;
  const Tensor value =
      Tensor::RowSparse({6, 2, 3}, Tensor::Empty({0}, DType::kI64), Tensor::Empty({0, 2, 3}));
  const KeyLayout layout = Planned(value, plan);
  ASSERT_EQ(layout.tables.size(), 1U);
  EXPECT_EQ(layout.tables[0].rows, 6);
  EXPECT_EQ(layout.tables[0].width, 6);
  EXPECT_EQ(layout.row_bytes(), 24U);
  EXPECT_TRUE(layout.is_row_sparse);
}

TEST(KeyLayoutTest, ModesHaveTheirRules) {
  KeyPlan plan = Distributed();
  plan.type.consistency = Consistency::Asp();
  const TableSpec spec = Planned(Tensor::Empty({4}), plan).tables[0];
  EXPECT_EQ(spec.updater, kNoUpdater);
  EXPECT_EQ(spec.apply, TableSpec::kEach);
  EXPECT_TRUE(spec.Validate().ok()) << spec.Validate();
}

TEST(KeyLayoutTest, CompressionTravelsOnlyBetweenNodes) {
  KeyPlan plan = Distributed();
  plan.compression.push = {"2bit", 0.25};
  EXPECT_EQ(Planned(Tensor::Empty({4}), plan).tables[0].push_codec.name, "2bit");
  const Status half = PlanKey(KeySpace("s"), "k", Tensor::Empty({4}, DType::kF16), plan).status();
  EXPECT_NE(half.message().find("Gradient compression is only supported for float32"), std::string::npos);
  const Tensor sparse = Tensor::RowSparse({6, 2}, Tensor::Empty({0}, DType::kI64), Tensor::Empty({0, 2}));
  EXPECT_NE(PlanKey(KeySpace("s"), "k", sparse, plan)
                .status()
                .message()
                .find("row sparse storage type is not supported"),
            std::string::npos);
  plan.type.is_distributed = false;
  EXPECT_TRUE(Planned(Tensor::Empty({4}), plan).tables[0].push_codec.is_none());
}

TEST(KeyLayoutTest, AKeyHasElements) {
  EXPECT_EQ(PlanKey(KeySpace("s"), "k", Tensor(), KeyPlan()).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(PlanKey(KeySpace("s"), "k", Tensor::Empty({0, 3}), KeyPlan()).status().code(),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(Planned(Tensor::Empty({}), KeyPlan()).tables[0].width, 1);
}

}  // namespace
}  // namespace ps
