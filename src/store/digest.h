#ifndef PS_STORE_DIGEST_H_
#define PS_STORE_DIGEST_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ps {

// The 64-bit XXH3 of bytes: names of tables, specs and checksums of checkpoints. The same on every machine,
// so it travels and is stored. Finds accidents, not forgery.
std::uint64_t DigestOf(const void* data, std::size_t size);
inline std::uint64_t DigestOf(std::string_view text) { return DigestOf(text.data(), text.size()); }

}  // namespace ps
#endif  // PS_STORE_DIGEST_H_
