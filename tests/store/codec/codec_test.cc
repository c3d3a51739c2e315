#include "store/codec/codec.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/store/codec/coding.h"

namespace ps {
namespace {

Status StatusOf(const std::string& name, double parameter, DType dtype = DType::kF32) {
  CodecSpec spec;
  spec.name = name;
  spec.parameter = parameter;
  return MakeCodec(spec, dtype).status();
}

TEST(CodecTest, UnknownNamesAreRefusedWithAList) {
  const Status status = StatusOf("3bit", 0);
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  for (const char* name : {"3bit", "none", "sparse", "f16", "bf16", "2bit", "1bit", "topk", "fixed"})
    EXPECT_NE(status.message().find(name), std::string::npos) << status;
}

TEST(CodecTest, ParametersThatMakeNoSenseAreRefused) {
  const double nan = std::nan("");
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<std::pair<std::string, double>> wrong = {
      {"2bit", -1},   {"2bit", nan},  {"2bit", infinity}, {"2bit", 1e-60}, {"1bit", nan},
      {"1bit", 1e60}, {"sparse", -1}, {"topk", -1},       {"topk", 1.5},   {"topk", nan},
      {"fixed", 1.5}, {"fixed", 5},   {"sparse", nan}};
  for (const auto& [name, parameter] : wrong)
    EXPECT_EQ(StatusOf(name, parameter).code(), StatusCode::kInvalidArgument) << name << " " << parameter;
}

TEST(CodecTest, DTypesThatACodecIsNotForAreRefused) {
  for (const char* name : {"f16", "bf16", "2bit", "1bit", "topk", "fixed"})
    EXPECT_EQ(StatusOf(name, 0, DType::kI32).code(), StatusCode::kInvalidArgument) << name;
  for (const char* name : {"2bit", "1bit", "topk"})
    EXPECT_EQ(StatusOf(name, 0, DType::kF64).code(), StatusCode::kInvalidArgument) << name;
  for (int code = 0; code < kNumDTypes; ++code) {
    for (const char* name : {"none", "sparse"}) EXPECT_TRUE(StatusOf(name, 0, static_cast<DType>(code)).ok());
  }
}

TEST(CodecTest, BytesOfOneCodecAreNotThoseOfAnother) {
  const std::vector<float> values(100, 0.75F);
  for (const char* name : {"sparse", "f16", "bf16", "2bit", "1bit", "topk", "fixed"}) {
    std::vector<float> residual(100, 0.0F);
    const std::vector<char> bytes =
        Encode(*MakeCodecFor(name, 0, DType::kF32), values, residual.data()).value();
    for (const char* other : {"sparse", "f16", "bf16", "2bit", "1bit", "topk", "fixed"}) {
      const bool is_ok = Decode<float>(*MakeCodecFor(other, 0, DType::kF32), bytes, 100).ok();
      EXPECT_EQ(is_ok, std::string(name) == other) << name << " as " << other;
    }
  }
}

TEST(CodecTest, ThresholdsOfBothSidesAreCompared) {
  std::vector<float> residual(4);
  const std::vector<char> bytes =
      Encode(*MakeCodecFor("2bit", 0.5, DType::kF32), std::vector<float>(4), residual.data()).value();
  EXPECT_TRUE(Decode<float>(*MakeCodecFor("2bit", 0, DType::kF32), bytes, 4).ok());
  EXPECT_FALSE(Decode<float>(*MakeCodecFor("2bit", 0.25, DType::kF32), bytes, 4).ok());
}

// --- tests/vectors/codecs.json ---
// {"id", "codec", "parameter", "residual" at first (else zeros), "steps": [{"values", "bytes" of the body,
// "decoded", "either": the two values that each may have, "residual" afterwards, "error": in the message}]}

nlohmann::json Vectors() {
  const char* const root = std::getenv("PS_ROOT");
  std::ifstream file(std::string(root == nullptr ? "." : root) + "/tests/vectors/codecs.json");
  EXPECT_TRUE(file) << "run from the root of the repository, or set PS_ROOT to it";
  return nlohmann::json::parse(file);
}

std::vector<float> Floats(const nlohmann::json& list) {
  std::vector<float> values;
  for (const nlohmann::json& value : list)
    values.push_back(value.is_string() ? std::strtof(value.get<std::string>().c_str(), nullptr)
                                       : value.get<float>());
  return values;
}

void CheckDecoded(const nlohmann::json& step, const std::vector<float>& decoded) {
  if (step.contains("decoded")) {
    EXPECT_EQ(decoded, Floats(step["decoded"]));
  }
  for (std::size_t i = 0; step.contains("either") && i < decoded.size(); ++i) {
    const std::vector<float> either = Floats(step["either"][i]);
    EXPECT_TRUE(std::fabs(decoded[i] - either[0]) < 1e-6F || std::fabs(decoded[i] - either[1]) < 1e-6F)
        << decoded[i] << " is neither " << either[0] << " nor " << either[1];
  }
}

void RunStep(const Codec& codec, const nlohmann::json& step, std::vector<float>* residual) {
  const std::vector<float> values = Floats(step["values"]);
  residual->resize(values.size());
  const Result<std::vector<char>> bytes = Encode(codec, values, residual->data());
  if (step.contains("residual")) {
    EXPECT_EQ(*residual, Floats(step["residual"]));
  }
  if (step.contains("error")) {
    EXPECT_EQ(bytes.status().code(), StatusCode::kInvalidArgument);
    EXPECT_NE(bytes.status().message().find(step["error"].get<std::string>()), std::string::npos)
        << bytes.status();
    return;
  }
  if (step.contains("bytes")) {
    EXPECT_EQ(BodyOf(bytes.value()), step["bytes"].get<std::string>());
  }
  CheckDecoded(step, Decode<float>(codec, bytes.value(), values.size()).value());
}

TEST(CodecTest, VectorsOfTheSpecifications) {
  const nlohmann::json vectors = Vectors();
  EXPECT_GE(vectors.size(), 14U);
  for (const nlohmann::json& vector : vectors) {
    SCOPED_TRACE(vector["id"].get<std::string>());
    const auto codec = MakeCodecFor(vector["codec"], vector["parameter"], DType::kF32);
    std::vector<float> residual;
    if (vector.contains("residual")) residual = Floats(vector["residual"]);
    for (const nlohmann::json& step : vector["steps"]) RunStep(*codec, step, &residual);
  }
}

TEST(CodecTest, NoneIsNoCodecWhereNothingNeedsOne) {
  EXPECT_EQ(MakeCodecOrNone({"none", 0}, DType::kF32).value(), nullptr);
  EXPECT_NE(MakeCodecOrNone({"f16", 0}, DType::kF32).value(), nullptr);
  EXPECT_EQ(MakeCodecOrNone({"gzip", 0}, DType::kF32).status().code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace ps
