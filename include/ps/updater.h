// Updater: what becomes of a table's values when a contribution comes.
//
// The rules that there are, with their own options. d is what came, w the value, t the number of the update.
//
//   none              No rule yet: contributions are refused until the table has another one
//                     (StoreTable::SetUpdater). Not for kBsp.
//   assign            w = d. The only one of the others for bool tables.
//   add               w += rate d. rate=1 (also rescale_grad); with integers whole. They wrap around.
//   sgd               w -= lr (G + wd w). lr=1 wd=0: unless set, contributions are steps, as
//                     Multiverso's sgd has them. MXNet's lr is .1, which its face sets. With integers
//                     only a whole lr.
//   momentum, nag     The same with a velocity; nag is Nesterov's. lr=.1 wd=0 momentum=.9
//   adagrad           h += G^2; w -= lr G / (sqrt(h) + eps). lr=.01 wd=0 eps=1e-6
//   adam, adamw       lr=.001 wd=0 beta1=.9 beta2=.999 eps=1e-8 (adamw: 1e-6, wd beside G)
//   rmsprop           lr=.001 wd=0 rho=.9 eps=1e-8
//   rmsprop_centered  The same and momentum=.9
//   ftrl              lr=.1 wd=0 beta=1 lambda1=.01; alpha is lr, lambda2 is wd, which is not in G
//   lamb              As adamw, and lower_bound, upper_bound of the weights' norm,
//                     bias_correction=1. Needs the whole table on one server
//
// G is d after rescale=1 and clip (to [-clip, clip]; below 0: not), in this order; both, lr_mult=1, wd_mult=1
// and a schedule of lr are options of all rules from sgd on: schedule=factor|multifactor|poly|cosine, step,
// steps, factor, stop_factor_lr, max_update, final_lr, power, and warmup_steps, warmup_begin_lr,
// warmup_mode=linear|constant. They are MXNet's schedulers over t. MXNet's longer names are other names of
// the same options.
//
// Rules whose contributions are steps, rate times gradient, as Multiverso's workers send them; no other
// options:
//
//   smooth            s = momentum s + (1 - momentum) d; w -= s. momentum=0. Multiverso's
//                     momentum_sgd
//   adagrad_worker    With g = d / lr, h of each worker: h += g^2; w -= rho / sqrt(h + eps) g. lr=.01
//                     rho=.1 eps=1e-6
//   dcasgd            w -= lr (g + lambda g^2 (w - w after this worker's last d)). lr=.01 lambda=.04
//   dcasgd_a          With lambda / sqrt(m + eps), m = momentum m + (1 - momentum) g^2. momentum=.95
//                     eps=1e-7
//
// f32 and f64 tables are computed in their type, in the order written (MXNet's), with the same bits on all
// processors; 16-bit floats in f32. What an integer table can not have exactly is refused.
#ifndef PS_UPDATER_H_
#define PS_UPDATER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
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
  std::int64_t count = 1;         // of updates of this table on this server, this one included: from 1
  int worker = 0;                 // rank of who sent it; of a merged round 0
};

// Options as text, by name, as in `adam lr=0.001`.
using UpdaterOptions = std::map<std::string, std::string>;

// A rule as text says it.
struct UpdaterChoice {
  std::string name;
  UpdaterOptions options;
};
inline bool operator==(const UpdaterChoice& a, const UpdaterChoice& b) {
  return a.name == b.name && a.options == b.options;
}
inline bool operator!=(const UpdaterChoice& a, const UpdaterChoice& b) { return !(a == b); }
// The name of no rule.
inline constexpr char kNoUpdater[] = "none";
// `adam lr=1e-3 wd=.01`: a name and options, blanks between them. kInvalidArgument; names are not looked up
// yet.
Result<UpdaterChoice> ParseUpdater(std::string_view text);

// One table's rule on one server. Several threads call Update at a time, for different elements; Configure
// and Initialize are called while none does. What the calls of a program's own rule throw is the error of the
// operation.
class Updater {
 public:
  virtual ~Updater() = default;

  // Sets options; those not named keep their values. kInvalidArgument names the unknown or wrong one and
  // lists what there is; nothing has changed then. No option changes what the next two say.
  virtual Status Configure(const UpdaterOptions& options) = 0;
  // Values beside each element that the rule keeps, zero at first.
  virtual int NumStates() const { return 0; }
  // The rule looks at a key as a whole (norms): each run must be all elements of the table.
  virtual bool NeedsWhole() const { return false; }
  // The rule looks at all elements together that its server has: each run must be these. Of what NeedsWhole
  // that is so in any case.
  virtual bool NeedsShare() const { return NeedsWhole(); }
  // The values of a table that has just been made, in the updater's dtype, as its Init says; they may be
  // changed, before anybody reads them. Once per share of a table that `NeedsShare`, else once per thread's
  // part. Not for hash tables, for tables of a checkpoint, or when a table gets this rule later. Where it
  // fails, all operations of the table do, until somebody opens it once more: then it is asked again. Of a
  // program's own rules only.
  virtual Status Initialize(void* values, std::size_t size) {
    static_cast<void>(values);
    static_cast<void>(size);
    return Status::Ok();
  }
  // A plain `values = delta` or `values += delta`: the store may do it itself.
  enum class Shortcut { kNone, kAssign, kAdd };
  virtual Shortcut shortcut() const { return Shortcut::kNone; }
  // The runs of one call are handled in their order, each as if the ones before it were a call of their own:
  // the same element may be in several of them.
  virtual void Update(const UpdateRun* runs, std::size_t num_runs, const UpdateContext& context) = 0;
};

// The server that rules work at; the same object for all of its tables.
struct UpdaterHost {
  int rank = 0;
  std::vector<std::string> command_line;  // of its program, as far as RunServer was told
};

// For whom an updater is made.
struct UpdaterTarget {
  DType dtype = DType::kF32;                          // what it computes in: MasterOf the table's
  int num_workers = 1;                                // at least 1; some rules keep a state of each
  std::shared_ptr<const UpdaterHost> host = nullptr;  // null: it is only asked what it is like
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
