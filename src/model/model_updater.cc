#include "ps/model_updater.h"

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "base/never_destroyed.h"
#include "model/model_rule.h"
#include "ps/updater.h"

namespace ps {
namespace {

struct Known {
  Mutex mutex;
  std::set<std::string> names PS_GUARDED_BY(mutex);
};

Known& TheKnown() {
  static NeverDestroyed<Known> known;
  return known.value;
}

}  // namespace

Status RegisterModelUpdater(const std::string& name, ModelUpdaterFactory factory) {
  if (factory == nullptr) return Status::InvalidArgument("updater '" + name + "' has no factory");
  const auto objects = std::make_shared<ModelObjects>(name, std::move(factory));
  PS_RETURN_IF_ERROR(
      RegisterUpdater(name, [objects](const UpdaterTarget& target) -> Result<std::unique_ptr<Updater>> {
        return std::unique_ptr<Updater>(std::make_unique<ModelRule>(objects, target));
      }));
  MutexLock lock(TheKnown().mutex);
  TheKnown().names.insert(name);
  return Status::Ok();
}

bool IsModelUpdater(const std::string& name) {
  MutexLock lock(TheKnown().mutex);
  return TheKnown().names.count(name) != 0;
}

}  // namespace ps
