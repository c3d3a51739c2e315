#ifndef PS_STORE_TABLE_RULE_H_
#define PS_STORE_TABLE_RULE_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ps/status.h"
#include "ps/table_spec.h"
#include "ps/updater.h"

namespace ps {

// The rule of a table as it is now: what was asked for, and which options were set since. A plain value; goes
// into checkpoints and back.
struct TableRule {
  UpdaterChoice choice;  // as the table was made with, or as the last SetUpdater said
  bool multi_precision = false;
  // What SetOptions brought, in order. Each is a set of its own: options may be right only together, and one
  // that has two names is set by whichever came last.
  std::vector<UpdaterOptions> since;

  // As the table is made.
  static TableRule Of(const TableSpec& spec) {
    return {{spec.updater, spec.updater_options}, spec.multi_precision, {}};
  }
  bool is_none() const { return choice.name == kNoUpdater; }
  // Asked for in the same words, whatever was set since.
  bool IsSameChoice(const TableRule& other) const {
    return choice == other.choice && multi_precision == other.multi_precision;
  }
  // The specification of a table that has this rule; what was set since is not in it.
  TableSpec In(const TableSpec& spec) const;
  // Its updater with all that was set, in a table of `spec`. kInvalidArgument, kNotFound: it cannot have this
  // rule. `host`: where it is to work; null: it is only asked.
  Result<std::unique_ptr<Updater>> Make(const TableSpec& spec, int num_workers,
                                        std::shared_ptr<const UpdaterHost> host = nullptr) const;
  // From now on these options hold, too. Errors as of Make; nothing has changed then. Keeps as many sets as
  // there are options at most, however often they are set.
  Status Set(const UpdaterOptions& options, const TableSpec& spec, int num_workers);
};

inline bool operator==(const TableRule& a, const TableRule& b) {
  return a.IsSameChoice(b) && a.since == b.since;
}
inline bool operator!=(const TableRule& a, const TableRule& b) { return !(a == b); }

}  // namespace ps
#endif  // PS_STORE_TABLE_RULE_H_
