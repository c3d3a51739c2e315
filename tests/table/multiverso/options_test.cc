#include "ps/multiverso/options.h"

#include <gtest/gtest.h>

#include <string>

#include "ps/status.h"

namespace multiverso {
namespace {

std::string Hex(const AddOption& option) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (std::size_t i = 0; i < option.size(); ++i) {
    const auto byte = static_cast<unsigned char>(option.data()[i]);
    text += {kDigits[byte / 16], kDigits[byte % 16]};
  }
  return text;
}

TEST(MultiversoOptionsTest, TblVec54BytesOfAnAddOption) {
  AddOption option;
  EXPECT_EQ(option.worker_id(), -1) << "there is no worker before MV_Init";
  option.set_worker_id(0);
  EXPECT_EQ(Hex(option), "00000000000000000ad7233ccdcccc3dcdcccc3d");
  EXPECT_EQ(Hex(AddOption(option.data(), option.size())), Hex(option));
}

TEST(MultiversoOptionsTest, ValuesAreWhatTheyWereSetTo) {
  AddOption option;
  option.set_momentum(0.5F);
  option.set_learning_rate(0.25F);
  option.set_rho(2);
  option.set_lambda(3);
  const AddOption copy(option.data(), option.size());
  EXPECT_EQ(copy.momentum(), 0.5F);
  EXPECT_EQ(copy.learning_rate(), 0.25F);
  EXPECT_EQ(copy.rho(), 2);
  EXPECT_EQ(copy.lambda(), 3);
  GetOption get;
  get.set_worker_id(7);
  EXPECT_EQ(GetOption(get.data(), get.size()).worker_id(), 7);
}

TEST(MultiversoOptionsTest, RulesTakeWhatTheyHave) {
  AddOption option;
  option.set_momentum(0.9F);
  EXPECT_EQ(RatesFor(option, "sgd").RuleText(), "");
  EXPECT_EQ(RatesFor(option, "smooth").RuleText().substr(0, 9), "momentum=");
  EXPECT_EQ(RatesFor(option, "adagrad_worker").RuleText().substr(0, 3), "lr=");
}

TEST(MultiversoOptionsTest, BytesThatAreNoOptionAreRefused) {
  EXPECT_THROW(AddOption("abc", 3), ps::Error);
  EXPECT_THROW(GetOption("abcde", 5), ps::Error);
}

}  // namespace
}  // namespace multiverso
