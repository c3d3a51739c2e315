// Structs of the C interface whose size the caller says: older and newer callers than the library.
//
// A struct grows at its end, by whole words, and 0 in a new member means what was so before. So an older
// caller's is read with 0 where it ends, and a newer one's is refused where it asks for what is not known.
#ifndef PS_C_API_STRUCTS_H_
#define PS_C_API_STRUCTS_H_

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <type_traits>

namespace ps::c_api {

// Throws Error(kInvalidArgument) where `struct_size` is none that a caller's compiler may have said: 0, less
// than `least`, no whole words, or beyond all reason. `name`: of the struct.
void CheckStructSize(std::size_t struct_size, std::size_t least, const char* name);
// Throws where a newer caller has set a member that this library does not know: not 0 from `known` on.
void CheckUnknownMembers(const void* given, std::size_t known, const char* name);

// What the caller has said; all 0 where `given` is null. Throws Error.
template <typename Struct>
Struct ReadStruct(const Struct* given, const char* name) {
  static_assert(std::is_trivially_copyable_v<Struct> && sizeof(Struct) % sizeof(std::size_t) == 0);
  Struct read{};
  if (given != nullptr) {
    CheckStructSize(given->struct_size, sizeof(std::size_t), name);
    CheckUnknownMembers(given, sizeof(Struct), name);
    std::memcpy(&read, given, std::min(sizeof(Struct), given->struct_size));
  }
  read.struct_size = sizeof(Struct);
  return read;
}

// Fills as much of the caller's struct as it has, the rest of a newer one with 0. Throws Error, before
// anything is written; `given` is not null.
template <typename Struct>
void WriteStruct(const Struct& value, Struct* given, const char* name) {
  static_assert(std::is_trivially_copyable_v<Struct> && sizeof(Struct) % sizeof(std::size_t) == 0);
  const std::size_t size = given->struct_size;
  CheckStructSize(size, 2 * sizeof(std::size_t), name);
  auto* const bytes = reinterpret_cast<unsigned char*>(given);
  std::memset(bytes, 0, size);
  std::memcpy(bytes, &value, std::min(sizeof(Struct), size));
  given->struct_size = size;
}

}  // namespace ps::c_api

#endif  // PS_C_API_STRUCTS_H_
