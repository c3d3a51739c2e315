// The processor's launcher: goes over arrays on a stream as device/launch.h does at once.
//
// A launcher is what sums.h, casts.h, rows.h, bits.h and updates.h are given: they know dtypes and shapes, it
// knows how a device goes over arrays. CUDA's is device/cuda/cuda_launch.h.
#ifndef PS_DEVICE_CPU_LAUNCH_H_
#define PS_DEVICE_CPU_LAUNCH_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>

#include "device/kernels.h"
#include "device/launch.h"
#include "device/pack_bits.h"
#include "device/row_plan.h"
#include "device/rules/bits.h"
#include "ps/status.h"
#include "ps/stream.h"

namespace ps {
namespace internal {

// The bodies of RunWide.
template <typename F, typename... T>
class ElementsBody {
 public:
  ElementsBody(std::size_t size, const F& f, T*... arrays) : size_(size), f_(f), arrays_(arrays...) {}

  PS_ALWAYS_INLINE void operator()() const { Call(std::index_sequence_for<T...>()); }

 private:
  template <std::size_t... i>
  PS_ALWAYS_INLINE void Call(std::index_sequence<i...>) const {
    ForEach(size_, f_, std::get<i>(arrays_)...);
  }

  const std::size_t size_;
  const F f_;
  const std::tuple<T*...> arrays_;
};

template <typename F, typename Placed, typename Listed>
struct RowsBody {
  RowPlan plan;
  F f;
  Placed* placed;
  Listed* listed;

  PS_ALWAYS_INLINE void operator()() const {
    for (std::size_t i = 0; i < plan.count; ++i) {
      const auto row = static_cast<std::size_t>(plan.ids[i]);
      ForEach(plan.width, f, placed + row * plan.width, listed + i * plan.width);
    }
  }
};

constexpr std::size_t kCodesAtATime = 256;  // whole words

template <typename Rule>
struct EncodeBody {
  Rule rule;
  std::size_t count;
  const float* gradient;
  float* residual;
  std::uint8_t* to;
  std::int64_t* num_refused;

  PS_ALWAYS_INLINE void operator()() const {
    std::int64_t sum = 0;
    for (std::size_t at = 0; at < count; at += kCodesAtATime)
      sum += Block(at, std::min(kCodesAtATime, count - at));
    *num_refused = sum;
  }
  PS_ALWAYS_INLINE std::int64_t Block(std::size_t at, std::size_t size) const {
    std::uint8_t codes[kCodesAtATime];
    std::uint8_t refused[kCodesAtATime];
    ForEach(size, rule, static_cast<std::uint8_t*>(codes), static_cast<std::uint8_t*>(refused), residual + at,
            gradient + at);
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < size; ++i) sum += refused[i];
    const std::size_t num_bytes = PackedBytes<Rule::kBits>(size);
    for (std::size_t i = size; i < num_bytes * (8 / Rule::kBits); ++i) codes[i] = 0;
    PackCodes<Rule::kBits>(codes, num_bytes, to + at / (8 / Rule::kBits));
    return sum;
  }
};

template <typename Rule>
struct DecodeAddBody {
  Rule rule;
  std::size_t count;
  const std::uint8_t* from;
  float* values;

  PS_ALWAYS_INLINE void operator()() const {
    for (std::size_t at = 0; at < count; at += kCodesAtATime) {
      const std::size_t size = std::min(kCodesAtATime, count - at);
      std::uint8_t codes[kCodesAtATime];
      UnpackCodes<Rule::kBits>(from + at / (8 / Rule::kBits), PackedBytes<Rule::kBits>(size), codes);
      ForEach(size, rules::AddDecoded<Rule>{rule}, values + at, static_cast<const std::uint8_t*>(codes));
    }
  }
};

// Throws Error, on the stream, when an id is no row.
inline void CheckRows(const RowPlan& plan) {
  const auto is_wrong = [&](std::int64_t id) { return id < 0 || id >= plan.num_rows; };
  const std::int64_t* const wrong = std::find_if(plan.ids, plan.ids + plan.count, is_wrong);
  if (wrong == plan.ids + plan.count) return;
  throw Error(Status::InvalidArgument("row " + std::to_string(*wrong) + " of a matrix of " +
                                      std::to_string(plan.num_rows) + " rows"));
}

}  // namespace internal

class CpuLaunch {
 public:
  explicit CpuLaunch(Stream* stream) : stream_(stream) {}

  // f(arrays[i]...) for i in [0, size).
  template <typename F, typename... T>
  Status Elements(std::size_t size, const F& f, T*... arrays) const {
    return Run(internal::ElementsBody<F, T...>(size, f, arrays...));
  }
  // f(placed[ids[r] * width + c], listed[r * width + c]) for all rows r and columns c. An id that is no row
  // is a failure of the stream, and nothing is done.
  template <typename F, typename Placed, typename Listed>
  Status Rows(const RowPlan& plan, const F& f, Placed* placed, Listed* listed) const {
    const internal::RowsBody<F, Placed, Listed> body{plan, f, placed, listed};
    stream_->Run([body] {
      internal::CheckRows(body.plan);
      RunWide(body);
    });
    return Status::Ok();
  }
  // The codes of `rule` for `count` gradients, and how many it refused.
  template <typename Rule>
  Status Encode(const Rule& rule, std::size_t count, const float* gradient, float* residual,
                const BitOutput& to) const {
    return Run(internal::EncodeBody<rules::FiniteOnly<Rule>>{
        {rule}, count, gradient, residual, to.codes, to.num_refused});
  }
  template <typename Rule>
  Status DecodeAdd(const Rule& rule, std::size_t count, const std::uint8_t* codes, float* values) const {
    return Run(internal::DecodeAddBody<Rule>{rule, count, codes, values});
  }

 private:
  template <typename Body>
  Status Run(const Body& body) const {
    stream_->Run([body] { RunWide(body); });
    return Status::Ok();
  }

  Stream* const stream_;
};

}  // namespace ps

#endif  // PS_DEVICE_CPU_LAUNCH_H_
