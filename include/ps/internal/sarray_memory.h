// How arrays copy, grow and pass their memory on. Included by ps/sarray.h.
#ifndef PS_INTERNAL_SARRAY_MEMORY_H_
#define PS_INTERNAL_SARRAY_MEMORY_H_

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <utility>

#include "ps/base.h"
#include "ps/internal/aligned_memory.h"
#include "ps/sarray.h"

namespace ps {
namespace internal {

// What `from` owns, seen as a V at the same address; `from` is null afterwards. C++20 has a constructor for
// it. Before that the only way in the language is a copy, two locked instructions per array of each message,
// so where a shared_ptr is known to be two plain pointers whatever its type, and nobody knows where it lies,
// it is moved as bytes.
template <typename V, typename W>
std::shared_ptr<V> TakeAs(std::shared_ptr<W>&& from) {
#if __cplusplus < 202002L && (defined(__GLIBCXX__) || defined(_LIBCPP_VERSION))
  static_assert(sizeof(std::shared_ptr<V>) == 2 * sizeof(void*) &&
                sizeof(std::shared_ptr<W>) == sizeof(std::shared_ptr<V>));
  alignas(std::shared_ptr<V>) unsigned char bytes[sizeof(std::shared_ptr<V>)];
  std::memcpy(bytes, static_cast<const void*>(&from), sizeof(bytes));
  ::new (static_cast<void*>(&from)) std::shared_ptr<W>();  // without giving up what has been moved
  return std::move(*std::launder(reinterpret_cast<std::shared_ptr<V>*>(bytes)));
#elif __cplusplus < 202002L
  std::shared_ptr<V> to(from, reinterpret_cast<V*>(from.get()));
  from.reset();
  return to;
#else
  V* const data = reinterpret_cast<V*>(from.get());
  return std::shared_ptr<V>(std::move(from), data);
#endif
}

}  // namespace internal

template <typename V>
void SArray<V>::CopyFrom(const V* src, std::size_t n) {
  const std::shared_ptr<V> kept_for_src = ptr_;
  if (n > capacity_) *this = Uninitialized(n);
  size_ = n;
  if (std::less<const V*>()(src, data())) {
    std::copy_backward(src, src + n, data() + n);
  } else if (src != data()) {
    std::copy(src, src + n, data());
  }
}

template <typename V>
SArray<V> SArray<V>::segment(std::size_t begin, std::size_t end) const {
  CHECK_LE(begin, end);
  CHECK_LE(end, size_);
  return SArray<V>(std::shared_ptr<V>(ptr_, data() + begin), end - begin);
}

template <typename V>
void SArray<V>::reserve(std::size_t capacity) {
  if (capacity <= capacity_) return;
  std::shared_ptr<V> moved = internal::AllocateAligned<V>(capacity);
  std::copy(data(), data() + size_, moved.get());
  ptr_ = std::move(moved);
  capacity_ = capacity;
}

template <typename V>
void SArray<V>::append(const SArray<V>& other) {
  const SArray<V> kept = other;  // it may be this very array
  reserve(size_ + kept.size());
  std::copy(kept.data(), kept.data() + kept.size(), data() + size_);
  size_ += kept.size();
}

template <typename V>
template <typename W>
void SArray<V>::ShareBytesOf(const SArray<W>& other) {
  SetSize(other.size() * sizeof(W), other.capacity() * sizeof(W));
  ptr_ = std::shared_ptr<V>(other.ptr(), reinterpret_cast<V*>(other.data()));
}

template <typename V>
template <typename W>
void SArray<V>::TakeBytesOf(SArray<W>* other) {
  SetSize(other->size_ * sizeof(W), other->capacity_ * sizeof(W));
  ptr_ = internal::TakeAs<V>(std::move(other->ptr_));
  other->size_ = other->capacity_ = 0;
}

template <typename V>
void SArray<V>::SetSize(std::size_t bytes, std::size_t capacity_bytes) {
  CHECK_EQ(bytes % sizeof(V), 0u) << bytes << " bytes cannot be divided into elements of " << sizeof(V)
                                  << " bytes";
  size_ = bytes / sizeof(V);
  capacity_ = capacity_bytes / sizeof(V);
}

}  // namespace ps

#endif  // PS_INTERNAL_SARRAY_MEMORY_H_
