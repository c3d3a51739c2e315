#include "ps/alloc.h"

#include "base/arena.h"

namespace ps::internal {

std::shared_ptr<char> AllocateShared(std::size_t bytes) {
  std::shared_ptr<char> shared = ArenaHeap::Shared().Allocate(bytes);
  return shared != nullptr ? shared : AllocateAligned<char>(bytes);
}

}  // namespace ps::internal
