#include "c_api/structs.h"

#include <string>

#include "ps/status.h"

namespace ps::c_api {
namespace {

// No struct of this interface will ever be larger.
constexpr std::size_t kLargest = 1024;

}  // namespace

void CheckStructSize(std::size_t struct_size, std::size_t least, const char* name) {
  if (struct_size >= least && struct_size <= kLargest && struct_size % sizeof(std::size_t) == 0) return;
  throw Error(Status::InvalidArgument(std::string(name) + ": struct_size is " + std::to_string(struct_size) +
                                      "; set it to sizeof(" + name + ")"));
}

void CheckUnknownMembers(const void* given, std::size_t known, const char* name) {
  const auto* const bytes = static_cast<const unsigned char*>(given);
  std::size_t size = 0;
  std::memcpy(&size, given, sizeof size);  // every struct begins with it
  for (std::size_t i = known; i < size; ++i) {
    if (bytes[i] != 0)
      throw Error(Status::InvalidArgument(std::string(name) + ": a member after the first " +
                                          std::to_string(known) +
                                          " bytes is set, which this version of the library does not know"));
  }
}

}  // namespace ps::c_api
