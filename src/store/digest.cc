#include "store/digest.h"

#include <xxhash.h>

#include <new>

namespace ps {

std::uint64_t DigestOf(const void* data, std::size_t size) { return XXH3_64bits(data, size); }

Digester::Digester() : state_(XXH3_createState()) {
  if (state_ == nullptr) throw std::bad_alloc();
  Reset();
}

void Digester::Add(const void* data, std::size_t size) {
  if (size > 0) XXH3_64bits_update(state_.get(), data, size);
}

std::uint64_t Digester::value() const { return XXH3_64bits_digest(state_.get()); }

void Digester::Reset() { XXH3_64bits_reset(state_.get()); }

void Digester::Free::operator()(XXH3_state_s* state) const { XXH3_freeState(state); }

}  // namespace ps
