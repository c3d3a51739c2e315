#include "base/descriptors.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

namespace ps {

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this == &other) return *this;
  Close();
  fd_ = std::exchange(other.fd_, -1);
  return *this;
}

void Descriptor::Close() {
  if (fd_ >= 0) close(fd_);
  fd_ = -1;
}

Status CheckDescriptors(int count) {
  std::vector<int> opened;
  int error = 0;
  while (error == 0 && static_cast<int>(opened.size()) < count) {
    const int descriptor = eventfd(0, EFD_CLOEXEC);
    if (descriptor >= 0) opened.push_back(descriptor);
    if (descriptor < 0) error = errno;
  }
  for (int descriptor : opened) close(descriptor);
  if (error == 0) return Status::Ok();
  return Status::ResourceExhausted("only " + std::to_string(opened.size()) + " more files can be opened, " +
                                   std::to_string(count) + " are needed: " + std::strerror(error) +
                                   "; raise the limit of open files (ulimit -n)");
}

}  // namespace ps
