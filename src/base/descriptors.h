// Open files, and room for them, asked for before it is needed.
#ifndef PS_BASE_DESCRIPTORS_H_
#define PS_BASE_DESCRIPTORS_H_

#include <utility>

#include "ps/status.h"

namespace ps {

// Owns an open file descriptor, or none (-1).
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  ~Descriptor() { Close(); }
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept;

  int fd() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }
  // Idempotent.
  void Close();

 private:
  int fd_;
};

// Whether this process can open `count` more descriptors now; kResourceExhausted says what to do if not. For
// libraries that end the process when they get none. Opens them and closes them again, a few microseconds.
Status CheckDescriptors(int count);

}  // namespace ps

#endif  // PS_BASE_DESCRIPTORS_H_
