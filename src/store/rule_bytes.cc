#include "store/rule_bytes.h"

#include <limits>
#include <utility>

#include "checkpoint.pb.h"

namespace ps {
namespace {

// More than Set ever keeps: so many cost no time that matters.
constexpr int kMaxSets = 1000;

template <typename Options>
void Put(const UpdaterOptions& options, Options* out) {
  for (const auto& [name, value] : options) {
    stored::Option* const option = out->Add();
    option->set_name(name);
    option->set_value(value);
  }
}

template <typename Options>
UpdaterOptions OptionsOf(const Options& in) {
  UpdaterOptions options;
  for (const stored::Option& option : in) options.emplace(option.name(), option.value());
  return options;
}

void Put(const TableRule& rule, stored::Rule* out) {
  out->set_updater(rule.choice.name);
  Put(rule.choice.options, out->mutable_options());
  out->set_multi_precision(rule.multi_precision);
  for (const UpdaterOptions& options : rule.since) Put(options, out->add_since()->mutable_options());
}

Result<TableRule> RuleOf(const stored::Rule& in) {
  if (in.updater().empty() || in.since_size() > kMaxSets)
    return Status::InvalidArgument("a rule without an updater's name, or with more options than there are");
  TableRule rule{{in.updater(), OptionsOf(in.options())}, in.multi_precision(), {}};
  for (const stored::OptionSet& set : in.since()) rule.since.push_back(OptionsOf(set.options()));
  return rule;
}

template <typename Proto>
Status Parse(std::string_view bytes, Proto* proto) {
  if (bytes.size() <= static_cast<std::size_t>(std::numeric_limits<int>::max()) &&
      proto->ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
    return Status::Ok();
  return Status::InvalidArgument("bytes that are no rule of a table");
}

}  // namespace

std::string EncodeRule(const TableRule& rule) {
  stored::Rule out;
  Put(rule, &out);
  return out.SerializeAsString();
}

std::string EncodeRuleChange(const RuleChange& change) {
  stored::RuleChange out;
  out.set_round(change.round);
  if (change.is_rule) {
    Put(change.rule, out.mutable_rule());
  } else {
    Put(change.options, out.mutable_options()->mutable_options());
  }
  return out.SerializeAsString();
}

Result<TableRule> DecodeRule(std::string_view bytes) {
  stored::Rule in;
  PS_RETURN_IF_ERROR(Parse(bytes, &in));
  return RuleOf(in);
}

Result<RuleChange> DecodeRuleChange(std::string_view bytes) {
  stored::RuleChange in;
  PS_RETURN_IF_ERROR(Parse(bytes, &in));
  RuleChange change;
  change.round = in.round();
  change.is_rule = in.has_rule();
  if (!change.is_rule) {
    change.options = OptionsOf(in.options().options());
    return change;
  }
  Result<TableRule> rule = RuleOf(in.rule());
  PS_RETURN_IF_ERROR(rule.status());
  change.rule = std::move(rule).value();
  return change;
}

}  // namespace ps
