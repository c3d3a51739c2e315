#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "base/never_destroyed.h"
#include "ps/updater.h"
#include "store/updater/builtin.h"
#include "store/updater/excerpt.h"
#include "store/updater/function_updater.h"
#include "store/updater/target.h"

namespace ps {
namespace {

using Factories = std::map<std::string, UpdaterFactory>;

struct Builtins {
  const Factories factories = {{kNoUpdater, MakeNone},
                               {"assign", MakeAssign},
                               {"add", MakeAdd},
                               {"sgd", MakeSgd},
                               {"momentum", MakeMomentum},
                               {"nag", MakeNag},
                               {"adagrad", MakeAdaGrad},
                               {"adam", MakeAdam},
                               {"adamw", MakeAdamW},
                               {"smooth", MakeSmooth},
                               {"adagrad_worker", MakeAdaGradWorker},
                               {"rmsprop", MakeRmsProp},
                               {"rmsprop_centered", MakeRmsPropCentered},
                               {"ftrl", MakeFtrl},
                               {"lamb", MakeLamb},
                               {"dcasgd", MakeDcAsgd},
                               {"dcasgd_a", MakeDcAsgdA}};
};

const Factories& BuiltinFactories() {
  static const NeverDestroyed<Builtins> builtins;
  return builtins.value.factories;
}

// Rules by name. (dmlc::Registry has no lock around what it finds, takes a second rule of a name in silence,
// and is filled by statics, which a linker leaves out of programs that use a static library.)
class Registry {
 public:
  Registry() : factories_(BuiltinFactories()) {}

  bool Add(const std::string& name, UpdaterFactory factory) PS_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return factories_.emplace(name, std::move(factory)).second;
  }

  // Null if there is none.
  UpdaterFactory Find(const std::string& name) const PS_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    const auto found = factories_.find(name);
    return found == factories_.end() ? nullptr : found->second;
  }

  std::vector<std::string> Names() const PS_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    std::vector<std::string> names;
    for (const auto& entry : factories_) names.push_back(entry.first);
    return names;
  }

 private:
  mutable Mutex mutex_;
  Factories factories_ PS_GUARDED_BY(mutex_);
};

Registry& TheRegistry() {
  static NeverDestroyed<Registry> registry;
  return registry.value;
}

}  // namespace

bool IsBuiltinUpdater(const std::string& name) { return BuiltinFactories().count(name) != 0; }

Status RegisterUpdater(const std::string& name, UpdaterFactory factory) {
  // Names stand in front of options, see ParseUpdater.
  if (name.empty() || name.find_first_of(" \t\n=") != std::string::npos)
    return Status::InvalidArgument("an updater's name has characters, none of them a space or '=': '" + name +
                                   "'");
  if (factory == nullptr) return Status::InvalidArgument("updater '" + name + "' has no factory");
  if (!TheRegistry().Add(name, std::move(factory)))
    return Status::AlreadyExists("there is an updater '" + name + "' already; take another name");
  return Status::Ok();
}

Result<std::unique_ptr<Updater>> MakeUpdater(const std::string& name, const UpdaterOptions& options,
                                             const UpdaterTarget& target) {
  const UpdaterFactory factory = TheRegistry().Find(name);
  if (factory == nullptr) {
    std::string names;
    for (const std::string& known : UpdaterNames()) names += (names.empty() ? "" : ", ") + known;
    return Status::NotFound("no updater is called '" + Excerpt(name) + "'; there are " + names +
                            ". RegisterUpdater adds others, on every server");
  }
  if (target.num_workers < 1)
    return Status::InvalidArgument("updater '" + name + "' is for at least one worker, not for " +
                                   std::to_string(target.num_workers));
  if (target.dtype != MasterOf(target.dtype)) return RefuseTarget(name, target.dtype);
  Result<std::unique_ptr<Updater>> made = factory(target);
  if (!made.ok()) return made;
  if (made.value() == nullptr)
    return Status::InvalidArgument("updater '" + name + "': its factory made none");
  PS_RETURN_IF_ERROR(made.value()->Configure(options));
  return made;
}

std::vector<std::string> UpdaterNames() { return TheRegistry().Names(); }

Status RegisterUpdaterFunction(const std::string& name, UpdaterFunction function, int num_states,
                               void* argument) {
  Result<UpdaterFactory> factory = FunctionUpdaterFactory(name, function, num_states, argument);
  if (!factory.ok()) return factory.status();
  return RegisterUpdater(name, std::move(factory).value());
}

}  // namespace ps
