#ifndef PS_STORE_USER_BLOCKS_H_
#define PS_STORE_USER_BLOCKS_H_

#include <cstddef>

#include "ps/base.h"
#include "ps/sarray.h"
#include "ps/status.h"
#include "ps/user_shard.h"

namespace ps {

// Blocks of bytes as they travel: the keys of an operation are their lengths, its values the blocks one after
// the other, each from a multiple of kBlockAlignment on.
struct PackedBlocks {
  SArray<Key> sizes;
  SArray<char> bytes;
};
constexpr std::size_t kBlockAlignment = 8;

// Copies. Throws std::bad_alloc.
PackedBlocks PackBlocks(const UserBlocks& blocks);
// Bytes of the values that it makes.
std::size_t PackedBytesOf(const UserBlocks& blocks);
// Shares `bytes`. Anything may have come: kInvalidArgument unless the lengths are those of all bytes.
Result<UserBlocks> UnpackBlocks(const SArray<Key>& sizes, const SArray<char>& bytes);

}  // namespace ps
#endif  // PS_STORE_USER_BLOCKS_H_
