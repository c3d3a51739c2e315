#ifndef PS_TRANSPORT_SHM_SEGMENT_H_
#define PS_TRANSPORT_SHM_SEGMENT_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/descriptors.h"
#include "ps/status.h"
#include "transport/shm/ring.h"

namespace ps {

// Memory of two processes that holds one ring. It has no name and belongs to nobody: it goes with the last
// process that has it mapped, however that ends. Its size is sealed, so that nobody can take a page away from
// under the other.
class Segment {
 public:
  static constexpr uint64_t kSmallestCapacity = 1 << 16;
  static constexpr uint64_t kLargestCapacity = uint64_t{8} << 30;

  // A new one, for its writer, and in *memfd what is handed to the reader. `capacity` is a power of two.
  // Errors: kResourceExhausted, kUnavailable with the system's text.
  static Result<std::shared_ptr<Segment>> Create(uint64_t capacity, Descriptor* memfd);
  // One that somebody else has made, for its reader, who can not write into the records. Errors:
  // kInvalidArgument when it is not what Create makes.
  static Result<std::shared_ptr<Segment>> Open(const Descriptor& memfd, uint64_t capacity);

  Segment(char* base, size_t mapped_bytes, const RingMemory& memory)
      : base_(base), mapped_bytes_(mapped_bytes), memory_(memory) {}
  ~Segment();
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;

  const RingMemory& memory() const { return memory_; }

 private:
  static Result<std::shared_ptr<Segment>> Map(int fd, uint64_t capacity, int data_protection);

  char* const base_;
  const size_t mapped_bytes_;
  const RingMemory memory_;
};

}  // namespace ps
#endif  // PS_TRANSPORT_SHM_SEGMENT_H_
