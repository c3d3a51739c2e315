// The only way to the process environment. Implemented in config.cc, where getenv is fenced in.
#ifndef PS_BASE_PROCESS_ENVIRONMENT_H_
#define PS_BASE_PROCESS_ENVIRONMENT_H_

#include <optional>
#include <string>
#include <vector>

namespace ps {

// Thread-safe among themselves; a program that calls setenv at the same time races as with getenv.
std::optional<std::string> ReadProcessVariable(const std::string& name);

// Sets `name` if it is unset and remembers that the library did. Returns whether it did.
bool PublishProcessVariable(const std::string& name, const std::string& value);

// True while `name` still has the value PublishProcessVariable gave it.
bool IsPublishedProcessVariable(const std::string& name);

std::vector<std::string> ProcessVariableNames();

}  // namespace ps

#endif  // PS_BASE_PROCESS_ENVIRONMENT_H_
