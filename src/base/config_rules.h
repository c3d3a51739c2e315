// The rules of Config that do not depend on where it comes from: ranges, and words for choices.
#ifndef PS_BASE_CONFIG_RULES_H_
#define PS_BASE_CONFIG_RULES_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ps/config.h"
#include "ps/status.h"

namespace ps {

// A number of Config, within [min, max]. int and int64_t fields go through one type.
struct NumberRule {
  const char* name;  // of the variable
  int Config::*small;
  std::int64_t Config::*large;  // exactly one of the two is set
  std::int64_t min;
  std::int64_t max;

  std::int64_t Get(const Config& config) const;
  void Set(Config* config, std::int64_t value) const;
};

// Seconds in the environment, milliseconds in Config.
struct TimeRule {
  const char* name;
  std::int64_t Config::*field;
};

constexpr std::int64_t kMaxTimeMs = 1000000000000;  // about 31 years

const std::vector<NumberRule>& NumberRules();
const std::vector<TimeRule>& TimeRules();

// NAME="value" is not <what>: use <allowed>
Status Fault(const char* name, const std::string& value, const std::string& what, const std::string& allowed);
// The Fault of a number outside its rule, or of text that is no whole number.
Status NumberFault(const NumberRule& rule, const std::string& value);
Status TimeFault(const char* name, const std::string& value);

// Refuses transports this build does not offer, naming those it does.
Status CheckVanType(const std::string& van_type);
Status CheckRole(Role role);
Status CheckHeartbeat(const Config& config);

}  // namespace ps

#endif  // PS_BASE_CONFIG_RULES_H_
