#ifndef PS_STORE_DIGEST_H_
#define PS_STORE_DIGEST_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

struct XXH3_state_s;

namespace ps {

// The 64-bit XXH3 of bytes: names of tables, specs and checksums of checkpoints. The same on every machine,
// so it travels and is stored. Finds accidents, not forgery.
std::uint64_t DigestOf(const void* data, std::size_t size);
inline std::uint64_t DigestOf(std::string_view text) { return DigestOf(text.data(), text.size()); }

// The same of bytes that come bit by bit.
class Digester {
 public:
  Digester();

  void Add(const void* data, std::size_t size);
  // Of what was added since the last Reset.
  std::uint64_t value() const;
  void Reset();

 private:
  struct Free {
    void operator()(XXH3_state_s* state) const;
  };
  std::unique_ptr<XXH3_state_s, Free> state_;
};

}  // namespace ps
#endif  // PS_STORE_DIGEST_H_
