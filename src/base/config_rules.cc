#include "base/config_rules.h"

#include <algorithm>
#include <limits>

#include "base/address.h"
#include "base/parse.h"

namespace ps {
namespace {

constexpr std::int64_t kMaxBytes = std::int64_t{1} << 50;
constexpr const char* kRoles = "worker, server or scheduler";
constexpr const char* kVanTypes = "auto, shm, zmq or p3";

NumberRule Small(const char* name, int Config::*field, int min, int max) {
  return {name, field, nullptr, min, max};
}

NumberRule Large(const char* name, std::int64_t Config::*field, std::int64_t min, std::int64_t max) {
  return {name, nullptr, field, min, max};
}

Status CheckHost(const char* name, const std::string& host) {
  const Result<std::string> parsed = ParseHost(host);
  if (parsed.ok()) return Status::Ok();
  return Fault(name, host, "a host",
               "a v4 or v6 address or a name, without port (" + parsed.status().message() + ")");
}

Status CheckHosts(const Config& config) {
  PS_RETURN_IF_ERROR(CheckHost("DMLC_PS_ROOT_URI", config.root_uri));
  if (!config.node_host.empty()) {
    PS_RETURN_IF_ERROR(CheckHost("DMLC_NODE_HOST", config.node_host));
  }
  if (!config.bind_host.empty()) {
    PS_RETURN_IF_ERROR(CheckHost("PS_BIND_HOST", config.bind_host));
  }
  return Status::Ok();
}

}  // namespace

std::int64_t NumberRule::Get(const Config& config) const {
  return small != nullptr ? config.*small : config.*large;
}

void NumberRule::Set(Config* config, std::int64_t value) const {
  if (small != nullptr) {
    config->*small = static_cast<int>(value);
  } else {
    config->*large = value;
  }
}

const std::vector<NumberRule>& NumberRules() {
  constexpr int kMaxInt = std::numeric_limits<int>::max();
  static const std::vector<NumberRule> rules = {
      Small("DMLC_NUM_WORKER", &Config::num_workers, 0, 65535),
      Small("DMLC_NUM_SERVER", &Config::num_servers, 0, 65535),
      Small("DMLC_PS_ROOT_PORT", &Config::root_port, 0, 65535),
      Small("DMLC_PORT", &Config::port, 0, 65535),
      Small("DMLC_RANK", &Config::rank_wish, -1, 65534),
      Small("DMLC_PS_WATER_MARK", &Config::water_mark, 0, kMaxInt),
      Large("PS_SEND_BUFFER_BYTES", &Config::send_buffer_bytes, 1, kMaxBytes),
      Large("PS_MAX_MESSAGE_BYTES", &Config::max_message_bytes, 1, kMaxBytes),
      Large("PS_CHUNK_BYTES", &Config::chunk_bytes, 64, std::int64_t{1} << 30),
      Large("PS_SLICE_BYTES", &Config::slice_bytes, 1, kMaxBytes),
      Small("PS_SPIN_US", &Config::spin_us, -1, 1000000),
      Large("PS_RESEND_TIMEOUT", &Config::resend_timeout_ms, 1, kMaxTimeMs),
      Small("PS_DROP_MSG", &Config::drop_msg_percent, 0, 100),
      Large("PS_SERVER_MEMORY_LIMIT", &Config::server_memory_limit, 0, kMaxBytes),
      Small("PS_SERVER_THREADS", &Config::server_threads, -1, 1024),
      Small("PS_VERBOSE", &Config::verbose, 0, 100),
  };
  return rules;
}

const std::vector<TimeRule>& TimeRules() {
  static const std::vector<TimeRule> rules = {
      {"PS_HEARTBEAT_INTERVAL", &Config::heartbeat_interval_ms},
      {"PS_HEARTBEAT_TIMEOUT", &Config::heartbeat_timeout_ms},
      {"PS_START_TIMEOUT", &Config::start_timeout_ms},
      {"PS_REQUEST_TIMEOUT", &Config::request_timeout_ms},
      {"PS_BARRIER_TIMEOUT", &Config::barrier_timeout_ms},
      {"PS_CHECKPOINT_INTERVAL", &Config::checkpoint_interval_ms},
  };
  return rules;
}

Status Fault(const char* name, const std::string& value, const std::string& what,
             const std::string& allowed) {
  return Status::InvalidArgument(std::string(name) + "=\"" + value + "\" is not " + what + ": use " +
                                 allowed);
}

Status NumberFault(const NumberRule& rule, const std::string& value) {
  return Fault(rule.name, value, "an allowed number",
               "a whole number from " + std::to_string(rule.min) + " to " + std::to_string(rule.max));
}

Status TimeFault(const char* name, const std::string& value) {
  return Fault(name, value, "a time",
               "seconds from 0 to " + FormatSeconds(kMaxTimeMs) + ", fractions allowed");
}

Status CheckVanType(const std::string& van_type) {
  static constexpr const char* kOffered[] = {"auto", "shm", "zmq", "p3"};
  static constexpr const char* kLater[] = {"ucx"};
  const auto is_it = [&van_type](const char* name) { return van_type == name; };
  if (std::any_of(std::begin(kOffered), std::end(kOffered), is_it)) return Status::Ok();
  const bool later = std::any_of(std::begin(kLater), std::end(kLater), is_it);
  return Fault("DMLC_PS_VAN_TYPE", van_type, later ? "offered by this build" : "a transport", kVanTypes);
}

Status CheckRole(Role role) {
  if (role != Role::kJoint) return Status::Ok();
  return Fault("DMLC_ROLE", "joint", "a role of one node (only programs of ps/multiverso.h are two in one)",
               kRoles);
}

Status CheckHeartbeat(const Config& config) {
  const bool on = config.heartbeat_interval_ms > 0 && config.heartbeat_timeout_ms > 0;
  if (!on || config.heartbeat_timeout_ms > config.heartbeat_interval_ms) return Status::Ok();
  return Fault("PS_HEARTBEAT_TIMEOUT", FormatSeconds(config.heartbeat_timeout_ms),
               "longer than PS_HEARTBEAT_INTERVAL=\"" + FormatSeconds(config.heartbeat_interval_ms) + "\"",
               "several intervals, or every living node would count as lost");
}

Status Config::Validate() const {
  PS_RETURN_IF_ERROR(CheckRole(role));
  for (const NumberRule& rule : NumberRules()) {
    const std::int64_t value = rule.Get(*this);
    if (value < rule.min || value > rule.max) return NumberFault(rule, std::to_string(value));
  }
  for (const TimeRule& rule : TimeRules()) {
    const std::int64_t ms = this->*rule.field;
    if (ms < 0 || ms > kMaxTimeMs) return TimeFault(rule.name, std::to_string(ms) + " ms");
  }
  if (num_workers + num_servers < 1) {
    return Status::InvalidArgument(
        "DMLC_NUM_WORKER=0 and DMLC_NUM_SERVER=0: a job needs at least one worker or server");
  }
  PS_RETURN_IF_ERROR(CheckHosts(*this));
  PS_RETURN_IF_ERROR(CheckVanType(van_type));
  return CheckHeartbeat(*this);
}

}  // namespace ps
