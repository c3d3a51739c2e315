#include "collective/reduce.h"

#include <cstdint>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "collective/signature.h"
#include "device/launch.h"
#include "device/rules/sum.h"
#include "device/visit_dtype.h"

namespace ps {
namespace {

// Integers are multiplied and added without a sign, where an overflow is defined.
struct SumOfTwo {
  template <typename W>
  PS_ALWAYS_INLINE W operator()(W a, W b) const {
    return a + b;
  }
};
struct ProductOfTwo {
  template <typename W>
  PS_ALWAYS_INLINE W operator()(W a, W b) const {
    return a * b;
  }
};
// A NaN is not equal to itself, and is what comes out wherever one goes in.
struct LesserOfTwo {
  template <typename W>
  PS_ALWAYS_INLINE W operator()(W a, W b) const {
    return a < b || a != a ? a : b;
  }
};
struct GreaterOfTwo {
  template <typename W>
  PS_ALWAYS_INLINE W operator()(W a, W b) const {
    return a > b || a != a ? a : b;
  }
};

// The type that an operation is made in: integers keep their sign where it matters.
template <typename F, typename T>
using Working = std::conditional_t<std::is_integral_v<T> &&
                                       (std::is_same_v<F, LesserOfTwo> || std::is_same_v<F, GreaterOfTwo>),
                                   T, typename rules::Summing<T>::Type>;

template <typename F, typename T>
PS_ALWAYS_INLINE T Apply(T a, T b) {
  using W = Working<F, T>;
  return static_cast<T>(F()(static_cast<W>(a), static_cast<W>(b)));
}

// One element: into a third place, or over the first or the second one.
template <typename F>
struct Apart {
  template <typename T>
  PS_ALWAYS_INLINE void operator()(T& to, const T& first, const T& second) const {
    to = Apply<F, T>(first, second);
  }
};
template <typename F>
struct OverFirst {
  template <typename T>
  PS_ALWAYS_INLINE void operator()(T& first, const T& second) const {
    first = Apply<F, T>(first, second);
  }
};
template <typename F>
struct OverSecond {
  template <typename T>
  PS_ALWAYS_INLINE void operator()(T& second, const T& first) const {
    second = Apply<F, T>(first, second);
  }
};

// The body of RunWide.
template <typename F, typename T, typename... From>
struct Loop {
  std::size_t count;
  T* to;
  std::tuple<const From*...> from;

  PS_ALWAYS_INLINE void operator()() const { Call(std::index_sequence_for<From...>()); }

 private:
  template <std::size_t... i>
  PS_ALWAYS_INLINE void Call(std::index_sequence<i...>) const {
    ForEach(count, F(), to, std::get<i>(from)...);
  }
};

template <typename F, typename T>
void ReduceAs(const void* first, const void* second, void* to, std::size_t count) {
  const auto* const a = static_cast<const T*>(first);
  const auto* const b = static_cast<const T*>(second);
  auto* const x = static_cast<T*>(to);
  if (x == a) return RunWide(Loop<OverFirst<F>, T, T>{count, x, {b}});
  if (x == b) return RunWide(Loop<OverSecond<F>, T, T>{count, x, {a}});
  RunWide(Loop<Apart<F>, T, T, T>{count, x, {a, b}});
}

// One byte each, true where it is not 0.
void ReduceBools(ReduceOp op, const void* first, const void* second, void* to, std::size_t count) {
  const auto* const a = static_cast<const std::uint8_t*>(first);
  const auto* const b = static_cast<const std::uint8_t*>(second);
  auto* const x = static_cast<std::uint8_t*>(to);
  for (std::size_t i = 0; i < count; ++i) {
    const bool both = a[i] != 0 && b[i] != 0;
    const bool either = a[i] != 0 || b[i] != 0;
    x[i] = static_cast<std::uint8_t>(op == ReduceOp::kMin ? both : either);
  }
}

}  // namespace

Status CheckReduce(ReduceOp op, DType dtype) {
  if (dtype != DType::kBool || op == ReduceOp::kMin || op == ReduceOp::kMax) return Status::Ok();
  return Status::InvalidArgument(std::string("there is no ") + NameOf(op) +
                                 " of bools, only min (and) and max (or)");
}

void Reduce(const Reduction& reduction, const void* first, const void* second, void* to, std::size_t count) {
  const ReduceOp op = reduction.op;
  VisitNumber(
      reduction.dtype,
      [&](auto type) {
        using T = typename decltype(type)::Type;
        switch (op) {
          case ReduceOp::kSum: return ReduceAs<SumOfTwo, T>(first, second, to, count);
          case ReduceOp::kProd: return ReduceAs<ProductOfTwo, T>(first, second, to, count);
          case ReduceOp::kMin: return ReduceAs<LesserOfTwo, T>(first, second, to, count);
          case ReduceOp::kMax: return ReduceAs<GreaterOfTwo, T>(first, second, to, count);
        }
      },
      [&] { ReduceBools(op, first, second, to, count); });
}

}  // namespace ps
