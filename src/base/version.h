// What this build calls itself, and what it speaks.
#ifndef PS_BASE_VERSION_H_
#define PS_BASE_VERSION_H_

#include <cstdint>

namespace ps {

// Semantic version of the library.
const char* VersionString();

// Version of the header and of the control messages; travels in every frame. Nodes of different
// versions refuse each other at registration.
constexpr std::uint8_t kProtocolVersion = 2;

}  // namespace ps

#endif  // PS_BASE_VERSION_H_
