// Turns the bytes of a fuzzer into choices.
#ifndef PS_TESTS_FUZZ_BYTES_READER_H_
#define PS_TESTS_FUZZ_BYTES_READER_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "ps/sarray.h"

namespace ps {

// Reads as zeros once the bytes are used up.
class BytesReader {
 public:
  BytesReader(const uint8_t* data, size_t size) : data_(data), size_(size) {}

  bool empty() const { return at_ == size_; }
  uint8_t Byte() { return empty() ? 0 : data_[at_++]; }
  template <typename T>
  T Number() {
    T value{};
    const size_t taken = std::min(sizeof(T), size_ - at_);
    std::memcpy(&value, data_ + at_, taken);
    at_ += taken;
    return value;
  }
  // At most `size` bytes, fewer when there are no more.
  SArray<char> Take(size_t size) {
    SArray<char> bytes;
    const size_t taken = std::min(size, size_ - at_);
    bytes.CopyFrom(reinterpret_cast<const char*>(data_ + at_), taken);
    at_ += taken;
    return bytes;
  }
  // Up to the next line feed, which is taken too.
  std::string Line() {
    const auto* begin = reinterpret_cast<const char*>(data_ + at_);
    const size_t length = static_cast<size_t>(std::find(begin, begin + (size_ - at_), '\n') - begin);
    at_ = std::min(size_, at_ + length + 1);
    return std::string(begin, length);
  }

 private:
  const uint8_t* const data_;
  const size_t size_;
  size_t at_ = 0;
};

}  // namespace ps
#endif  // PS_TESTS_FUZZ_BYTES_READER_H_
