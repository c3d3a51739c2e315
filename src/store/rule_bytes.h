#ifndef PS_STORE_RULE_BYTES_H_
#define PS_STORE_RULE_BYTES_H_

#include <string>
#include <string_view>

#include "ps/status.h"
#include "store/rule_book.h"
#include "store/table_rule.h"

namespace ps {

// A rule as it travels to the servers, and as it is stored.
std::string EncodeRule(const TableRule& rule);
// A change of it that waits for its round, as it is stored.
std::string EncodeRuleChange(const RuleChange& change);

// Any bytes may come: kInvalidArgument. Whether there is such a rule is not looked at.
Result<TableRule> DecodeRule(std::string_view bytes);
Result<RuleChange> DecodeRuleChange(std::string_view bytes);

}  // namespace ps
#endif  // PS_STORE_RULE_BYTES_H_
