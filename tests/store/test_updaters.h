// Updaters of the tests of shards: small, so that what they leave behind can be computed by hand.
#ifndef PS_TESTS_STORE_TEST_UPDATERS_H_
#define PS_TESTS_STORE_TEST_UPDATERS_H_

#include <cstddef>

#include "ps/updater.h"

namespace ps {

class TestUpdater : public Updater {
 public:
  Status Configure(const UpdaterOptions&) override { return Status::Ok(); }
};

// values += delta, with or without saying that this is all it does.
template <typename T>
class AddingUpdater : public TestUpdater {
 public:
  explicit AddingUpdater(Shortcut shortcut = Shortcut::kNone) : shortcut_(shortcut) {}
  Shortcut shortcut() const override { return shortcut_; }
  void Update(const UpdateRun* runs, std::size_t num_runs, const UpdateContext&) override {
    for (const UpdateRun* run = runs; run != runs + num_runs; ++run) {
      for (std::size_t i = 0; i < run->size; ++i)
        static_cast<T*>(run->values)[i] += static_cast<const T*>(run->delta)[i];
    }
  }

 private:
  const Shortcut shortcut_;
};

// values = delta.
class AssigningUpdater : public TestUpdater {
 public:
  Shortcut shortcut() const override { return Shortcut::kAssign; }
  void Update(const UpdateRun*, std::size_t, const UpdateContext&) override {}
};

// Two states: the sum of all deltas, and how many there were. The value is their product, so that a state
// that is lost or swapped shows.
template <typename T>
class SumTimesCount : public TestUpdater {
 public:
  explicit SumTimesCount(bool needs_whole = false) : needs_whole_(needs_whole) {}
  int NumStates() const override { return 2; }
  bool NeedsWhole() const override { return needs_whole_; }
  void Update(const UpdateRun* runs, std::size_t num_runs, const UpdateContext& context) override {
    for (const UpdateRun* run = runs; run != runs + num_runs; ++run) {
      largest_run_ = run->size > largest_run_ ? run->size : largest_run_;
      for (std::size_t i = 0; i < run->size; ++i) {
        char* const value = static_cast<char*>(run->values) + i * sizeof(T);
        T& sum = *reinterpret_cast<T*>(value + context.state_step);
        T& count = *reinterpret_cast<T*>(value + 2 * context.state_step);
        sum += static_cast<const T*>(run->delta)[i];
        count += 1;
        *reinterpret_cast<T*>(value) = sum * count;
      }
    }
  }
  std::size_t largest_run() const { return largest_run_; }

 private:
  const bool needs_whole_;
  std::size_t largest_run_ = 0;
};

}  // namespace ps
#endif  // PS_TESTS_STORE_TEST_UPDATERS_H_
