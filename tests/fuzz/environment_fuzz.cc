// Variables with any text: a Config that holds what it promises, or an error that names the variable.
//
// A line is one variable: its first byte chooses a known name, the rest is its value; from 0xf0 on the whole
// line is `NAME=value`.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/log.h"
#include "base/variables.h"
#include "ps/base.h"
#include "ps/config.h"
#include "ps/environment.h"
#include "tests/fuzz/bytes_reader.h"

namespace ps {
namespace {

// Without these nothing else would be looked at; a line may still overrule them.
Environment::Map Required() {
  return {{"DMLC_ROLE", "worker"},
          {"DMLC_NUM_WORKER", "2"},
          {"DMLC_NUM_SERVER", "2"},
          {"DMLC_PS_ROOT_URI", "127.0.0.1"},
          {"DMLC_PS_ROOT_PORT", "4000"}};
}

Environment::Map VariablesOf(const uint8_t* data, size_t size) {
  const std::vector<VariableInfo>& known = KnownVariables();
  Environment::Map entries = Required();
  for (BytesReader reader(data, size); !reader.empty();) {
    const uint8_t choice = reader.Byte();
    const std::string line = reader.Line();
    if (choice < 0xf0) {
      entries[known[choice % known.size()].name] = line;
    } else if (const size_t equals = line.find('='); equals != std::string::npos) {
      entries[line.substr(0, equals)] = line.substr(equals + 1);
    }
  }
  return entries;
}

void Fuzz(const uint8_t* data, size_t size) {
  SetLogSink([](Severity, const std::string&) {});
  const Environment environment(VariablesOf(data, size), Environment::Fallback::kMapOnly);
  (void)Config::RoleFromEnvironment(environment);
  (void)Config::NumWorkersFromEnvironment(environment);
  (void)Config::NumServersFromEnvironment(environment);
  const Result<Config> config = Config::FromEnvironment(environment);
  if (config.ok()) {
    CHECK(config.value().Validate().ok()) << config.value().Validate().message();
    CHECK(config.value() == Config::FromEnvironment(environment).value());
    return;
  }
  CHECK(config.status().code() == StatusCode::kInvalidArgument) << config.status().message();
  CHECK(config.status().message().find("_") != std::string::npos ||
        config.status().message().find("PORT") != std::string::npos)
      << "names no variable: " << config.status().message();
}

}  // namespace
}  // namespace ps

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  ps::Fuzz(data, size);
  return 0;
}
