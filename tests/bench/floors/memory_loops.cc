// Copying and adding in the memory of one process.
#include <cstring>
#include <stdexcept>
#include <vector>

#include "tests/bench/floors/floor.h"
#include "tests/bench/floors/pattern.h"
#include "tests/bench/floors/stream.h"

namespace ps::floors {
namespace {

// Keeps the compiler from dropping or merging passes over memory.
void Touched(const void* memory) { asm volatile("" : : "g"(memory) : "memory"); }

class Memcpy : public Floor {
 public:
  explicit Memcpy(const Task& task) : task_(task), source_(task.bytes), target_(task.bytes) {
    FillPattern(source_.data(), source_.size());
  }

  Figures Run() override {
    const auto start = bench::SteadyClock::now();
    for (int i = MessagesOf(task_); i > 0; --i) {
      std::memcpy(target_.data(), source_.data(), source_.size());
      Touched(target_.data());
    }
    const double seconds = bench::SecondsSince(start);
    CheckPattern(target_.data(), target_.size(), kCheckStride);
    std::memset(target_.data(), 0, target_.size());
    return StreamFigures(task_, seconds);
  }

 private:
  const Task task_;
  std::vector<char> source_;
  std::vector<char> target_;
};

class Add : public Floor {
 public:
  explicit Add(const Task& task)
      : task_(task), sums_(task.bytes / sizeof(float)), terms_(task.bytes / sizeof(float)) {
    for (size_t i = 0; i < terms_.size(); ++i) terms_[i] = static_cast<float>(i % 7);
  }

  Figures Run() override {
    const int passes = MessagesOf(task_);
    const auto start = bench::SteadyClock::now();
    for (int pass = 0; pass < passes; ++pass) AddOnce(sums_.data(), terms_.data(), sums_.size());
    const double seconds = bench::SecondsSince(start);
    for (size_t i = 0; i < sums_.size(); i += kLineBytes) {
      if (sums_[i] != static_cast<float>(passes) * terms_[i]) throw std::runtime_error("a sum is wrong");
    }
    std::fill(sums_.begin(), sums_.end(), 0.0f);
    return StreamFigures(task_, seconds);
  }

 private:
  static void AddOnce(float* __restrict sums, const float* __restrict terms, size_t count) {
    for (size_t i = 0; i < count; ++i) sums[i] += terms[i];
    Touched(sums);
  }

  const Task task_;
  std::vector<float> sums_;
  std::vector<float> terms_;
};

}  // namespace

std::unique_ptr<Floor> MakeMemcpy(const Task& task) { return std::make_unique<Memcpy>(task); }
std::unique_ptr<Floor> MakeAdd(const Task& task) { return std::make_unique<Add>(task); }

}  // namespace ps::floors
