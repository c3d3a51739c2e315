// SArray: an array that is passed around without being copied.
#ifndef PS_SARRAY_H_
#define PS_SARRAY_H_

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "ps/base.h"
#include "ps/internal/aligned_memory.h"

namespace ps {

// A pointer with a length, a capacity and shared ownership. Copying and assigning share the memory; a const
// SArray cannot be pointed elsewhere, but its elements can be written. Memory the library allocates is
// aligned to 64 bytes. No locks: one SArray is for one thread at a time, its memory may have many readers.
template <typename V>
class SArray {
 public:
  SArray() = default;
  SArray(const SArray&) = default;
  SArray& operator=(const SArray&) = default;
  SArray(SArray&& other) noexcept
      : ptr_(std::move(other.ptr_)),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  SArray& operator=(SArray&& other) noexcept {
    ptr_ = std::move(other.ptr_);
    size_ = std::exchange(other.size_, 0);
    capacity_ = std::exchange(other.capacity_, 0);
    return *this;
  }

  // `n` elements equal to `val`.
  explicit SArray(std::size_t n, V val = V()) { resize(n, val); }

  // Shares the memory of an array of another type. Its size in bytes must divide.
  template <typename W>
  explicit SArray(const SArray<W>& other) {
    ShareBytesOf(other);
  }
  // The same; `other` is empty afterwards, and nothing is counted.
  template <typename W>
  explicit SArray(SArray<W>&& other) {
    TakeBytesOf(&other);
  }

  // Borrows `data`, which must outlive every copy, and counts nobody; or owns it, and frees it with delete[].
  SArray(V* data, std::size_t n, bool deletable = false) : size_(n), capacity_(n) {
    if (deletable) {
      ptr_.reset(data, std::default_delete<V[]>());
    } else {
      ptr_ = std::shared_ptr<V>(std::shared_ptr<void>(), data);
    }
  }

  // Copies.
  explicit SArray(const std::vector<V>& other) { CopyFrom(other.data(), other.size()); }

  // Shares: the vector must not change its size while the array lives.
  explicit SArray(const std::shared_ptr<std::vector<V>>& other)
      : ptr_(other, other->data()), size_(other->size()), capacity_(other->size()) {}

  // Copies, converting each element.
  template <typename W>
  SArray(const std::initializer_list<W>& list) {  // NOLINT(google-explicit-constructor)
    CopyFrom(list.begin(), list.end());
  }

  // `n` elements without a value, for a buffer that is about to be filled.
  static SArray Uninitialized(std::size_t n) {
    SArray array;
    array.ptr_ = internal::AllocateAligned<V>(n);
    array.size_ = array.capacity_ = n;
    return array;
  }

  // Shares, like the constructor.
  template <typename W>
  SArray& operator=(const SArray<W>& other) {
    ShareBytesOf(other);
    return *this;
  }
  template <typename W>
  SArray& operator=(SArray<W>&& other) {
    TakeBytesOf(&other);
    return *this;
  }

  // Takes new memory: other arrays on the old one keep their elements.
  template <typename W>
  SArray& operator=(const std::initializer_list<W>& list) {
    CopyFrom(list.begin(), list.end());
    return *this;
  }

  // Copies `n` elements. Within the capacity this writes into the memory the array has, and so
  // into everything that shares it: a.segment(2, 5).CopyFrom(p, 3) changes a. `src` may overlap.
  void CopyFrom(const V* src, std::size_t n);
  void CopyFrom(const SArray<V>& other) { CopyFrom(other.data(), other.size()); }

  // Copies [first, last), always into new memory.
  template <typename ForwardIt>
  void CopyFrom(ForwardIt first, ForwardIt last) {
    SArray fresh = Uninitialized(static_cast<std::size_t>(std::distance(first, last)));
    std::transform(first, last, fresh.data(), [](const auto& element) { return static_cast<V>(element); });
    *this = fresh;
  }

  // Points to `data`; `deleter(data)` runs when the last array that shares it goes.
  template <typename Deleter>
  void reset(V* data, std::size_t n, Deleter deleter) {
    ptr_.reset(data, deleter);
    size_ = capacity_ = n;
  }

  // Shrinking and growing within the capacity keep the memory, and growing writes the new elements
  // there. Beyond the capacity the elements move to new memory, alone.
  void resize(std::size_t n, V val = V()) {
    const std::size_t old_size = size_;
    reserve(n);
    size_ = n;
    if (n > old_size) std::fill(data() + old_size, data() + n, val);
  }

  void reserve(std::size_t capacity);

  // Lets go of the memory; others that share it keep it.
  void clear() { *this = SArray(); }

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  std::size_t capacity() const { return capacity_; }

  V* begin() { return data(); }
  const V* begin() const { return data(); }
  V* end() { return data() + size_; }
  const V* end() const { return data() + size_; }
  V* data() const { return ptr_.get(); }

  // The ownership: keeps the memory alive, and may be set.
  std::shared_ptr<V>& ptr() { return ptr_; }
  const std::shared_ptr<V>& ptr() const { return ptr_; }

  V front() const {
    CHECK(!empty());
    return data()[0];
  }
  V back() const {
    CHECK(!empty());
    return data()[size_ - 1];
  }

  // Not checked.
  V& operator[](std::size_t i) { return data()[i]; }
  const V& operator[](std::size_t i) const { return data()[i]; }

  void push_back(const V& val) {
    const V kept = val;  // it may lie in the memory that is about to be left
    if (size_ == capacity_) reserve(size_ * 2 + 5);
    data()[size_++] = kept;
  }
  void pop_back() {
    CHECK(!empty());
    --size_;
  }
  void append(const SArray<V>& other);

  // The elements [begin, end), shared. Its capacity is its size: growing it moves it away.
  SArray<V> segment(std::size_t begin, std::size_t end) const;

 private:
  template <typename W>
  friend class SArray;

  SArray(std::shared_ptr<V>&& ptr, std::size_t n) : ptr_(std::move(ptr)), size_(n), capacity_(n) {}

  template <typename W>
  void ShareBytesOf(const SArray<W>& other);
  template <typename W>
  void TakeBytesOf(SArray<W>* other);
  void SetSize(std::size_t bytes, std::size_t capacity_bytes);

  std::shared_ptr<V> ptr_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace ps

#include "ps/internal/sarray_functions.h"
#include "ps/internal/sarray_memory.h"

#endif  // PS_SARRAY_H_
