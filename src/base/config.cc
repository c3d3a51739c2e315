#include "ps/config.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <tuple>

#include "base/address.h"
#include "base/config_rules.h"
#include "base/log.h"
#include "base/mutex.h"
#include "base/never_destroyed.h"
#include "base/parse.h"
#include "base/process_environment.h"
#include "base/variables.h"
#include "ps/environment.h"

extern char** environ;

namespace ps {
namespace {

struct PublishedVariables {
  Mutex mutex;
  std::map<std::string, std::string> values PS_GUARDED_BY(mutex);
};

PublishedVariables& Published() {
  static NeverDestroyed<PublishedVariables> published;
  return published.value;
}

// Unset and empty are the same: launchers pass on variables they have no value for.
std::optional<std::string> Read(const Environment& environment, const char* name) {
  const char* text = environment.find(name);
  if (text == nullptr || *text == '\0') return std::nullopt;
  return std::string(text);
}

template <typename Value>
struct Choice {
  const char* word;
  Value value;
};

template <typename Value, std::size_t n>
std::optional<Value> Choose(const Choice<Value> (&choices)[n], const std::string& word) {
  const auto chosen = std::find_if(std::begin(choices), std::end(choices),
                                   [&word](const auto& choice) { return word == choice.word; });
  if (chosen == std::end(choices)) return std::nullopt;
  return chosen->value;
}

constexpr Choice<Role> kRoles[] = {{"worker", Role::kWorker},
                                   {"server", Role::kServer},
                                   {"scheduler", Role::kScheduler},
                                   {"joint", Role::kJoint}};
constexpr Choice<OnNodeLost> kPolicies[] = {
    {"fail", OnNodeLost::kFail}, {"wait", OnNodeLost::kWait}, {"shrink", OnNodeLost::kShrink}};
constexpr Choice<KeyPartition> kPartitions[] = {{"range", KeyPartition::kRange},
                                                {"hash", KeyPartition::kHash}};
constexpr Choice<bool> kFlags[] = {{"0", false}, {"1", true}};

struct RequiredVariable {
  const char* name;
  const char* example;
};

constexpr RequiredVariable kRequired[] = {{"DMLC_ROLE", "worker"},
                                          {"DMLC_NUM_WORKER", "2"},
                                          {"DMLC_NUM_SERVER", "1"},
                                          {"DMLC_PS_ROOT_URI", "10.0.0.1"},
                                          {"DMLC_PS_ROOT_PORT", "8000"}};

Status CheckRequired(const Environment& environment) {
  for (const RequiredVariable& variable : kRequired) {
    if (Read(environment, variable.name).has_value()) continue;
    return Status::InvalidArgument(
        std::string(variable.name) + " is not set: every node needs it, for example " + variable.name + "=" +
        variable.example + " (tracker/local.sh sets all for a job on one machine)");
  }
  return Status::Ok();
}

// Reads `name` as one of `choices` into `*field`, which keeps its value when the variable is unset.
template <typename Value, std::size_t n>
Status ReadChoice(const Environment& environment, const char* name, const Choice<Value> (&choices)[n],
                  const char* what, Value* field) {
  const std::optional<std::string> text = Read(environment, name);
  if (!text.has_value()) return Status::Ok();
  const std::optional<Value> value = Choose(choices, *text);
  if (value.has_value()) {
    *field = *value;
    return Status::Ok();
  }
  std::string allowed;
  for (const Choice<Value>& choice : choices) {
    if (!allowed.empty()) allowed += &choice == std::end(choices) - 1 ? " or " : ", ";
    allowed += choice.word;
  }
  return Fault(name, *text, what, allowed);
}

Status ReadRole(const Environment& environment, Role* role) {
  const std::string text = Read(environment, "DMLC_ROLE").value_or("");
  const std::optional<Role> known = Choose(kRoles, text);
  if (!known.has_value()) return Fault("DMLC_ROLE", text, "a role", "worker, server or scheduler");
  *role = *known;
  return CheckRole(*role);
}

// What the library published is its own word, not a wish (and in a restarted node an old one).
bool IsOwnOutput(const Environment& environment, const std::string& name) {
  return name == "DMLC_RANK" && environment.IsPublished(name);
}

Status ReadNumber(const Environment& environment, const char* variable, NumberRule rule, Config* config) {
  const std::optional<std::string> text = Read(environment, variable);
  if (!text.has_value() || IsOwnOutput(environment, variable)) return Status::Ok();
  rule.name = variable;
  const std::optional<std::int64_t> value = ParseInteger(*text, rule.min, rule.max);
  if (!value.has_value()) return NumberFault(rule, *text);
  rule.Set(config, *value);
  return Status::Ok();
}

Status ReadNumbers(const Environment& environment, Config* config) {
  for (NumberRule rule : NumberRules()) {
    if (rule.small == &Config::root_port) rule.min = 1;
    PS_RETURN_IF_ERROR(ReadNumber(environment, rule.name, rule, config));
  }
  return Status::Ok();
}

// A generic PORT belongs to somebody else unless the user says otherwise.
Status ReadPort(const Environment& environment, Config* config) {
  bool use_port = false;
  PS_RETURN_IF_ERROR(ReadChoice(environment, "PS_USE_PORT", kFlags, "a switch", &use_port));
  if (!use_port || Read(environment, "DMLC_PORT").has_value()) return Status::Ok();
  const NumberRule rule{"PORT", &Config::port, nullptr, 0, 65535};
  return ReadNumber(environment, "PORT", rule, config);
}

Status ReadTimes(const Environment& environment, Config* config) {
  for (const TimeRule& rule : TimeRules()) {
    const std::optional<std::string> text = Read(environment, rule.name);
    if (!text.has_value()) continue;
    const std::optional<std::int64_t> ms = ParseSeconds(*text, kMaxTimeMs);
    if (!ms.has_value()) return TimeFault(rule.name, *text);
    config->*rule.field = *ms;
  }
  return Status::Ok();
}

// When only one of the two is given, the default of the other follows it, so that a default alone
// never makes a contradiction.
void FitHeartbeatDefaults(const Environment& environment, Config* config) {
  const bool has_interval = Read(environment, "PS_HEARTBEAT_INTERVAL").has_value();
  const bool has_timeout = Read(environment, "PS_HEARTBEAT_TIMEOUT").has_value();
  if (has_interval && !has_timeout) {
    config->heartbeat_timeout_ms =
        std::max(config->heartbeat_timeout_ms, std::min(10 * config->heartbeat_interval_ms, kMaxTimeMs));
  } else if (has_timeout && !has_interval && config->heartbeat_timeout_ms > 0) {
    config->heartbeat_interval_ms =
        std::clamp<std::int64_t>(config->heartbeat_timeout_ms / 10, 1, config->heartbeat_interval_ms);
  }
}

Status ReadChoices(const Environment& environment, Config* config) {
  PS_RETURN_IF_ERROR(
      ReadChoice(environment, "DMLC_USE_KUBERNETES", kFlags, "a switch", &config->use_kubernetes));
  PS_RETURN_IF_ERROR(ReadChoice(environment, "DMLC_LOCAL", kFlags, "a switch", &config->local));
  PS_RETURN_IF_ERROR(ReadChoice(environment, "PS_RESEND", kFlags, "a switch", &config->resend));
  PS_RETURN_IF_ERROR(
      ReadChoice(environment, "PS_ON_NODE_LOST", kPolicies, "a policy", &config->on_node_lost));
  return ReadChoice(environment, "PS_KEY_PARTITION", kPartitions, "a partition", &config->key_partition);
}

void ReadTexts(const Environment& environment, Config* config) {
  const std::pair<const char*, std::string Config::*> texts[] = {
      {"DMLC_PS_ROOT_URI", &Config::root_uri}, {"DMLC_NODE_HOST", &Config::node_host},
      {"PS_BIND_HOST", &Config::bind_host},    {"DMLC_INTERFACE", &Config::interface},
      {"DMLC_PS_VAN_TYPE", &Config::van_type}, {"PS_CHECKPOINT_DIR", &Config::checkpoint_dir},
      {"PS_JOB_TOKEN", &Config::job_token},    {"PS_CURVE_DIR", &Config::curve_dir},
  };
  for (const auto& [name, field] : texts) {
    config->*field = Read(environment, name).value_or(config->*field);
  }
}

void ReadNodeKey(const Environment& environment, Config* config) {
  const char* of_role = config->role == Role::kServer ? "DMLC_SERVER_ID" : "DMLC_WORKER_ID";
  std::vector<const char*> names = {"PS_NODE_KEY", "DMLC_TASK_ID"};
  if (config->role != Role::kScheduler) names.push_back(of_role);
  names.insert(names.end(), {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"});
  for (const char* name : names) {
    if (!config->node_key.empty()) return;
    config->node_key = Read(environment, name).value_or("");
  }
}

// Brackets are for writing, not for connecting.
void StripBrackets(std::string* host) {
  const Result<std::string> parsed = ParseHost(*host);
  if (parsed.ok()) *host = parsed.value();
}

void WarnOfUnknownNames(const Environment& environment) {
  static Mutex mutex;
  static std::set<std::string> said;
  for (const std::string& warning : UnknownVariableWarnings(environment.Names())) {
    MutexLock lock(mutex);
    if (said.insert(warning).second) PS_LOG(kWarning, "", warning);
  }
}

std::optional<int> ReadCount(const Environment& environment, const char* name) {
  const std::optional<std::string> text = Read(environment, name);
  if (!text.has_value()) return std::nullopt;
  return ParseInteger(*text, 0, 65535);
}

auto AllFields(const Config& c) {
  return std::tie(c.role, c.num_workers, c.num_servers, c.root_uri, c.root_port, c.node_host, c.bind_host,
                  c.interface, c.port, c.use_kubernetes, c.local, c.rank_wish, c.node_key, c.van_type,
                  c.water_mark, c.send_buffer_bytes, c.max_message_bytes, c.chunk_bytes, c.slice_bytes,
                  c.spin_us, c.key_partition, c.resend, c.resend_timeout_ms, c.drop_msg_percent,
                  c.heartbeat_interval_ms, c.heartbeat_timeout_ms, c.start_timeout_ms, c.request_timeout_ms,
                  c.barrier_timeout_ms, c.on_node_lost, c.checkpoint_dir, c.checkpoint_interval_ms,
                  c.server_memory_limit, c.server_threads, c.job_token, c.curve_dir, c.verbose);
}

}  // namespace

std::optional<std::string> ReadProcessVariable(const std::string& name) {
  MutexLock lock(Published().mutex);
  const char* text = std::getenv(name.c_str());
  if (text == nullptr) return std::nullopt;
  return std::string(text);
}

bool PublishProcessVariable(const std::string& name, const std::string& value) {
  MutexLock lock(Published().mutex);
  if (std::getenv(name.c_str()) != nullptr) return false;
  if (::setenv(name.c_str(), value.c_str(), 0) != 0) return false;
  Published().values[name] = value;
  return true;
}

bool IsPublishedProcessVariable(const std::string& name) {
  MutexLock lock(Published().mutex);
  const auto published = Published().values.find(name);
  const char* text = std::getenv(name.c_str());
  return published != Published().values.end() && text != nullptr && published->second == text;
}

std::vector<std::string> ProcessVariableNames() {
  MutexLock lock(Published().mutex);
  std::vector<std::string> names;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string text(*entry);
    names.push_back(text.substr(0, text.find('=')));
  }
  return names;
}

const char* RoleName(Role role) {
  for (const Choice<Role>& choice : kRoles) {
    if (choice.value == role) return choice.word;
  }
  return "unknown";
}

Result<Config> Config::FromEnvironment(const Environment& environment) {
  WarnOfUnknownNames(environment);
  PS_RETURN_IF_ERROR(CheckRequired(environment));
  Config config;
  PS_RETURN_IF_ERROR(ReadRole(environment, &config.role));
  PS_RETURN_IF_ERROR(ReadNumbers(environment, &config));
  PS_RETURN_IF_ERROR(ReadPort(environment, &config));
  PS_RETURN_IF_ERROR(ReadTimes(environment, &config));
  FitHeartbeatDefaults(environment, &config);
  PS_RETURN_IF_ERROR(ReadChoices(environment, &config));
  ReadTexts(environment, &config);
  ReadNodeKey(environment, &config);
  PS_RETURN_IF_ERROR(config.Validate());
  StripBrackets(&config.root_uri);
  if (!config.node_host.empty()) StripBrackets(&config.node_host);
  if (!config.bind_host.empty()) StripBrackets(&config.bind_host);
  return config;
}

std::optional<Role> Config::RoleFromEnvironment(const Environment& environment) {
  Role role = Role::kWorker;
  if (!ReadRole(environment, &role).ok()) return std::nullopt;
  return role;
}

std::optional<int> Config::NumWorkersFromEnvironment(const Environment& environment) {
  return ReadCount(environment, "DMLC_NUM_WORKER");
}

std::optional<int> Config::NumServersFromEnvironment(const Environment& environment) {
  return ReadCount(environment, "DMLC_NUM_SERVER");
}

bool operator==(const Config& a, const Config& b) { return AllFields(a) == AllFields(b); }

}  // namespace ps
