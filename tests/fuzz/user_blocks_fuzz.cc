// Blocks of a program's own table, as a peer sends them.
#include <dmlc/logging.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "store/user_blocks.h"
#include "tests/fuzz/bytes_reader.h"

// Lengths that are near the bytes or any, then the bytes. What is taken is what packing would have made, but
// for the gaps between blocks.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  ps::BytesReader reader(data, size);
  ps::SArray<ps::Key> sizes;
  for (int count = reader.Byte() % 8; count > 0; --count) {
    const std::uint8_t choice = reader.Byte();
    sizes.push_back(choice == 0xff ? reader.Number<std::uint64_t>() : choice % 32);
  }
  const ps::SArray<char> bytes = reader.Take(size);
  const ps::Result<ps::UserBlocks> blocks = ps::UnpackBlocks(sizes, bytes);
  if (!blocks.ok()) {
    CHECK(blocks.status().code() == ps::StatusCode::kInvalidArgument);
    return 0;
  }
  CHECK_EQ(blocks.value().size(), sizes.size());
  CHECK_EQ(ps::PackedBytesOf(blocks.value()), bytes.size());
  const ps::PackedBlocks again = ps::PackBlocks(blocks.value());
  const ps::UserBlocks same = ps::UnpackBlocks(again.sizes, again.bytes).value();
  for (size_t i = 0; i < sizes.size(); ++i) {
    const ps::SArray<char>& block = blocks.value()[i];
    CHECK_EQ(block.size(), sizes[i]);
    CHECK_EQ(block.size(), same[i].size());
    CHECK(block.empty() || std::memcmp(block.data(), same[i].data(), block.size()) == 0);
  }
  return 0;
}
