#include "store/user_blocks.h"

#include <cstring>
#include <string>

#include "store/shown_memory.h"

namespace ps {
namespace {

constexpr std::size_t Aligned(std::size_t bytes) {
  return (bytes + kBlockAlignment - 1) / kBlockAlignment * kBlockAlignment;
}

}  // namespace

std::size_t PackedBytesOf(const UserBlocks& blocks) {
  std::size_t bytes = 0;
  for (const SArray<char>& block : blocks) bytes = Aligned(bytes) + block.size();
  return bytes;
}

PackedBlocks PackBlocks(const UserBlocks& blocks) {
  PackedBlocks packed;
  packed.sizes = SArray<Key>::Uninitialized(blocks.size());
  packed.bytes = ShownMemory(PackedBytesOf(blocks));
  std::size_t end = 0;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const SArray<char>& block = blocks[i];
    packed.sizes[i] = block.size();
    const std::size_t begin = Aligned(end);
    if (begin != end) std::memset(packed.bytes.data() + end, 0, begin - end);
    if (!block.empty()) std::memcpy(packed.bytes.data() + begin, block.data(), block.size());
    end = begin + block.size();
  }
  return packed;
}

// The gap before an empty block at the end is there, too: lengths and bytes fit in one way only.
Result<UserBlocks> UnpackBlocks(const SArray<Key>& sizes, const SArray<char>& bytes) {
  UserBlocks blocks;
  blocks.reserve(sizes.size());
  std::size_t end = 0;
  for (const Key size : sizes) {
    const std::size_t begin = Aligned(end);
    if (begin > bytes.size() || size > bytes.size() - begin)
      return Status::InvalidArgument("block " + std::to_string(blocks.size()) + " of " +
                                     std::to_string(sizes.size()) + " has " + std::to_string(size) +
                                     " bytes, beyond the " + std::to_string(bytes.size()) + " that came");
    end = begin + static_cast<std::size_t>(size);
    blocks.push_back(bytes.segment(begin, end));
  }
  if (end != bytes.size())
    return Status::InvalidArgument(std::to_string(blocks.size()) + " blocks are " + std::to_string(end) +
                                   " bytes, and " + std::to_string(bytes.size()) + " came");
  return blocks;
}

}  // namespace ps
