#include "ps/multiverso/flags.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "base/never_destroyed.h"
#include "base/parse.h"
#include "ps/status.h"

namespace multiverso {
namespace {

using Value = std::variant<bool, int, double, std::string>;

// By the index of the alternative.
constexpr const char* kTypes[] = {"true or false", "a whole number", "a number", "a text"};

std::optional<double> ParseDouble(const std::string& text) {
  if (text.empty() || std::isspace(static_cast<unsigned char>(text.front())) != 0) return std::nullopt;
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (end != text.c_str() + text.size()) return std::nullopt;
  return value;
}

struct Parser {
  const std::string& text;

  std::optional<Value> operator()(bool /*type*/) const {
    if (text == "true" || text == "1") return true;
    if (text == "false" || text == "0") return false;
    return std::nullopt;
  }
  std::optional<Value> operator()(int /*type*/) const {
    const auto parsed =
        ps::ParseInteger(text, std::numeric_limits<int>::min(), std::numeric_limits<int>::max());
    if (!parsed.has_value()) return std::nullopt;
    return static_cast<int>(*parsed);
  }
  std::optional<Value> operator()(double /*type*/) const {
    const std::optional<double> parsed = ParseDouble(text);
    if (!parsed.has_value()) return std::nullopt;
    return *parsed;
  }
  std::optional<Value> operator()(const std::string& /*type*/) const { return text; }
};

// Its value never moves, and never changes its type: programs keep references to it.
struct Flag {
  Value value;
  Value default_value;
  std::string text;
  bool is_set = false;
};

class Registry {
 public:
  Registry() {
    Define("sync", false, "tables are BSP");
    Define("ps_role", std::string("default"), "default, worker, server, none");
    Define("ma", false, "model averaging, without tables");
    Define("updater_type", std::string("default"), "rule of the tables");
    Define("omp_threads", 4, "without effect");
    Define("backup_worker_ratio", 0, "without effect");
    Define("machine_file", std::string(), "addresses of all processes, one a line");
    Define("port", 55555, "where the first of them is found");
    Define("logtostderr", false, "without effect");
    Define("allocator_type", std::string("smart"), "without effect");
    Define("allocator_alignment", 16, "without effect");
  }

  template <typename T>
  const T& Define(const std::string& name, const T& default_value, const std::string& text) {
    Flag* flag = Find(name, Value(default_value).index());
    if (flag == nullptr) {
      auto made = std::make_unique<Flag>(Flag{default_value, default_value, text});
      flag = flags_.emplace(name, std::move(made))->second.get();
    }
    return std::get<T>(flag->value);
  }

  void Set(const std::string& name, const Value& value) {
    Flag* const flag = Find(name, value.index());
    if (flag == nullptr) throw ps::Error(NoSuchFlag(name, value.index()));
    flag->value = value;
    flag->is_set = true;
  }

  // False: there is no such flag.
  bool Parse(const std::string& name, const std::string& text) {
    const auto [first, last] = flags_.equal_range(name);
    for (auto at = first; at != last; ++at) {
      Flag& flag = *at->second;
      const std::optional<Value> value = std::visit(Parser{text}, flag.value);
      if (!value.has_value()) {
        throw ps::Error(ps::Status::InvalidArgument("-" + name + "=" + text + ": the value is " +
                                                    kTypes[flag.value.index()] + " (" + flag.text + ")"));
      }
      flag.value = *value;
      flag.is_set = true;
    }
    return first != last;
  }

  bool IsSet(const std::string& name) const {
    const auto [first, last] = flags_.equal_range(name);
    return std::any_of(first, last, [](const auto& entry) { return entry.second->is_set; });
  }

  void Reset() {
    for (const auto& entry : flags_) {
      entry.second->value = entry.second->default_value;
      entry.second->is_set = false;
    }
  }

 private:
  Flag* Find(const std::string& name, std::size_t type) {
    const auto [first, last] = flags_.equal_range(name);
    const auto found =
        std::find_if(first, last, [type](const auto& entry) { return entry.second->value.index() == type; });
    return found == last ? nullptr : found->second.get();
  }

  ps::Status NoSuchFlag(const std::string& name, std::size_t type) const {
    const auto other = flags_.find(name);
    if (other != flags_.end()) {
      return ps::Status::InvalidArgument("flag " + name + " is " + kTypes[other->second->value.index()] +
                                         ", not " + kTypes[type]);
    }
    std::set<std::string> names;
    for (const auto& entry : flags_) names.insert(entry.first);
    std::string all;
    for (const std::string& known : names) all += (all.empty() ? "" : ", ") + known;
    return ps::Status::NotFound("there is no flag " + name + "; there are " + all);
  }

  std::multimap<std::string, std::unique_ptr<Flag>> flags_;
};

Registry& TheRegistry() {
  static ps::NeverDestroyed<Registry> registry;
  return registry.value;
}

// Whether `argument` is -name=value of a known flag, which is set then.
bool TakeArgument(const std::string& argument) {
  const std::size_t equals = argument.find('=');
  if (argument.size() < 2 || argument[0] != '-' || equals == std::string::npos) return false;
  return TheRegistry().Parse(argument.substr(1, equals - 1), argument.substr(equals + 1));
}

}  // namespace

namespace internal {

const bool& DefineFlag(const char* name, bool default_value, const char* text) {
  return TheRegistry().Define(name, default_value, text);
}
const int& DefineFlag(const char* name, int default_value, const char* text) {
  return TheRegistry().Define(name, default_value, text);
}
const double& DefineFlag(const char* name, double default_value, const char* text) {
  return TheRegistry().Define(name, default_value, text);
}
const std::string& DefineFlag(const char* name, const std::string& default_value, const char* text) {
  return TheRegistry().Define(name, default_value, text);
}

void SetFlag(const std::string& name, bool value) { TheRegistry().Set(name, value); }
void SetFlag(const std::string& name, int value) { TheRegistry().Set(name, value); }
void SetFlag(const std::string& name, double value) { TheRegistry().Set(name, value); }
void SetFlag(const std::string& name, const std::string& value) { TheRegistry().Set(name, value); }

void ResetFlags() { TheRegistry().Reset(); }
bool IsFlagSet(const std::string& name) { return TheRegistry().IsSet(name); }

}  // namespace internal

void ParseCMDFlags(int* argc, char* argv[]) {
  if (argc == nullptr || argv == nullptr) return;
  std::vector<char*> left;
  for (int i = 0; i < *argc; ++i) {
    if (i == 0 || !TakeArgument(argv[i])) left.push_back(argv[i]);
  }
  std::copy(left.begin(), left.end(), argv);
  if (static_cast<int>(left.size()) < *argc) argv[left.size()] = nullptr;
  *argc = static_cast<int>(left.size());
}

}  // namespace multiverso
