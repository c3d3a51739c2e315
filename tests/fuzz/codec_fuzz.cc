// Encoded values and keys as a peer sends them, for every codec, type and count.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "ps/base.h"
#include "store/codec/codec.h"
#include "store/codec/header.h"
#include "store/codec/key_codec.h"
#include "tests/fuzz/bytes_reader.h"

namespace ps {
namespace {

constexpr const char* kCodecs[] = {"none", "sparse", "f16", "bf16", "2bit", "1bit", "topk", "fixed"};
constexpr std::uint8_t kIds[] = {0, 1, 2, 3, 4, 5, 6, 7};
constexpr std::uint8_t kKeys = 8;  // what comes behind the codecs
constexpr std::size_t kMostCount = 2000;

// A copy without room behind it, so that reading beyond it shows.
std::unique_ptr<char[]> Exactly(const SArray<char>& bytes) {
  std::unique_ptr<char[]> copy(new char[bytes.size()]);
  if (!bytes.empty()) std::memcpy(copy.get(), bytes.data(), bytes.size());
  return copy;
}

void CheckKeys(const char* bytes, std::size_t size, std::size_t count) {
  const std::unique_ptr<std::uint64_t[]> keys(new std::uint64_t[count]);
  if (!KeyCodec::Decode(bytes, size, count, keys.get()).ok()) return;
  const std::unique_ptr<char[]> to(new char[KeyCodec::MaxBytes(count)]);
  const std::size_t again = KeyCodec::Encode(keys.get(), count, to.get());
  const std::unique_ptr<std::uint64_t[]> read(new std::uint64_t[count]);
  CHECK(KeyCodec::Decode(to.get(), again, count, read.get()).ok());
  CHECK(count == 0 || std::memcmp(read.get(), keys.get(), count * sizeof(keys[0])) == 0);
}

// Whatever values came out can be sent on, unless they are refused by name.
void CheckEncode(const Codec& codec, const char* values, std::size_t count, std::size_t value_bytes) {
  std::vector<float> residual(count);
  const std::unique_ptr<char[]> to(new char[codec.MaxBytes(count)]);
  const Result<std::size_t> size = codec.Encode(values, count, residual.data(), to.get());
  if (!size.ok()) {
    CHECK(size.status().code() == StatusCode::kInvalidArgument);
    return;
  }
  CHECK_LE(size.value(), codec.MaxBytes(count));
  const std::unique_ptr<char[]> read(new char[count * value_bytes]);
  CHECK(codec.Decode(to.get(), size.value(), count, read.get()).ok());
}

}  // namespace
}  // namespace ps

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace ps;  // NOLINT(google-build-using-namespace)
  BytesReader reader(data, size);
  const std::uint8_t kind = reader.Byte() % (kKeys + 1);
  const auto dtype = static_cast<DType>(reader.Byte() % kNumDTypes);
  const std::size_t count = reader.Number<std::uint16_t>() % kMostCount;
  const bool has_header = (reader.Byte() & 1) != 0;  // a right one, so that the body is looked at
  const auto parameter = static_cast<double>(reader.Byte()) / 64;
  SArray<char> bytes = reader.Take(size);
  if (kind == kKeys) {
    CheckKeys(Exactly(bytes).get(), bytes.size(), count);
    return 0;
  }
  CodecSpec spec;
  spec.name = kCodecs[kind];
  spec.parameter = spec.name == "fixed" ? static_cast<double>(1 + static_cast<int>(parameter)) : parameter;
  const Result<std::unique_ptr<Codec>> made = MakeCodec(spec, dtype);
  if (!made.ok()) return 0;
  const Codec& codec = *made.value();
  if (has_header && bytes.size() >= CodecHeader::kBytes && kind != 0) {
    std::vector<float> residual(1);
    const std::uint64_t zero = 0;
    std::vector<char> one(codec.MaxBytes(1));
    CHECK(codec.Encode(&zero, 1, residual.data(), one.data()).ok());
    const char form = bytes[3];
    CHECK_EQ(one[0], static_cast<char>(kIds[kind]));
    std::memcpy(bytes.data(), one.data(), CodecHeader::kBytes);
    bytes[3] = form;
    const std::uint64_t count64 = count;
    std::memcpy(bytes.data() + 8, &count64, sizeof(count64));
  }
  const std::size_t value_bytes = SizeOf(dtype);
  const std::unique_ptr<char[]> values(new char[count * value_bytes]);
  const Status status = codec.Decode(Exactly(bytes).get(), bytes.size(), count, values.get());
  if (status.ok()) {
    CheckEncode(codec, values.get(), count, value_bytes);
  } else {
    CHECK(status.code() == StatusCode::kInvalidArgument);
  }
  return 0;
}
