#ifndef PS_MODEL_MODEL_RULE_H_
#define PS_MODEL_MODEL_RULE_H_

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "ps/model_updater.h"
#include "ps/updater.h"

namespace ps {

// Whether a rule of this name is one of RegisterModelUpdater's, in this process.
bool IsModelUpdater(const std::string& name);

// What a ModelUpdater's table says of itself: travels as the options of its rule.
struct ModelKeyOptions {
  using Params = std::vector<std::pair<std::string, std::string>>;

  std::string model;  // whose keys share an object
  int key = 0;
  Shape shape;    // of the whole key
  Params params;  // in the order in which they were set

  UpdaterOptions Encode() const;
  // kInvalidArgument: these are no such options.
  static Result<ModelKeyOptions> Decode(const UpdaterOptions& options);
};

// A program's object at one server.
struct ModelObject {
  std::shared_ptr<const UpdaterHost> host;  // its address stays that of this server
  std::vector<std::string> command_line;
  std::vector<char*> argv;
  std::unique_ptr<ModelUpdater> updater;
};

// The objects of one factory: one for each server, model (with its parameters) and dtype, for as long as
// tables use it. Any thread.
class ModelObjects {
 public:
  ModelObjects(std::string name, ModelUpdaterFactory factory)
      : name_(std::move(name)), factory_(std::move(factory)) {}

  // Made by the first who asks, while others wait. What the program's code throws is thrown; then the next
  // one who asks tries again.
  std::shared_ptr<ModelObject> Get(const UpdaterTarget& target, const ModelKeyOptions& options);
  const std::string& name() const { return name_; }

 private:
  using Id = std::tuple<const UpdaterHost*, std::string, DType>;
  struct Place {
    bool is_being_made = false;
    std::weak_ptr<ModelObject> object;
  };

  std::shared_ptr<ModelObject> Make(const UpdaterTarget& target, const ModelKeyOptions& options) const;

  const std::string name_;
  const ModelUpdaterFactory factory_;
  Mutex mutex_;
  CondVar made_;
  std::map<Id, Place> places_ PS_GUARDED_BY(mutex_);
};

// The rule of one key's table that a ModelUpdater is wrapped in.
class ModelRule final : public Updater {
 public:
  ModelRule(std::shared_ptr<ModelObjects> objects, const UpdaterTarget& target)
      : objects_(std::move(objects)), target_(target) {}

  Status Configure(const UpdaterOptions& options) override;
  bool NeedsShare() const override { return true; }
  Status Initialize(void* values, std::size_t size) override;
  void Update(const UpdateRun* runs, std::size_t num_runs, const UpdateContext& context) override;

 private:
  ModelUpdater* object();
  TensorView View(void* data, std::size_t size) const;

  const std::shared_ptr<ModelObjects> objects_;
  const UpdaterTarget target_;
  ModelKeyOptions options_;
  std::shared_ptr<ModelObject> object_;  // once it was needed
};

}  // namespace ps

#endif  // PS_MODEL_MODEL_RULE_H_
