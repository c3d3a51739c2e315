#include "transport/shm/segment.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <new>
#include <string>

namespace ps {
namespace {

// Not F_SEAL_WRITE: it is for writing. Without F_SEAL_SEAL the reader could be surprised by further seals.
constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

bool IsCapacity(uint64_t capacity) {
  return capacity >= Segment::kSmallestCapacity && capacity <= Segment::kLargestCapacity &&
         (capacity & (capacity - 1)) == 0;
}

// In front of the records: whole pages.
uint64_t ControlBytes() {
  const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  return (sizeof(RingControl) + page - 1) / page * page;
}

Status SystemError(const char* what) {
  const StatusCode code = errno == EMFILE || errno == ENFILE || errno == ENOMEM
                              ? StatusCode::kResourceExhausted
                              : StatusCode::kUnavailable;
  return Status(code, std::string(what) + ": " + std::strerror(errno));
}

}  // namespace

Segment::~Segment() { munmap(base_, mapped_bytes_); }

Result<std::shared_ptr<Segment>> Segment::Create(uint64_t capacity, Descriptor* memfd) {
  if (!IsCapacity(capacity)) return Status::InvalidArgument("no size of a ring: " + std::to_string(capacity));
  Descriptor made(memfd_create("caravan-ring", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!made.is_open()) return SystemError("cannot make shared memory (memfd_create)");
  const auto bytes = static_cast<off_t>(ControlBytes() + capacity);
  if (ftruncate(made.fd(), bytes) != 0) return SystemError("cannot make shared memory of that size");
  if (fcntl(made.fd(), F_ADD_SEALS, kSeals) != 0) return SystemError("cannot seal shared memory");
  Result<std::shared_ptr<Segment>> segment = Map(made.fd(), capacity, PROT_READ | PROT_WRITE);
  if (segment.ok()) *memfd = std::move(made);
  return segment;
}

Result<std::shared_ptr<Segment>> Segment::Open(const Descriptor& memfd, uint64_t capacity) {
  if (!IsCapacity(capacity)) return Status::InvalidArgument("no size of a ring: " + std::to_string(capacity));
  const int seals = fcntl(memfd.fd(), F_GET_SEALS);
  if (seals < 0 || (seals & kSeals) != kSeals || (seals & F_SEAL_WRITE) != 0)
    return Status::InvalidArgument("it is no sealed memory");
  struct stat info {};
  if (fstat(memfd.fd(), &info) != 0 || static_cast<uint64_t>(info.st_size) != ControlBytes() + capacity)
    return Status::InvalidArgument("its size is not what was said");
  return Map(memfd.fd(), capacity, PROT_READ);
}

// Control pages, the data, the data again: reserved in one piece first, so that nothing else gets in between.
Result<std::shared_ptr<Segment>> Segment::Map(int fd, uint64_t capacity, int data_protection) {
  const uint64_t control_bytes = ControlBytes();
  const auto total = static_cast<size_t>(control_bytes + 2 * capacity);
  void* const reserved = mmap(nullptr, total, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (reserved == MAP_FAILED) return SystemError("cannot map shared memory");
  char* const base = static_cast<char*>(reserved);
  char* const data = base + control_bytes;
  const auto map = [&](char* at, uint64_t bytes, int protection, uint64_t offset) {
    return mmap(at, bytes, protection, MAP_SHARED | MAP_FIXED, fd, static_cast<off_t>(offset)) != MAP_FAILED;
  };
  RingMemory memory;
  memory.control = reinterpret_cast<RingControl*>(base);
  memory.data = data;
  memory.capacity = capacity;
  auto segment = std::make_shared<Segment>(base, total, memory);
  if (!map(base, control_bytes, PROT_READ | PROT_WRITE, 0) ||
      !map(data, capacity, data_protection, control_bytes) ||
      !map(data + capacity, capacity, data_protection, control_bytes)) {
    return SystemError("cannot map shared memory");
  }
  return segment;
}

}  // namespace ps
