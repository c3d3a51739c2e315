// A program's own rule for models, which remembers what it was told.
#ifndef PS_TESTS_SUPPORT_TEST_MODEL_UPDATER_H_
#define PS_TESTS_SUPPORT_TEST_MODEL_UPDATER_H_

#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "ps/model_updater.h"

namespace ps {

// What all updaters of a test were told.
class UpdaterDiary {
 public:
  using Params = std::vector<std::pair<std::string, std::string>>;
  struct Life {
    int rank = -1;
    std::vector<std::string> command_line;
    bool had_argv = false;
    Params params;
  };

  void AddLife(const Life& life) {
    MutexLock lock(mutex_);
    lives_.push_back(life);
  }
  void AddInit(int key) {
    MutexLock lock(mutex_);
    ++inits_[key];
  }
  std::vector<Life> lives() {
    MutexLock lock(mutex_);
    return lives_;
  }
  // InitModel calls, by key.
  std::map<int, int> inits() {
    MutexLock lock(mutex_);
    return inits_;
  }

 private:
  Mutex mutex_;
  std::vector<Life> lives_ PS_GUARDED_BY(mutex_);
  std::map<int, int> inits_ PS_GUARDED_BY(mutex_);
};

// weight = start, then weight -= lr * delta. Key 666 can not be made, key 667 not updated.
class TestModelUpdater final : public ModelUpdater {
 public:
  explicit TestModelUpdater(UpdaterDiary* diary) : diary_(*diary) {}

  void SetParam(const std::string& name, const std::string& value) override {
    life_.params.emplace_back(name, value);
    if (name == "lr") lr_ = std::stod(value);
    if (name == "start") start_ = std::stod(value);
  }
  void InitUpdater(int rank, int argc, char** argv) override {
    life_.rank = rank;
    life_.had_argv = argv != nullptr;
    for (int i = 0; i < argc; ++i) life_.command_line.emplace_back(argv[i]);
    diary_.AddLife(life_);
  }
  void InitModel(int key, const TensorView& weight) override {
    if (key == 666) throw std::runtime_error("no model for key 666");
    diary_.AddInit(key);
    OnElements(weight, weight, [this](auto& value, auto) {
      if (value != 0) throw std::runtime_error("a weight that is not zero");
      value += static_cast<std::decay_t<decltype(value)>>(start_);
    });
  }
  void Update(int key, const TensorView& weight, const TensorView& delta) override {
    if (key == 667) throw std::runtime_error("no update of key 667");
    OnElements(weight, delta, [this](auto& value, auto d) {
      value -= static_cast<std::decay_t<decltype(value)>>(lr_ * static_cast<double>(d));
    });
  }

 private:
  template <typename Code>
  static void OnElements(const TensorView& weight, const TensorView& delta, Code code) {
    for (std::int64_t i = 0; i < weight.size(); ++i) {
      if (weight.dtype == DType::kF64) {
        code(static_cast<double*>(weight.data)[i], static_cast<const double*>(delta.data)[i]);
      } else {
        code(static_cast<float*>(weight.data)[i], static_cast<const float*>(delta.data)[i]);
      }
    }
  }

  UpdaterDiary& diary_;
  UpdaterDiary::Life life_;
  double lr_ = .25;
  double start_ = 10;
};

// Registers it under a new name, which it returns. The diary outlives what uses the name.
inline std::string RegisterTestUpdater(const std::string& name, UpdaterDiary* diary) {
  ThrowIfError(RegisterModelUpdater(name, [diary](DType) -> std::unique_ptr<ModelUpdater> {
    return std::make_unique<TestModelUpdater>(diary);
  }));
  return name;
}

}  // namespace ps

#endif  // PS_TESTS_SUPPORT_TEST_MODEL_UPDATER_H_
