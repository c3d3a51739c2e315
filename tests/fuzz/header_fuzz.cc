// Whatever comes from the network: the decoder returns, and what it accepts is consistent and can be written
// again.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>

#include "message/codec.h"

namespace {

void Require(bool condition) {
  if (!condition) std::abort();
}

// Blocks as the header claims them, if they are small enough to be made.
bool MakeBlocks(const ps::Header& header, std::array<ps::SArray<char>, ps::kNumBlocks>* blocks) {
  constexpr uint64_t kMaxBytes = 1 << 16;
  for (size_t i = 0; i < blocks->size(); ++i) {
    if (header.block_bytes[i] > kMaxBytes) return false;
    (*blocks)[i] = ps::SArray<char>(static_cast<size_t>(header.block_bytes[i]));
  }
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const char* reason = nullptr;
  const ps::Result<ps::Header> decoded = ps::DecodeHeader(data, size, &reason);
  if (!decoded.ok()) {
    Require(reason != nullptr && decoded.status().code() == ps::StatusCode::kInvalidArgument);
    return 0;
  }
  const ps::Header& header = decoded.value();
  const ps::HeaderBytes again = ps::EncodeHeader(header);
  Require(std::equal(again.begin(), again.end(), data));
  Require(header.chunk_offset + header.chunk_length <= header.total_bytes());
  std::array<ps::SArray<char>, ps::kNumBlocks> blocks;
  if (!MakeBlocks(header, &blocks)) return 0;
  const ps::Result<ps::Message> message = ps::MessageOf(header, blocks);
  if (message.ok())
    Require(ps::CheckSendable(message.value()).ok() && !message.value().DebugString().empty());
  return 0;
}
