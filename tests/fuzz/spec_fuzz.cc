// Specifications of tables as they come with CREATE and from checkpoints.

#include <dmlc/logging.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "store/partition.h"
#include "store/spec_bytes.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const ps::Result<ps::TableSpec> spec = ps::DecodeSpec(bytes);
  if (!spec.ok()) {
    CHECK(spec.status().code() == ps::StatusCode::kInvalidArgument);
    return 0;
  }
  CHECK(ps::EncodeSpec(spec.value()) == bytes);
  CHECK(spec.value().Validate().ok());
  CHECK(spec.value() == spec.value());
  // What is valid can be spread, and its last row has a server.
  const ps::Partition partition(spec.value(), 3, false);
  const auto rows = static_cast<uint64_t>(spec.value().rows);
  const int last = partition.ServerOf(rows == 0 ? size : rows - 1);
  CHECK(last >= 0 && last < 3);
  CHECK_LE(partition.RangeOf(last).end(), rows == 0 ? ps::Partition::kNumSlots : rows);
  return 0;
}
