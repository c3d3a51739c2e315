#include "kvstore/compression.h"

#include <cmath>
#include <cstdlib>
#include <string>

namespace ps {
namespace {

Status ReadNumber(const KVParams& params, const char* name, double* number) {
  const auto found = params.find(name);
  if (found == params.end()) return Status::Ok();
  char* end = nullptr;
  *number = std::strtod(found->second.c_str(), &end);
  if (!found->second.empty() && *end == '\0' && std::isfinite(*number)) return Status::Ok();
  return Status::InvalidArgument(std::string("gradient compression: ") + name + "=" + found->second +
                                 " is no number");
}

std::string TextOf(const KVParams& params, const char* name) {
  const auto found = params.find(name);
  return found == params.end() ? "" : found->second;
}

Status CheckNames(const KVParams& params) {
  for (const auto& [name, value] : params) {
    if (name != "type" && name != "threshold" && name != "ratio" && name != "pull")
      return Status::InvalidArgument("gradient compression: " + name +
                                     " is unknown; there are type, threshold, ratio, pull");
  }
  return Status::Ok();
}

Status ReadPush(const KVParams& params, CodecSpec* push) {
  push->name = TextOf(params, "type");
  if (push->name.empty()) return Status::InvalidArgument("gradient compression: type is missing");
  if (push->name == "2bit" || push->name == "1bit") {
    push->parameter = 0.5;
    PS_RETURN_IF_ERROR(ReadNumber(params, "threshold", &push->parameter));
    if (push->name == "2bit" && push->parameter <= 0)
      return Status::InvalidArgument("threshold must be greater than 0 for two bit compression");
  } else if (push->name == "topk") {
    push->parameter = 0.01;
    PS_RETURN_IF_ERROR(ReadNumber(params, "ratio", &push->parameter));
    if (push->parameter <= 0 || push->parameter > 1)
      return Status::InvalidArgument("gradient compression: ratio is above 0 and at most 1");
  } else if (push->name != "none" && push->name != "f16" && push->name != "bf16" && push->name != "sparse") {
    return Status::InvalidArgument("Unknown type for gradient compression " + push->name +
                                   "; there are 2bit, 1bit, topk, f16, bf16, sparse, none");
  }
  return Status::Ok();
}

}  // namespace

Result<Compression> ParseCompression(const KVParams& params) {
  PS_RETURN_IF_ERROR(CheckNames(params));
  Compression compression;
  PS_RETURN_IF_ERROR(ReadPush(params, &compression.push));
  const std::string pull = TextOf(params, "pull");
  if (pull.empty()) return compression;
  if (pull != "none" && pull != "f16" && pull != "bf16" && pull != "sparse")
    return Status::InvalidArgument("gradient compression: pull=" + pull +
                                   " is unknown; there are none, f16, bf16, sparse");
  compression.pull.name = pull;
  return compression;
}

}  // namespace ps
