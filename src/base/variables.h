// The one list of environment variables: documentation, the check for misspelt names and the tests
// of Config all read it.
#ifndef PS_BASE_VARIABLES_H_
#define PS_BASE_VARIABLES_H_

#include <string>
#include <string_view>
#include <vector>

namespace ps {

struct VariableInfo {
  const char* name;
  const char* default_value;  // as documentation shows it; "required", "unset"
  const char* meaning;        // one line
};

// Every variable the library or its launchers read, in the order of the documentation.
const std::vector<VariableInfo>& KnownVariables();

// The known name that needs the fewest insertions, deletions and replacements.
std::string NearestVariable(std::string_view name);

// One text for each of `names` that is not known and begins with PS_ or DMLC_PS_, or with DMLC_ and is almost
// a known one; sorted by name.
std::vector<std::string> UnknownVariableWarnings(std::vector<std::string> names);

// Levenshtein distance, in bytes.
int EditDistance(std::string_view a, std::string_view b);

}  // namespace ps

#endif  // PS_BASE_VARIABLES_H_
