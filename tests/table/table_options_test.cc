#include "ps/table_options.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

namespace ps {
namespace {

TEST(AddOptionTest, TblVec54HasMultiversosBytes) {
  const AddOption option;
  std::vector<unsigned char> bytes(sizeof option);
  std::memcpy(bytes.data(), &option, sizeof option);
  EXPECT_EQ(bytes, (std::vector<unsigned char>{0,    0,    0,    0,    0,    0,    0,    0,    0x0a, 0xd7,
                                               0x23, 0x3c, 0xcd, 0xcc, 0xcc, 0x3d, 0xcd, 0xcc, 0xcc, 0x3d}));
}

TEST(AddOptionTest, EachRuleReadsWhatMultiversosDoes) {
  AddOption option;
  option.momentum = 0.9F;
  EXPECT_EQ(option.For("smooth").RuleText(), "momentum=0.90000000000000002");
  EXPECT_EQ(option.For("adagrad_worker").RuleText(), "lr=0.01 rho=0.10000000000000001");
  EXPECT_EQ(option.For("dcasgd").RuleText(), "lr=0.01 lambda=0.10000000000000001");
  EXPECT_EQ(option.For("dcasgd_a").RuleText(),
            "lr=0.01 momentum=0.90000000000000002 lambda=0.10000000000000001");
  EXPECT_EQ(option.For("sgd").RuleText(), "") << "its contributions are steps already";
  EXPECT_EQ(option.For("add").RuleText(), "");
}

TEST(TableAddOptionsTest, SayWhatIsSetAndNothingElse) {
  TableAddOptions options;
  EXPECT_EQ(options.RuleText(), "");
  options.rho = 0.5;
  EXPECT_EQ(options.RuleText(), "rho=0.5");
  options.learning_rate = 1e-30;
  options.momentum = 0;
  options.lambda = 2;
  EXPECT_EQ(options.RuleText(), "lr=1.0000000000000001e-30 momentum=0 rho=0.5 lambda=2");
  options.others = "wd=0.1 clip=1";
  EXPECT_EQ(options.RuleText(), "lr=1.0000000000000001e-30 momentum=0 rho=0.5 lambda=2 wd=0.1 clip=1");
}

TEST(TableOptionsTest, DescribeTheTable) {
  const MatrixOptions options = MatrixOptions()
                                    .Name("w")
                                    .Rows(7)
                                    .Cols(3)
                                    .Updater("adagrad lr=.5 eps=1e-3")
                                    .Mode(Consistency::Bsp(1))
                                    .Init(Init::Constant(2))
                                    .Codecs({"sparse", 0.5}, {"f16"})
                                    .Delta()
                                    .Buffers(2);
  const TableSpec& spec = options.spec();
  EXPECT_EQ(spec.name, "w");
  EXPECT_EQ(spec.rows, 7);
  EXPECT_EQ(spec.width, 3);
  EXPECT_EQ(spec.updater, "adagrad");
  EXPECT_EQ(spec.updater_options, (UpdaterOptions{{"lr", ".5"}, {"eps", "1e-3"}}));
  EXPECT_EQ(spec.consistency.mode, Consistency::kBsp);
  EXPECT_EQ(spec.consistency.backup, 1);
  EXPECT_EQ(spec.init.low, 2);
  EXPECT_EQ(spec.push_codec.name, "sparse");
  EXPECT_EQ(spec.push_codec.parameter, 0.5);
  EXPECT_EQ(spec.pull_codec.name, "f16");
  EXPECT_TRUE(options.delta());
  EXPECT_EQ(options.buffers(), 2);
  EXPECT_EQ(ArrayOptions().Size(5).spec().rows, 5);
  EXPECT_THROW(KVOptions().Updater(""), Error);
}

}  // namespace
}  // namespace ps
