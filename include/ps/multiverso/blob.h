// Blob: bytes that are passed around without being copied.
#ifndef PS_MULTIVERSO_BLOB_H_
#define PS_MULTIVERSO_BLOB_H_

#include <cstddef>
#include <cstring>
#include <string>
#include <utility>

#include "ps/sarray.h"
#include "ps/status.h"

namespace multiverso {

// Counted memory and its size: copying and assigning share it, CopyFrom does not. Memory that comes with the
// library's calls, and what a Blob allocates, is aligned for numbers of 8 bytes. No locks, as ps::SArray.
class Blob {
 public:
  Blob() = default;
  // `size` bytes without a value.
  explicit Blob(std::size_t size) : bytes_(ps::SArray<char>::Uninitialized(size)) {}
  // Copies, whether or not the memory is const.
  Blob(const void* data, std::size_t size) : Blob(size) {
    if (size != 0) std::memcpy(bytes_.data(), data, size);
  }
  // Shares.
  explicit Blob(ps::SArray<char> bytes) : bytes_(std::move(bytes)) {}

  // The i-th T of those that the bytes are. Throws Error: they are no whole number of T, or there is no such.
  template <typename T>
  T& As(std::size_t i = 0) const {
    if (bytes_.size() % sizeof(T) != 0 || i >= size<T>()) Refuse(i, sizeof(T));
    return reinterpret_cast<T*>(bytes_.data())[i];
  }
  char operator[](std::size_t i) const { return As<char>(i); }
  // How many T they are.
  template <typename T>
  std::size_t size() const {
    return bytes_.size() / sizeof(T);
  }
  std::size_t size() const { return bytes_.size(); }
  char* data() const { return bytes_.data(); }
  // A copy of another one's bytes, in memory of its own.
  void CopyFrom(const Blob& other) { *this = Blob(other.data(), other.size()); }

  // The same memory.
  const ps::SArray<char>& bytes() const { return bytes_; }

 private:
  [[noreturn]] void Refuse(std::size_t i, std::size_t element_bytes) const {
    throw ps::Error(ps::Status::InvalidArgument("a Blob of " + std::to_string(bytes_.size()) +
                                                " bytes has no element " + std::to_string(i) + " of " +
                                                std::to_string(element_bytes) + " bytes"));
  }

  ps::SArray<char> bytes_;
};

}  // namespace multiverso

#endif  // PS_MULTIVERSO_BLOB_H_
