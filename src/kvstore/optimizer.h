#ifndef PS_KVSTORE_OPTIMIZER_H_
#define PS_KVSTORE_OPTIMIZER_H_

#include <string_view>

#include "ps/status.h"
#include "ps/updater.h"

namespace ps {

// What SetOptimizer is told, as the store engine names it.
struct Optimizer {
  UpdaterChoice choice;
  bool multi_precision = false;
  bool is_exact = false;  // a row-sparse gradient updates all rows, not only its own
};
inline bool operator==(const Optimizer& a, const Optimizer& b) {
  return a.choice.name == b.choice.name && a.choice.options == b.choice.options &&
         a.multi_precision == b.multi_precision && a.is_exact == b.is_exact;
}

// `sgd lr=.1 momentum=.9 multi_precision=1 sparse=exact`: MXNet's names and defaults where they differ from
// the engine's: sgd's rate is .1, with momentum it is the engine's `momentum`; rmsprop with centered=1 is
// `rmsprop_centered`. kInvalidArgument.
Result<Optimizer> ParseOptimizer(std::string_view text);

}  // namespace ps

#endif  // PS_KVSTORE_OPTIMIZER_H_
