#include "model/model_rule.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

#include "base/parse.h"

namespace ps {
namespace {

constexpr const char* kModel = "model";
constexpr const char* kKey = "key";
constexpr const char* kRows = "rows";
constexpr const char* kColumns = "columns";
constexpr std::size_t kDigits = 4;  // in front of a parameter's name, so that they keep their order

std::optional<std::int64_t> NumberOf(const UpdaterOptions& options, const char* name) {
  const auto found = options.find(name);
  if (found == options.end()) return std::nullopt;
  return ParseInteger(found->second, std::numeric_limits<std::int64_t>::min(),
                      std::numeric_limits<std::int64_t>::max());
}

}  // namespace

// --- options ---

UpdaterOptions ModelKeyOptions::Encode() const {
  UpdaterOptions options{{kModel, model},
                         {kKey, std::to_string(key)},
                         {kRows, std::to_string(shape.at(0))},
                         {kColumns, std::to_string(shape.at(1))}};
  for (std::size_t i = 0; i < params.size(); ++i) {
    const std::string place = std::to_string(i);
    options[std::string(kDigits - std::min(kDigits, place.size()), '0') + place + ":" + params[i].first] =
        params[i].second;
  }
  return options;
}

Result<ModelKeyOptions> ModelKeyOptions::Decode(const UpdaterOptions& options) {
  ModelKeyOptions decoded;
  const auto model = options.find(kModel);
  const auto key = NumberOf(options, kKey);
  const auto rows = NumberOf(options, kRows);
  const auto columns = NumberOf(options, kColumns);
  const bool fits = key && *key == static_cast<int>(*key) && rows && columns;
  if (model == options.end() || !fits) return Status::InvalidArgument("options of no key of a model");
  decoded.model = model->second;
  decoded.key = static_cast<int>(*key);
  decoded.shape = {*rows, *columns};
  for (const auto& [name, value] : options) {
    if (name.size() > kDigits && name[kDigits] == ':')
      decoded.params.emplace_back(name.substr(kDigits + 1), value);
  }
  return decoded;
}

// --- objects ---

std::shared_ptr<ModelObject> ModelObjects::Make(const UpdaterTarget& target,
                                                const ModelKeyOptions& options) const {
  auto object = std::make_shared<ModelObject>();
  object->host = target.host;
  object->command_line = target.host->command_line;
  for (std::string& argument : object->command_line) object->argv.push_back(argument.data());
  const int argc = static_cast<int>(object->argv.size());
  object->argv.push_back(nullptr);  // as main has it
  object->updater = factory_(target.dtype);
  if (object->updater == nullptr)
    ThrowIfError(Status::InvalidArgument("updater '" + name_ + "': its factory made none for " +
                                         NameOf(target.dtype)));
  for (const auto& [name, value] : options.params) object->updater->SetParam(name, value);
  object->updater->InitUpdater(target.host->rank, argc, argc == 0 ? nullptr : object->argv.data());
  return object;
}

std::shared_ptr<ModelObject> ModelObjects::Get(const UpdaterTarget& target, const ModelKeyOptions& options) {
  if (target.host == nullptr)
    ThrowIfError(Status::FailedPrecondition("updater '" + name_ + "' works at a server only"));
  std::string model = options.model;
  for (const auto& [name, value] : options.params) model += '\0' + name + '\0' + value;
  const Id id(target.host.get(), model, target.dtype);
  {
    MutexLock lock(mutex_);
    while (true) {
      Place& place = places_[id];
      if (std::shared_ptr<ModelObject> there = place.object.lock()) return there;
      if (!place.is_being_made) break;
      made_.Wait(mutex_);
    }
    places_[id].is_being_made = true;
  }
  std::shared_ptr<ModelObject> object;
  const auto put = [&] {
    MutexLock lock(mutex_);
    if (object == nullptr) {
      places_.erase(id);
    } else {
      places_[id] = {false, object};
    }
    made_.NotifyAll();
  };
  try {
    object = Make(target, options);
  } catch (...) {
    put();
    throw;
  }
  put();
  return object;
}

// --- the rule ---

Status ModelRule::Configure(const UpdaterOptions& options) {
  Result<ModelKeyOptions> decoded = ModelKeyOptions::Decode(options);
  if (!decoded.ok())
    return Status::InvalidArgument("updater '" + objects_->name() +
                                   "' is for keys of a SharedModel, whose process has to know it, too: call "
                                   "RegisterModelUpdater on every node");
  options_ = std::move(decoded).value();
  return Status::Ok();
}

ModelUpdater* ModelRule::object() {
  if (object_ == nullptr) object_ = objects_->Get(target_, options_);
  return object_->updater.get();
}

// As the key's matrix, or, of a part of it, in one dimension.
TensorView ModelRule::View(void* data, std::size_t size) const {
  TensorView view;
  view.data = data;
  view.dtype = target_.dtype;
  view.shape = options_.shape;
  if (view.size() != static_cast<std::int64_t>(size)) view.shape = {static_cast<std::int64_t>(size)};
  return view;
}

Status ModelRule::Initialize(void* values, std::size_t size) {
  object()->InitModel(options_.key, View(values, size));
  return Status::Ok();
}

void ModelRule::Update(const UpdateRun* runs, std::size_t num_runs, const UpdateContext&) {
  for (const UpdateRun* run = runs; run != runs + num_runs; ++run) {
    // The program's code gets views of one kind; it leaves what came alone.
    object()->Update(options_.key, View(run->values, run->size),
                     View(const_cast<void*>(run->delta), run->size));  // NOLINT
  }
}

}  // namespace ps
