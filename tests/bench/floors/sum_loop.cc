// The sum of four arrays into a fifth, as the loop that anybody would write.
#include <algorithm>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <vector>

#include "tests/bench/floors/floor.h"
#include "tools/ps_bench/turns.h"

#if defined(__x86_64__) && !defined(__clang__)
#define PS_WIDE_LOOP __attribute__((target_clones("avx2", "default")))
#else
#define PS_WIDE_LOOP
#endif

namespace ps::floors {
namespace {

constexpr double kSeriesLimitS = 1;

PS_WIDE_LOOP void SumOnce(float* __restrict to, const std::vector<const float*>& from, std::size_t count) {
  const float* const a = from[0];
  const float* const b = from[1];
  const float* const c = from[2];
  const float* const d = from[3];
  for (std::size_t i = 0; i < count; ++i) to[i] = a[i] + ((b[i] + c[i]) + d[i]);
}

class SumLoop : public Floor {
 public:
  explicit SumLoop(const Task& task) : count_(task.count), sums_(task.bytes / sizeof(float)) {
    for (int k = 0; k < 4; ++k) {
      std::vector<float> terms(sums_.size());
      for (std::size_t i = 0; i < terms.size(); ++i) terms[i] = static_cast<float>((i + k) % 7);
      terms_.push_back(terms);
    }
    for (const std::vector<float>& terms : terms_) from_.push_back(terms.data());
  }

  Figures Run() override {
    const std::vector<double> us =
        bench::TimeEach(count_, kSeriesLimitS, [this] { SumOnce(sums_.data(), from_, sums_.size()); });
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      if (sums_[i] != terms_[0][i] + terms_[1][i] + terms_[2][i] + terms_[3][i])
        throw std::runtime_error("a sum is wrong");
    }
    std::fill(sums_.begin(), sums_.end(), 0.0f);
    return bench::LatencyFigures(us);
  }

 private:
  const int count_;
  std::vector<float> sums_;
  std::vector<std::vector<float>> terms_;
  std::vector<const float*> from_;
};

}  // namespace

std::unique_ptr<Floor> MakeSumLoop(const Task& task) { return std::make_unique<SumLoop>(task); }

}  // namespace ps::floors
