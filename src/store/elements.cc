#include "store/elements.h"

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "device/half.h"
#include "device/launch.h"
#include "device/rules/add.h"
#include "store/element_type.h"

namespace ps {
namespace {

// So many 16-bit floats go through f32 at a time.
constexpr std::size_t kBlock = 256;

template <typename T>
constexpr bool kIsHalf = std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;

// What becomes of an element, for any type; as those of device/rules/.
template <typename T>
struct AddTo {
  PS_ALWAYS_INLINE void operator()(T& to, T from) const {
    if constexpr (kIsHalf<T>) {
      to = T(static_cast<float>(to) + static_cast<float>(from));
    } else if constexpr (std::is_same_v<T, BoolByte>) {
      to.byte = static_cast<std::uint8_t>((to.byte | from.byte) != 0);
    } else {
      rules::Add<T>()(to, from);
    }
  }
};

template <typename T>
struct ArraySum {
  T* to;
  const T* from;
  std::size_t count;

  PS_ALWAYS_INLINE void operator()() const { ForEach(count, AddTo<T>(), to, from); }
};

template <typename T>
void AddArray(T* to, const T* from, std::size_t count) {
  if constexpr (kIsHalf<T>) {
    float sums[kBlock];
    float terms[kBlock];
    for (std::size_t at = 0; at < count; at += kBlock) {
      const std::size_t size = std::min(kBlock, count - at);
      Convert(to + at, size, sums);
      Convert(from + at, size, terms);
      RunWide(ArraySum<float>{sums, terms, size});
      Convert(sums, size, to + at);
    }
  } else {
    RunWide(ArraySum<T>{to, from, count});
  }
}

template <typename T>
void AddToAll(char* const* places, std::size_t num_places, std::size_t width, const T* from) {
  if (width == 1) {
    for (std::size_t i = 0; i < num_places; ++i) AddTo<T>()(*reinterpret_cast<T*>(places[i]), from[i]);
    return;
  }
  for (std::size_t i = 0; i < num_places; ++i)
    AddArray(reinterpret_cast<T*>(places[i]), from + i * width, width);
}

}  // namespace

void AddElements(DType dtype, void* to, const void* from, std::size_t count) {
  VisitElementType(dtype, [&](auto type) {
    using T = typename decltype(type)::Type;
    AddArray(static_cast<T*>(to), static_cast<const T*>(from), count);
  });
}

void AddToPlaces(DType dtype, char* const* places, std::size_t num_places, std::size_t width,
                 const void* from) {
  VisitElementType(dtype, [&](auto type) {
    using T = typename decltype(type)::Type;
    AddToAll(places, num_places, width, static_cast<const T*>(from));
  });
}

void WidenElements(DType dtype, const void* from, float* to, std::size_t count) {
  if (dtype == DType::kBF16) return Convert(static_cast<const BFloat16*>(from), count, to);
  Convert(static_cast<const Half*>(from), count, to);
}

void NarrowElements(DType dtype, const float* from, void* to, std::size_t count) {
  if (dtype == DType::kBF16) return Convert(from, count, static_cast<BFloat16*>(to));
  Convert(from, count, static_cast<Half*>(to));
}

}  // namespace ps
