// Adding to random keys of a large table: linear probing, a batch prefetched before it is worked on.
#include <array>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <vector>

#include "tests/bench/floors/floor.h"
#include "tests/bench/floors/stream.h"

namespace ps::floors {
namespace {

constexpr size_t kRows = 5000000;
constexpr size_t kSlots = 1 << 23;
constexpr size_t kBatch = 4096;
constexpr size_t kAhead = 16;  // keys whose lines are under way at a time

struct Slot {
  std::uint64_t key = 0;  // 0: free
  float value = 0;
};

// The key of a row; no two rows have the same one, and none is 0.
std::uint64_t KeyOf(std::uint64_t row) { return (row + 1) * 0x9E3779B97F4A7C15u; }

class Table {
 public:
  Table() : slots_(kSlots) {
    for (std::uint64_t row = 0; row < kRows; ++row) Find(KeyOf(row))->key = KeyOf(row);
  }

  void Add(const std::array<std::uint64_t, kBatch>& keys) {
    for (size_t i = 0; i < kBatch + kAhead; ++i) {
      if (i < kBatch) __builtin_prefetch(&slots_[Home(keys[i])], 1);
      if (i >= kAhead) Find(keys[i - kAhead])->value += 1;
    }
  }

  double Sum() const {
    double sum = 0;
    for (const Slot& slot : slots_) sum += slot.value;
    return sum;
  }

 private:
  static size_t Home(std::uint64_t key) { return (key ^ key >> 29) * 0xBF58476D1CE4E5B9u >> 41; }

  Slot* Find(std::uint64_t key) {
    size_t at = Home(key);
    while (slots_[at].key != key && slots_[at].key != 0) at = (at + 1) % kSlots;
    return &slots_[at];
  }

  std::vector<Slot> slots_;
};

class HashUpdate : public Floor {
 public:
  explicit HashUpdate(const Task& task) : task_(task), batches_(static_cast<size_t>(task.count)) {
    std::mt19937_64 random(1);
    for (auto& batch : batches_) {
      for (std::uint64_t& key : batch) key = KeyOf(random() % kRows);
    }
  }

  Figures Run() override {
    const auto start = bench::SteadyClock::now();
    for (const auto& batch : batches_) table_.Add(batch);
    const double seconds = bench::SecondsSince(start);
    const double keys = static_cast<double>(batches_.size() * kBatch);
    added_ += keys;
    if (table_.Sum() != added_) throw std::runtime_error("an update was lost");
    return {{"keys_per_s", keys / seconds}};
  }

 private:
  const Task task_;
  std::vector<std::array<std::uint64_t, kBatch>> batches_;
  Table table_;
  double added_ = 0;
};

}  // namespace

std::unique_ptr<Floor> MakeHashUpdate(const Task& task) { return std::make_unique<HashUpdate>(task); }

}  // namespace ps::floors
