#include "c_api/table_spec.h"

#include <gtest/gtest.h>

#include <string>

#include "ps/c/tensor.h"
#include "ps/status.h"

namespace ps::c_api {
namespace {

PSTableOptions Options(int kind, int64_t rows) {
  PSTableOptions options{};
  options.struct_size = sizeof options;
  options.kind = kind;
  options.name = "w";
  options.rows = rows;
  return options;
}

std::string ErrorOf(const PSTableOptions& options) {
  try {
    static_cast<void>(SpecOf(options));
    static_cast<void>(ReadingOf(options));
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), StatusCode::kInvalidArgument);
    return error.what();
  }
  return "";
}

TEST(CApiTableSpecTest, WhatIsNotSaidIsTheDefault) {
  TableSpec expected;
  expected.name = "w";
  expected.rows = 10;
  EXPECT_EQ(SpecOf(Options(PS_ARRAY, 10)).DifferenceTo(expected), "");
  EXPECT_EQ(ReadingOf(Options(PS_ARRAY, 10)).buffers, 1);
}

TEST(CApiTableSpecTest, WhatIsSaidIsInTheSpec) {
  PSTableOptions options = Options(PS_MATRIX, 10);
  options.cols = 3;
  options.dtype = PS_F16;
  options.updater = "adagrad lr=.5";
  options.mode = "bsp:1";
  options.init = "2";
  options.push_codec = "2bit:.25";
  options.pull_codec = "f16";
  options.merged = 1;
  options.mean = 1;
  options.multi_precision = 1;
  options.min_split = 7;
  options.delta = 1;
  options.buffers = 2;
  options.manual_close = 1;
  options.any_order = 1;
  TableSpec expected;
  expected.name = "w";
  expected.rows = 10;
  expected.width = 3;
  expected.dtype = DType::kF16;
  expected.updater = "adagrad";
  expected.updater_options = {{"lr", ".5"}};
  expected.consistency = Consistency::Bsp(1);
  expected.init = Init::Constant(2);
  expected.push_codec = {"2bit", .25};
  expected.pull_codec = {"f16"};
  expected.apply = TableSpec::kMerged;
  expected.mean = true;
  expected.multi_precision = true;
  expected.min_split = 7;
  expected.auto_close = false;
  expected.deterministic = false;
  options.pull_codec = "none";
  expected.pull_codec = {};
  EXPECT_EQ(SpecOf(options).DifferenceTo(expected), "");
  EXPECT_TRUE(ReadingOf(options).delta);
  EXPECT_EQ(ReadingOf(options).buffers, 2);
}

TEST(CApiTableSpecTest, MapsHaveKeysInsteadOfRows) {
  EXPECT_EQ(SpecOf(Options(PS_MAP, 0)).kind, TableSpec::kHash);
  EXPECT_EQ(SpecOf(Options(PS_MAP, 0)).width, 1);
  EXPECT_NE(ErrorOf(Options(PS_MAP, 5)), "");
}

TEST(CApiTableSpecTest, WhatCanNotBeIsRefusedByName) {
  EXPECT_NE(ErrorOf(Options(0, 10)).find("2 (matrix)"), std::string::npos);
  EXPECT_NE(ErrorOf(Options(PS_ARRAY, 0)).find("rows"), std::string::npos);
  EXPECT_NE(ErrorOf(Options(PS_MATRIX, 5)).find("width"), std::string::npos) << "no cols";
  PSTableOptions options = Options(PS_ARRAY, 10);
  options.cols = 2;
  EXPECT_NE(ErrorOf(options).find("cols"), std::string::npos);
  options = Options(PS_ARRAY, 10);
  options.dtype = 13;
  EXPECT_NE(ErrorOf(options).find("PSDType"), std::string::npos);
  options = Options(PS_ARRAY, 10);
  options.delta = 1;
  EXPECT_NE(ErrorOf(options).find("delta"), std::string::npos);
  options = Options(PS_ARRAY, 10);
  options.buffers = 1 << 30;
  EXPECT_NE(ErrorOf(options).find("buffers"), std::string::npos);
  options = Options(PS_ARRAY, 10);
  options.push_codec = "zip";
  EXPECT_NE(ErrorOf(options).find("zip"), std::string::npos);
  options = Options(PS_ARRAY, 10);
  options.updater = "";
  EXPECT_NE(ErrorOf(options), "");
  options = Options(PS_ARRAY, 10);
  options.name = nullptr;
  EXPECT_NE(ErrorOf(options).find("name"), std::string::npos);
}

}  // namespace
}  // namespace ps::c_api
