#include "ps/table_options.h"

#include <limits>
#include <sstream>
#include <utility>

namespace ps {

std::string TableAddOptions::RuleText() const {
  std::ostringstream text;
  text.precision(std::numeric_limits<double>::max_digits10);
  const std::pair<const char*, const std::optional<double>&> all[] = {
      {"lr", learning_rate}, {"momentum", momentum}, {"rho", rho}, {"lambda", lambda}};
  for (const auto& [name, value] : all) {
    if (value.has_value()) text << (text.tellp() == 0 ? "" : " ") << name << '=' << *value;
  }
  if (!others.empty()) text << (text.tellp() == 0 ? "" : " ") << others;
  return text.str();
}

// A float's decimal fraction that is the shortest is what a user has written: .01, not .00999999978.
TableAddOptions AddOption::For(const std::string& updater) const {
  const auto written = [](float value) {
    std::ostringstream text;
    text << value;
    const double read = std::stod(text.str());
    return static_cast<float>(read) == value ? read : static_cast<double>(value);
  };
  TableAddOptions options;
  const bool is_dcasgd = updater == "dcasgd" || updater == "dcasgd_a";
  if (updater == "smooth" || updater == "dcasgd_a") options.momentum = written(momentum);
  if (updater == "adagrad_worker" || is_dcasgd) options.learning_rate = written(learning_rate);
  if (updater == "adagrad_worker") options.rho = written(rho);
  if (is_dcasgd) options.lambda = written(lambda);
  return options;
}

}  // namespace ps
