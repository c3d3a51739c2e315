// A table of one updater as small as can be: values, and behind them the states.
#ifndef PS_TESTS_STORE_UPDATER_RULE_TABLE_H_
#define PS_TESTS_STORE_UPDATER_RULE_TABLE_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "ps/updater.h"

namespace ps {

template <typename T>
constexpr DType DTypeOf() {
  if constexpr (std::is_same_v<T, float>) return DType::kF32;
  if constexpr (std::is_same_v<T, double>) return DType::kF64;
  if constexpr (std::is_same_v<T, std::int8_t>) return DType::kI8;
  if constexpr (std::is_same_v<T, std::int32_t>) return DType::kI32;
  if constexpr (std::is_same_v<T, std::int64_t>) return DType::kI64;
  if constexpr (std::is_same_v<T, std::uint8_t>) return DType::kU8;
}

// A rule that there is.
inline std::unique_ptr<Updater> Make(const std::string& name, const UpdaterOptions& options = {},
                                     const UpdaterTarget& target = {}) {
  Result<std::unique_ptr<Updater>> made = MakeUpdater(name, options, target);
  EXPECT_TRUE(made.ok()) << made.status();
  return std::move(made).value();
}

template <typename T>
class RuleTable {
 public:
  RuleTable(const std::string& name, const UpdaterOptions& options, std::vector<T> values,
            int num_workers = 1)
      : updater_(Make(name, options, {DTypeOf<T>(), num_workers})),
        size_(values.size()),
        block_(std::move(values)) {
    block_.resize(size_ * static_cast<std::size_t>(1 + updater_->NumStates()));
  }

  // Adds for the next time, of all elements.
  void Add(const std::vector<T>& delta, int worker = 0) {
    ++count_;
    AddPart(0, delta, worker);
  }
  // Adds a piece from `begin` on, as a part of the last Add.
  void AddPart(std::size_t begin, const std::vector<T>& delta, int worker = 0) {
    const UpdateRun run = {block_.data() + begin, delta.data(), delta.size()};
    UpdateContext context;
    context.state_step = static_cast<std::ptrdiff_t>(size_ * sizeof(T));
    context.count = count_;
    context.worker = worker;
    updater_->Update(&run, 1, context);
  }
  void BeginAdd() { ++count_; }

  std::vector<T> values() const { return Array(0); }
  std::vector<T> state(int k) const { return Array(k + 1); }
  const std::vector<T>& block() const { return block_; }
  Updater& updater() { return *updater_; }

 private:
  std::vector<T> Array(int k) const {
    const auto begin = block_.begin() + static_cast<std::ptrdiff_t>(size_) * k;
    return std::vector<T>(begin, begin + static_cast<std::ptrdiff_t>(size_));
  }

  const std::unique_ptr<Updater> updater_;
  const std::size_t size_;
  std::vector<T> block_;
  std::int64_t count_ = 0;
};

}  // namespace ps

#endif  // PS_TESTS_STORE_UPDATER_RULE_TABLE_H_
