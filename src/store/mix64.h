#ifndef PS_STORE_MIX64_H_
#define PS_STORE_MIX64_H_

#include <cstdint>

namespace ps {

// A bijection in which every bit of the result depends on every bit of the key (the finalizer of
// SplitMix64).
constexpr std::uint64_t Mix64(std::uint64_t key) {
  key = (key ^ (key >> 30)) * 0xbf58476d1ce4e5b9ULL;
  key = (key ^ (key >> 27)) * 0x94d049bb133111ebULL;
  return key ^ (key >> 31);
}

}  // namespace ps
#endif  // PS_STORE_MIX64_H_
