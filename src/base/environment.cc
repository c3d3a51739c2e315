#include "ps/environment.h"

#include <limits>
#include <optional>
#include <utility>

#include "base/never_destroyed.h"
#include "base/parse.h"
#include "base/process_environment.h"
#include "ps/status.h"

namespace ps {

Environment::Environment(Map entries, Fallback fallback)
    : fallback_(fallback), entries_(std::move(entries)) {}

std::shared_ptr<Environment> Environment::_GetSharedRef() {
  // Get() hands out the raw pointer, so it must outlive every static object.
  struct Holder {
    std::shared_ptr<Environment> environment = std::make_shared<Environment>();
  };
  static NeverDestroyed<Holder> process_wide;
  return process_wide.value.environment;
}

Environment* Environment::Get() { return _GetSharedRef().get(); }

Environment* Environment::Init(const Map& entries) {
  Get()->Replace(entries);
  return Get();
}

void Environment::Replace(const Map& entries) {
  std::lock_guard<std::mutex> lock(mutex_);
  entries_ = entries;
  published_.clear();
  handed_out_.clear();
}

const char* Environment::find(const char* name) const {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto entry = entries_.find(name);
  if (entry != entries_.end()) return handed_out_.insert(entry->second).first->c_str();
  if (fallback_ == Fallback::kMapOnly) return nullptr;
  std::optional<std::string> value = ReadProcessVariable(name);
  if (!value.has_value()) return nullptr;
  return handed_out_.insert(*std::move(value)).first->c_str();
}

bool Environment::Publish(const std::string& name, const std::string& value) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (entries_.count(name) != 0) return false;
  if (fallback_ == Fallback::kProcess) return PublishProcessVariable(name, value);
  entries_[name] = value;
  published_.insert(name);
  return true;
}

bool Environment::IsPublished(const std::string& name) const {
  std::lock_guard<std::mutex> lock(mutex_);
  if (entries_.count(name) != 0) return published_.count(name) != 0;
  return fallback_ == Fallback::kProcess && IsPublishedProcessVariable(name);
}

std::vector<std::string> Environment::Names() const {
  std::lock_guard<std::mutex> lock(mutex_);
  std::vector<std::string> names;
  if (fallback_ == Fallback::kProcess) names = ProcessVariableNames();
  for (const auto& entry : entries_) names.push_back(entry.first);
  return names;
}

int GetEnv(const char* name, int fallback) {
  const char* text = Environment::Get()->find(name);
  if (text == nullptr || *text == '\0') return fallback;
  const std::optional<std::int64_t> number =
      ParseInteger(text, std::numeric_limits<int>::min(), std::numeric_limits<int>::max());
  if (!number.has_value()) {
    throw Error(Status::InvalidArgument(std::string(name) + "=\"" + text + "\" is not a whole number"));
  }
  return static_cast<int>(*number);
}

}  // namespace ps
