// The rules of include/ps/table_spec.h.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include "ps/table_spec.h"

namespace ps {
namespace {

TableSpec Dense() {
  TableSpec spec;
  spec.name = "weights";
  spec.rows = 10;
  spec.width = 4;
  return spec;
}

TableSpec Hash() {
  TableSpec spec = Dense();
  spec.kind = TableSpec::kHash;
  spec.rows = 0;
  return spec;
}

using Change = std::function<void(TableSpec*)>;

std::string WhyNot(TableSpec spec, const Change& change) {
  EXPECT_TRUE(spec.Validate().ok()) << spec.Validate();
  change(&spec);
  const Status status = spec.Validate();
  EXPECT_TRUE(status.ok() || status.code() == StatusCode::kInvalidArgument) << status;
  return status.message();
}

TEST(SpecTest, AcceptsWhatTheFacesUse) {
  EXPECT_EQ(WhyNot(Dense(), [](TableSpec* s) { s->consistency = Consistency::Ssp(3); }), "");
  EXPECT_EQ(WhyNot(Dense(), [](TableSpec* s) { s->consistency = Consistency::Bsp(1); }), "");
  EXPECT_EQ(WhyNot(Dense(),
                   [](TableSpec* s) {
                     s->consistency = Consistency::Bsp();
                     s->apply = TableSpec::kMerged;
                     s->updater = "assign";
                     s->init = Init::FirstWrite();
                     s->mean = true;
                   }),
            "");
  EXPECT_EQ(WhyNot(Dense(), [](TableSpec* s) { s->init = Init::Uniform(-0.5, 0.5, 7); }), "");
  EXPECT_EQ(WhyNot(Dense(),
                   [](TableSpec* s) {
                     s->dtype = DType::kBF16;
                     s->multi_precision = true;
                     s->push_codec = {"2bit", 0.5};
                   }),
            "");
  EXPECT_EQ(WhyNot(Hash(),
                   [](TableSpec* s) {
                     s->dtype = DType::kI64;
                     s->init = Init::Constant(-7);
                     s->name = "n\xc3\xa4me";
                   }),
            "");
  EXPECT_EQ(WhyNot(Dense(), [](TableSpec* s) { s->updater = "one that a program has registered"; }), "");
}

TEST(SpecTest, SaysWhatIsWrongWithAName) {
  for (const std::string& name :
       {std::string(), std::string(256, 'x'), std::string("a\nb"), std::string("a\0b", 3)}) {
    EXPECT_NE(WhyNot(Dense(), [&](TableSpec* s) { s->name = name; }), "");
    EXPECT_NE(WhyNot(Dense(), [&](TableSpec* s) { s->updater = name; }), "");
    EXPECT_NE(WhyNot(Dense(), [&](TableSpec* s) { s->push_codec.name = name; }), "");
    EXPECT_NE(WhyNot(Dense(), [&](TableSpec* s) { s->updater_options[name] = "1"; }), "");
  }
  EXPECT_EQ(WhyNot(Dense(), [](TableSpec* s) { s->name = std::string(255, 'x'); }), "");
}

TEST(SpecTest, SaysWhatIsWrongWithAShape) {
  EXPECT_EQ(WhyNot(Dense(), [](TableSpec* s) { s->rows = 0; }), "table `weights`: rows 0 is not 1 or more");
  EXPECT_EQ(WhyNot(Dense(), [](TableSpec* s) { s->width = 0; }),
            "table `weights`: width 0 is not in 1 to 2147483647");
  EXPECT_NE(WhyNot(Dense(), [](TableSpec* s) { s->width = std::int64_t{1} << 31; }), "");
  EXPECT_NE(WhyNot(Hash(), [](TableSpec* s) { s->width = -1; }), "");
  EXPECT_NE(WhyNot(Hash(), [](TableSpec* s) { s->rows = 5; }), "");
  EXPECT_NE(WhyNot(Dense(), [](TableSpec* s) { s->rows = std::numeric_limits<std::int64_t>::max(); }), "");
  EXPECT_NE(WhyNot(Dense(), [](TableSpec* s) { s->rows = (std::int64_t{1} << 51) + 1; }), "");
  EXPECT_EQ(WhyNot(Dense(), [](TableSpec* s) { s->rows = std::int64_t{1} << 51; }), "");
  EXPECT_NE(WhyNot(Dense(), [](TableSpec* s) { s->min_split = -1; }), "");
}

TEST(SpecTest, SaysWhatIsWrongWithInitialValues) {
  const double infinite = std::numeric_limits<double>::infinity();
  EXPECT_NE(WhyNot(Dense(), [&](TableSpec* s) { s->init.low = infinite; }), "");
  EXPECT_NE(WhyNot(Dense(), [](TableSpec* s) { s->init.high = std::nan(""); }), "");
  EXPECT_NE(WhyNot(Dense(), [](TableSpec* s) { s->init = Init::Uniform(1, 0, 7); }), "");
  EXPECT_NE(WhyNot(Hash(), [](TableSpec* s) { s->init = Init::FirstWrite(); }), "");
  const auto integer = [](DType dtype, double value) {
    return WhyNot(Dense(), [=](TableSpec* s) {
      s->dtype = dtype;
      s->init = Init::Constant(value);
    });
  };
  EXPECT_EQ(integer(DType::kI32, 0.5), "table `weights`: the initial value 0.500000 is no i32");
  EXPECT_EQ(integer(DType::kI8, -128), "");
  EXPECT_NE(integer(DType::kI8, 128), "");
  EXPECT_EQ(integer(DType::kU8, 255), "");
  EXPECT_NE(integer(DType::kU8, -1), "");
  EXPECT_EQ(integer(DType::kI64, -0x1p63), "");
  EXPECT_NE(integer(DType::kI64, 0x1p63), "");
  EXPECT_NE(integer(DType::kU64, 0x1p64), "");
  EXPECT_NE(integer(DType::kBool, 2), "");
  EXPECT_NE(WhyNot(Dense(),
                   [](TableSpec* s) {
                     s->dtype = DType::kI32;
                     s->init = Init::Uniform(0, 1, 7);
                   }),
            "");
}

TEST(SpecTest, SaysWhatIsWrongWithConsistency) {
  EXPECT_NE(WhyNot(Dense(), [](TableSpec* s) { s->consistency = Consistency::Ssp(-1); }), "");
  EXPECT_NE(WhyNot(Dense(), [](TableSpec* s) { s->consistency = Consistency::Bsp(-1); }), "");
  EXPECT_NE(WhyNot(Dense(), [](TableSpec* s) { s->consistency.bound = 1; }), "");
  EXPECT_NE(WhyNot(Dense(), [](TableSpec* s) { s->consistency.backup = 1; }), "");
  EXPECT_EQ(WhyNot(Dense(), [](TableSpec* s) { s->apply = TableSpec::kMerged; }),
            "table `weights`: merged apply is for BSP alone: other modes have no rounds to merge");
}

TEST(SpecTest, SaysWhatIsForMergedApplyAlone) {
  EXPECT_EQ(WhyNot(Dense(), [](TableSpec* s) { s->mean = true; }),
            "table `weights`: mean is for merged apply alone: else there is no sum to divide");
  EXPECT_EQ(
      WhyNot(Dense(), [](TableSpec* s) { s->deterministic = false; }),
      "table `weights`: deterministic = false is for merged apply alone: else there is no sum to order");
  EXPECT_EQ(WhyNot(Dense(),
                   [](TableSpec* s) {
                     s->consistency = Consistency::Bsp();
                     s->apply = TableSpec::kMerged;
                     s->mean = true;
                     s->deterministic = false;
                   }),
            "");
}

TEST(SpecTest, SaysWhatIsWrongWithACodec) {
  const auto push = [](const CodecSpec& codec) {
    return WhyNot(Dense(), [=](TableSpec* s) { s->push_codec = codec; });
  };
  const std::string unknown = push({"gzip", 0});
  EXPECT_NE(unknown.find("table `weights`: the push codec: no codec is called 'gzip'"), std::string::npos)
      << unknown;
  EXPECT_NE(push({"topk", 2}), "");
  EXPECT_NE(push({"2bit", -1}), "");
  EXPECT_EQ(push({"topk", 0.1}), "");
  const std::string residual = WhyNot(Dense(), [](TableSpec* s) { s->pull_codec = {"2bit", 0.5}; });
  EXPECT_NE(residual.find("use it for pushes only"), std::string::npos) << residual;
}

TEST(SpecTest, SaysWhatIsWrongWithARuleOfTheLibraryAndLeavesOthersToTheServers) {
  const auto rule = [](const std::string& name, const UpdaterOptions& options, DType dtype) {
    return WhyNot(Dense(), [&](TableSpec* s) {
      s->updater = name;
      s->updater_options = options;
      s->dtype = dtype;
    });
  };
  EXPECT_EQ(rule("adam", {{"lr", "0.1"}}, DType::kF32), "");
  EXPECT_NE(rule("adam", {{"learning", "0.1"}}, DType::kF32).find("learning"), std::string::npos);
  EXPECT_NE(rule("adam", {{"lr", "fast"}}, DType::kF32), "");
  EXPECT_NE(rule("adam", {}, DType::kI32), "");
  EXPECT_EQ(rule("one of the servers", {{"learning", "0.1"}}, DType::kI32), "");
  EXPECT_EQ(rule(kNoUpdater, {}, DType::kI32), "");
  EXPECT_NE(rule(kNoUpdater, {{"lr", "0.1"}}, DType::kF32).find("lr"), std::string::npos);
}

TEST(SpecTest, SaysWhatTheElementTypeCannot) {
  EXPECT_NE(WhyNot(Dense(), [](TableSpec* s) { s->multi_precision = true; }), "");
  for (const char* codec : {"f16", "bf16"}) {
    EXPECT_EQ(WhyNot(Dense(), [=](TableSpec* s) { s->pull_codec = {codec, 0}; }), "");
    EXPECT_NE(WhyNot(Dense(),
                     [=](TableSpec* s) {
                       s->dtype = DType::kI32;
                       s->pull_codec = {codec, 0};
                     }),
              "");
  }
  EXPECT_NE(WhyNot(Dense(),
                   [](TableSpec* s) {
                     s->dtype = DType::kI32;
                     s->mean = true;
                   }),
            "");
  EXPECT_NE(WhyNot(Dense(), [](TableSpec* s) { s->push_codec.parameter = std::nan(""); }), "");
}

TEST(SpecTest, RefusesBytesThatAreNoEnumerator) {
  EXPECT_NE(WhyNot(Dense(), [](TableSpec* s) { s->dtype = static_cast<DType>(13); }), "");
  EXPECT_NE(WhyNot(Dense(), [](TableSpec* s) { s->kind = static_cast<TableSpec::Kind>(2); }), "");
  EXPECT_NE(WhyNot(Dense(), [](TableSpec* s) { s->init.kind = static_cast<Init::Kind>(3); }), "");
  EXPECT_NE(WhyNot(Dense(), [](TableSpec* s) { s->consistency.mode = static_cast<Consistency::Mode>(3); }),
            "");
  EXPECT_NE(WhyNot(Dense(), [](TableSpec* s) { s->apply = static_cast<TableSpec::Apply>(2); }), "");
}

TEST(SpecTest, BoundsTheOptions) {
  EXPECT_NE(WhyNot(Dense(),
                   [](TableSpec* s) {
                     for (int i = 0; i < 65; ++i) s->updater_options["o" + std::to_string(i)] = "1";
                   }),
            "");
  EXPECT_NE(WhyNot(Dense(), [](TableSpec* s) { s->updater_options["lr"] = std::string(4097, '1'); }), "");
}

// Each field shows, by name.
TEST(SpecTest, NamesEachDifference) {
  const struct {
    Change change;
    const char* text;
  } kCases[] = {
      {[](TableSpec* s) { s->name = "w"; }, "name: `weights` and `w`"},
      {[](TableSpec* s) { s->dtype = DType::kF64; }, "dtype: f32 and f64"},
      {[](TableSpec* s) { s->kind = TableSpec::kHash; }, "kind: dense and hash"},
      {[](TableSpec* s) { s->rows = 20; }, "rows: 10 and 20"},
      {[](TableSpec* s) { s->width = 5; }, "width: 4 and 5"},
      {[](TableSpec* s) { s->init.kind = Init::kUniform; }, "initial values: constant and uniform"},
      {[](TableSpec* s) { s->init.low = 1.5; }, "initial low: 0 and 1.5"},
      {[](TableSpec* s) { s->init.high = 1; }, "initial high: 0 and 1"},
      {[](TableSpec* s) { s->init.seed = 1; }, "initial seed: 0 and 1"},
      {[](TableSpec* s) { s->updater = "sgd"; }, "updater: `add` and `sgd`"},
      {[](TableSpec* s) {
         s->updater_options = {{"a", "1"}, {"b", "2"}};
       },
       "updater options: {} and {a=1 b=2}"},
      {[](TableSpec* s) { s->multi_precision = true; }, "multi_precision: false and true"},
      {[](TableSpec* s) { s->consistency.mode = Consistency::kBsp; }, "mode: asp and bsp"},
      {[](TableSpec* s) { s->consistency.bound = 2; }, "bound: 0 and 2"},
      {[](TableSpec* s) { s->consistency.backup = 2; }, "backup: 0 and 2"},
      {[](TableSpec* s) { s->apply = TableSpec::kMerged; }, "apply: each and merged"},
      {[](TableSpec* s) { s->mean = true; }, "mean: false and true"},
      {[](TableSpec* s) { s->auto_close = false; }, "auto_close: true and false"},
      {[](TableSpec* s) { s->deterministic = false; }, "deterministic: true and false"},
      {[](TableSpec* s) { s->push_codec.name = "f16"; }, "push codec: `none` and `f16`"},
      {[](TableSpec* s) { s->push_codec.parameter = 1; }, "push codec's parameter: 0 and 1"},
      {[](TableSpec* s) { s->pull_codec.name = "f16"; }, "pull codec: `none` and `f16`"},
      {[](TableSpec* s) { s->pull_codec.parameter = 1; }, "pull codec's parameter: 0 and 1"},
      {[](TableSpec* s) { s->min_split = 5; }, "min_split: 1000000 and 5"},
  };
  const TableSpec spec = Dense();
  EXPECT_EQ(spec.DifferenceTo(spec), "");
  EXPECT_TRUE(spec == Dense());
  for (const auto& one : kCases) {
    TableSpec other = Dense();
    one.change(&other);
    EXPECT_EQ(spec.DifferenceTo(other), one.text);
    EXPECT_TRUE(spec != other) << one.text;
  }
  TableSpec other = Dense();
  other.rows = 1;
  other.mean = true;
  EXPECT_EQ(spec.DifferenceTo(other), "rows: 10 and 1, mean: false and true");
}

TEST(SpecTest, AProgramsOwnTableHasNothingButItsCode) {
  const TableSpec spec = TableSpec::User("t", "Sums", 2);
  EXPECT_TRUE(spec.Validate().ok()) << spec.Validate();
  EXPECT_EQ(spec.DifferenceTo(TableSpec::User("t", "Products", 3)),
            "rows: 2 and 3, updater: `Sums` and `Products`");
  TableSpec other = spec;
  other.consistency = Consistency::Bsp();
  EXPECT_NE(other.Validate().message().find("for asp alone"), std::string::npos) << other.Validate();
  other = spec;
  other.width = 4;
  EXPECT_NE(other.Validate().message().find("have no width: 1 and 4"), std::string::npos) << other.Validate();
  other = spec;
  other.updater = "";
  EXPECT_FALSE(other.Validate().ok());
}

}  // namespace
}  // namespace ps
