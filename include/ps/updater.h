// Updater: what becomes of a table's values when a contribution comes.
#ifndef PS_UPDATER_H_
#define PS_UPDATER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ps/dtype.h"
#include "ps/status.h"

namespace ps {

// Consecutive elements of one table: values and what came for them, in the updater's dtype, aligned for it.
// The k-th state of an element (k = 0, 1, ...) lies (k + 1) * UpdateContext::state_step bytes behind it.
struct UpdateRun {
  void* values = nullptr;
  const void* delta = nullptr;
  std::size_t size = 0;  // elements
};

// What runs of one call have in common.
struct UpdateContext {
  std::ptrdiff_t state_step = 0;  // bytes
  std::int64_t count = 1;         // of updates of this table on this server, this one included
  int worker = 0;                 // rank of who sent it; of a merged round 0
};

// Options as text, by name, as in `adam lr=0.001`.
using UpdaterOptions = std::map<std::string, std::string>;

// One table's rule on one server. Several threads call Update at a time, for different elements; Configure is
// called while none does.
class Updater {
 public:
  virtual ~Updater() = default;

  // Sets options; those not named keep their values. kInvalidArgument names the unknown or wrong one and
  // lists what there is; nothing has changed then.
  virtual Status Configure(const UpdaterOptions& options) = 0;
  // Values beside each element that the rule keeps, zero at first.
  virtual int NumStates() const { return 0; }
  // The rule looks at a key as a whole (norms): each run must be all elements of the table.
  virtual bool NeedsWhole() const { return false; }
  // A plain `values = delta` or `values += delta`: the store may do it itself.
  enum class Shortcut { kNone, kAssign, kAdd };
  virtual Shortcut shortcut() const { return Shortcut::kNone; }
  virtual void Update(const UpdateRun* runs, std::size_t num_runs, const UpdateContext& context) = 0;
};

// For whom an updater is made.
struct UpdaterTarget {
  DType dtype = DType::kF32;  // what it computes in: MasterOf the table's
  int num_workers = 1;
};

// Makes an updater, or says (kInvalidArgument) why this rule is not for this target: an integer table never
// gets another rule than the one asked for.
using UpdaterFactory = std::function<Result<std::unique_ptr<Updater>>(const UpdaterTarget& target)>;

// Adds a rule under a new name, before tables use it; on every server of the job. kAlreadyExists. Any thread.
Status RegisterUpdater(const std::string& name, UpdaterFactory factory);
// A rule by name, configured; kNotFound lists the names. Any thread.
Result<std::unique_ptr<Updater>> MakeUpdater(const std::string& name, const UpdaterOptions& options,
                                             const UpdaterTarget& target);
std::vector<std::string> UpdaterNames();

// A rule as a C function: one call per run.
struct UpdaterCall {
  void* values;         // `size` elements of `dtype`, a DType
  const void* delta;    // as many
  void* const* states;  // as many arrays as the rule asked for, each of `size` elements
  std::size_t size;
  std::int64_t count;  // as in UpdateContext
  int worker;
  int dtype;
};
// Must not throw or block; may be called by several threads for different elements. The call is valid
// meanwhile.
using UpdaterFunction = void (*)(const UpdaterCall* call, void* argument);
// `argument` is handed to each call. The rule has no options, and tables of any dtype may use it.
Status RegisterUpdaterFunction(const std::string& name, UpdaterFunction function, int num_states,
                               void* argument);

}  // namespace ps

#endif  // PS_UPDATER_H_
