// How element-wise functors (device/rules/) are run over arrays. A functor takes one element of each array,
// by reference, is const and the same for every element: `PS_HOST_DEVICE void operator()(T& x, T d, T& state)
// const`. These are the CPU's launchers; a device has its own, and runs the same functors.
//
// An element gets the same bits whatever the width of the processor's vectors, the length of the run and the
// place in it: functors use only operations that IEEE 754 rounds exactly (+ - * / sqrt, no fused ones), and
// what includes this is compiled with -ffp-contract=off.
#ifndef PS_DEVICE_LAUNCH_H_
#define PS_DEVICE_LAUNCH_H_

#include <cstddef>

#include "ps/half.h"

#define PS_ALWAYS_INLINE __attribute__((always_inline)) inline

// Says of the following loop that no element is read through one array and written through another.
#if defined(__clang__)
#define PS_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define PS_INDEPENDENT _Pragma("GCC ivdep")
#endif

namespace ps {

// f(arrays[i]...) for i in [0, size). The arrays do not overlap.
template <typename F, typename... T>
PS_ALWAYS_INLINE void ForEach(std::size_t size, const F& f, T* __restrict__... arrays) {
  PS_INDEPENDENT
  for (std::size_t i = 0; i < size; ++i) f(arrays[i]...);
}

namespace internal {

#if defined(__x86_64__)
inline bool HasAvx2() {
  static const bool has = __builtin_cpu_supports("avx2") != 0;
  return has;
}

template <typename Body>
__attribute__((target("avx2"), noinline)) void RunAvx2(const Body& body) {
  body();
}
#endif

template <typename Body>
__attribute__((noinline)) void RunPlain(const Body& body) {
  body();
}

}  // namespace internal

// Runs body() compiled for the widest vectors of this processor. `body` is a functor whose operator(), as all
// that it calls, is PS_ALWAYS_INLINE: the choice is made once per call, not once per run.
template <typename Body>
void RunWide(const Body& body) {
#if defined(__x86_64__)
  if (internal::HasAvx2()) return internal::RunAvx2(body);
#endif
  internal::RunPlain(body);
}

}  // namespace ps

#endif  // PS_DEVICE_LAUNCH_H_
