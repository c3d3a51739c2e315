#ifndef PS_STORE_ZEROED_BLOCK_H_
#define PS_STORE_ZEROED_BLOCK_H_

#include <cstddef>
#include <utility>

namespace ps {

// Memory of zeros, aligned to 64 bytes. What is large comes straight from the system, in huge pages where it
// has them: such pages are zeros without anybody having written them, and they take room only when they are
// touched. Owned; moving it keeps the address.
class ZeroedBlock {
 public:
  ZeroedBlock() = default;
  // Throws std::bad_alloc.
  explicit ZeroedBlock(std::size_t bytes);
  ~ZeroedBlock();
  ZeroedBlock(ZeroedBlock&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  ZeroedBlock& operator=(ZeroedBlock&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ZeroedBlock(const ZeroedBlock&) = delete;
  ZeroedBlock& operator=(const ZeroedBlock&) = delete;

  char* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }

  // Lets the system give the first `bytes` their pages now, so that later writes do not wait for them.
  void Prefault(std::size_t bytes) const;

 private:
  char* data_ = nullptr;
  std::size_t bytes_ = 0;
};

// Memory that was never touched stays so where both are zeros.
void CopyWhereDifferent(char* to, const char* from, std::size_t bytes);

}  // namespace ps
#endif  // PS_STORE_ZEROED_BLOCK_H_
