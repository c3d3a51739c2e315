#include "store/codec/codec.h"

#include <string>

#include "store/codec/fixed_codec.h"
#include "store/codec/half_codec.h"
#include "store/codec/none_codec.h"
#include "store/codec/one_bit_codec.h"
#include "store/codec/sparse_codec.h"
#include "store/codec/top_k_codec.h"
#include "store/codec/two_bit_codec.h"

namespace ps {
namespace {

constexpr double kTwoBitThreshold = 0.5;
constexpr double kTopKShare = 0.01;
constexpr double kFixedBytes = 1;

Result<std::unique_ptr<Codec>> MakeNoneCodec(double /*parameter*/, DType dtype) {
  return std::unique_ptr<Codec>(std::make_unique<NoneCodec>(dtype));
}

struct Kind {
  const char* name;
  double unset;  // what a parameter of 0 stands for
  Result<std::unique_ptr<Codec>> (*make)(double parameter, DType dtype);
};

constexpr Kind kKinds[] = {{"none", 0, MakeNoneCodec},
                           {"sparse", 0, MakeSparseCodec},
                           {"f16", 0, MakeF16Codec},
                           {"bf16", 0, MakeBF16Codec},
                           {"2bit", kTwoBitThreshold, MakeTwoBitCodec},
                           {"1bit", 0, MakeOneBitCodec},
                           {"topk", kTopKShare, MakeTopKCodec},
                           {"fixed", kFixedBytes, MakeFixedCodec}};

}  // namespace

Result<std::unique_ptr<Codec>> MakeCodec(const CodecSpec& spec, DType dtype) {
  std::string names;
  for (const Kind& kind : kKinds) {
    if (spec.name == kind.name) return kind.make(spec.parameter == 0 ? kind.unset : spec.parameter, dtype);
    names += (names.empty() ? "" : ", ") + std::string(kind.name);
  }
  return Status::InvalidArgument("no codec is called '" + spec.name + "'; there are " + names);
}

Result<std::unique_ptr<Codec>> MakeCodecOrNone(const CodecSpec& spec, DType dtype) {
  if (spec.is_none()) return std::unique_ptr<Codec>();
  return MakeCodec(spec, dtype);
}

}  // namespace ps
