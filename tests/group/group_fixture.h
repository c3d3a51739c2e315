// A group of two devices, and a sink that the test holds back.
#ifndef PS_TESTS_GROUP_GROUP_FIXTURE_H_
#define PS_TESTS_GROUP_GROUP_FIXTURE_H_

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "group/group.h"
#include "tests/support/model_arrays.h"
#include "tests/support/watchdog.h"

namespace ps {

using Floats = std::vector<float>;

// A sink that answers when the test says so.
class HeldSink final : public ResultSink {
 public:
  explicit HeldSink(bool keeps) : keeps_(keeps) {}
  bool keeps_value() const override { return keeps_; }
  void Take(Merged&& merged, Done done) override {
    if (merged.key == 13) throw Error(Status::Unavailable("server 0 is lost"));
    MutexLock lock(mutex_);
    held_[merged.round] = {merged.values, std::move(done)};
    came_.NotifyAll();
  }
  void Read(int, int, Done done) override {
    if (!holds_reads_) return done(Tensor::Full({1, 1}, 77));
    MutexLock lock(mutex_);
    reads_.push_back(std::move(done));
    came_.NotifyAll();
  }
  void Close() override {}
  // Waits for a round's value, and gives ten times as much as its result, or an error.
  void Answer(std::uint64_t round, const Status& error = Status::Ok()) {
    std::pair<Tensor, Done> held;
    {
      MutexLock lock(mutex_);
      while (held_.count(round) == 0) came_.Wait(mutex_);
      held = std::move(held_[round]);
      held_.erase(round);
    }
    if (!error.ok()) return held.second(error);
    float value = 0;
    held.first.CopyTo(&value);
    held.second(Tensor::Full({1, 1}, 10 * value));
  }
  // From now on reads wait for AnswerRead.
  void HoldReads() { holds_reads_ = true; }
  // Waits for a read, and gives 77.
  void AnswerRead() {
    Done done;
    {
      MutexLock lock(mutex_);
      while (reads_.empty()) came_.Wait(mutex_);
      done = std::move(reads_.back());
      reads_.pop_back();
    }
    done(Tensor::Full({1, 1}, 77));
  }

 private:
  const bool keeps_;
  Mutex mutex_;
  CondVar came_;
  std::map<std::uint64_t, std::pair<Tensor, Done>> held_ PS_GUARDED_BY(mutex_);
  std::atomic<bool> holds_reads_{false};
  std::vector<Done> reads_ PS_GUARDED_BY(mutex_);
};

// Devices 3 and 7, and key 0 of one element.
class GroupFixture : public testing::Test {
 protected:
  void Make(std::unique_ptr<ResultSink> sink = nullptr) {
    group_ = std::make_unique<Group>(options_, std::move(sink));
    group_->AddKey({0, {1, 1}, DType::kF32, MergeKind::kSum}, 3, nullptr);
  }
  static TensorView View(Floats* values) { return ViewOf(values, {1, 1}); }
  Ticket Push(Floats* values, int device, int key = 0) {
    return group_->Contribute(key, device, View(values), 0);
  }
  Ticket Pull(Floats* values, int device, std::function<void(Stream*)> callback = nullptr) {
    return group_->Distribute(0, device, {View(values), std::move(callback)}, 0);
  }

  Watchdog watchdog_;
  Group::Options options_ = [] {
    Group::Options options;
    options.devices = {3, 7};
    return options;
  }();
  Floats one_{1};
  Floats two_{2};
  Floats a_{0};
  Floats b_{0};
  std::unique_ptr<Group> group_;
};

}  // namespace ps

#endif  // PS_TESTS_GROUP_GROUP_FIXTURE_H_
