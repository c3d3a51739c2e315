#include "store/residuals.h"

#include <gtest/gtest.h>

#include <vector>

namespace ps {
namespace {

TableSpec Spec(TableSpec::Kind kind) {
  TableSpec spec;
  spec.name = "w";
  spec.kind = kind;
  spec.rows = kind == TableSpec::kDense ? 10 : 0;
  spec.width = 2;
  return spec;
}

TEST(ResidualsTest, AreZeroAtFirstAndStayWhereTheyWerePut) {
  for (const TableSpec::Kind kind : {TableSpec::kDense, TableSpec::kHash}) {
    Residuals residuals(Spec(kind));
    const std::vector<std::uint64_t> rows{7, 3};
    std::vector<float> copy = residuals.Copy(rows.data(), 2).value();
    EXPECT_EQ(copy, std::vector<float>(4, 0.0f));
    copy = {1, 2, 3, 4};
    residuals.PutBack(rows.data(), 2, copy);
    const std::vector<std::uint64_t> others{3, 5, 7};
    EXPECT_EQ(residuals.Copy(others.data(), 3).value(), (std::vector<float>{3, 4, 0, 0, 1, 2}));
  }
}

TEST(ResidualsTest, ARangeAndAListAreTheSameResiduals) {
  Residuals residuals(Spec(TableSpec::kDense));
  residuals.OfRange(4, 2)[1] = 5;
  const std::vector<std::uint64_t> row{4};
  EXPECT_EQ(residuals.Copy(row.data(), 1).value(), (std::vector<float>{0, 5}));
}

TEST(ResidualsTest, ARowThatIsListedTwiceIsRefusedByName) {
  Residuals residuals(Spec(TableSpec::kDense));
  const std::vector<std::uint64_t> rows{1, 8, 1};
  const Status refused = residuals.Copy(rows.data(), 3).status();
  EXPECT_EQ(refused.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(refused.message().find("row 1 "), std::string::npos) << refused;
}

}  // namespace
}  // namespace ps
