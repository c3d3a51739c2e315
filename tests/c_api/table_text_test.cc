#include "c_api/table_text.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "ps/status.h"

namespace ps::c_api {
namespace {

// The text of the error; empty: there was none.
std::string ErrorOf(const std::function<void()>& code) {
  try {
    code();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), StatusCode::kInvalidArgument);
    return error.what();
  }
  return "";
}

TEST(TableTextTest, ModesAreRead) {
  EXPECT_EQ(ModeOf(nullptr).mode, Consistency::kAsp);
  EXPECT_EQ(ModeOf("asp").mode, Consistency::kAsp);
  EXPECT_EQ(ModeOf("bsp").mode, Consistency::kBsp);
  EXPECT_EQ(ModeOf("bsp").backup, 0);
  EXPECT_EQ(ModeOf("bsp:2").backup, 2);
  EXPECT_EQ(ModeOf("ssp:3").mode, Consistency::kSsp);
  EXPECT_EQ(ModeOf("ssp:3").bound, 3);
}

TEST(TableTextTest, OtherModesAreRefusedWithTheList) {
  for (const char* text :
       {"", "ssp", "ssp:", "ssp:x", "ssp:-1", "bsp:1:2", "asp:1", "BSP", "ssp:99999999999"}) {
    const std::string error = ErrorOf([&] { ModeOf(text); });
    EXPECT_NE(error.find("'" + std::string(text) + "'"), std::string::npos) << error;
    EXPECT_NE(error.find("ssp:<bound>"), std::string::npos) << error;
  }
}

TEST(TableTextTest, InitialValuesAreRead) {
  EXPECT_EQ(InitOf(nullptr).low, 0);
  EXPECT_EQ(InitOf("-1.5e2").low, -150);
  EXPECT_EQ(InitOf("-1.5e2").kind, Init::kConstant);
  EXPECT_EQ(InitOf("first_write").kind, Init::kFirstWrite);
  const Init uniform = InitOf("uniform:-0.1:.1:18446744073709551615");
  EXPECT_EQ(uniform.kind, Init::kUniform);
  EXPECT_EQ(uniform.low, -0.1);
  EXPECT_EQ(uniform.high, 0.1);
  EXPECT_EQ(uniform.seed, 18446744073709551615U);
}

TEST(TableTextTest, OtherInitialValuesAreRefusedWithTheList) {
  for (const char* text : {"", "x", "1x", "1:2", "uniform", "uniform:0:1", "uniform:0:1:-1", "uniform:a:1:1"})
    EXPECT_NE(ErrorOf([&] { InitOf(text); }).find("uniform:<low>:<high>:<seed>"), std::string::npos) << text;
}

TEST(TableTextTest, CodecsAreANameAndItsParameter) {
  EXPECT_TRUE(CodecOf(nullptr).is_none());
  EXPECT_TRUE(CodecOf("none").is_none());
  EXPECT_EQ(CodecOf("f16").name, "f16");
  EXPECT_EQ(CodecOf("2bit:0.25").name, "2bit");
  EXPECT_EQ(CodecOf("2bit:0.25").parameter, 0.25);
  for (const char* text : {"", ":1", "2bit:", "2bit:x", "2bit:1:2"})
    EXPECT_NE(ErrorOf([&] { CodecOf(text); }).find("topk:<share>"), std::string::npos) << text;
}

}  // namespace
}  // namespace ps::c_api
