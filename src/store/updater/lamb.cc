#include "device/rules/lamb.h"

#include <cmath>

#include "device/launch.h"
#include "device/rules/norm.h"
#include "store/updater/builtin.h"
#include "store/updater/gradient_options.h"
#include "store/updater/rate_options.h"
#include "store/updater/target.h"

namespace ps {
namespace {

struct LambOptions : MomentOptions<LambOptions> {
  Real lower_bound;
  Real upper_bound;
  bool bias_correction;

  DMLC_DECLARE_PARAMETER(LambOptions) {
    DeclareMoments(manager, 1e-6);
    DMLC_DECLARE_FIELD(lower_bound).set_default(-1).describe("of the weights' norm; below 0 there is none");
    DMLC_DECLARE_FIELD(upper_bound).set_default(-1).describe("of the weights' norm; below 0 there is none");
    DMLC_DECLARE_FIELD(bias_correction).set_default(true);
  }
};
DMLC_REGISTER_PARAMETER(LambOptions);

// The rule for one update.
template <typename T>
struct LambRule {
  rules::LambMoments<T> moments;
  rules::LambDirection<T> direction;
  double lr;
  double lower_bound;  // below 0: none
  double upper_bound;

  // What lr is multiplied by.
  double Trust(double weights_norm, double directions_norm) const {
    if (lower_bound >= 0 && weights_norm < lower_bound) weights_norm = lower_bound;
    if (upper_bound >= 0 && weights_norm > upper_bound) weights_norm = upper_bound;
    // Also false where one is no number.
    return weights_norm > 0 && directions_norm > 0 ? weights_norm / directions_norm : 1;
  }
};

template <typename T>
LambRule<T> MakeRule(const LambOptions& options, const Step& step) {
  const auto t = static_cast<double>(step.count());
  const auto correction = [&options, t](double beta) {
    return static_cast<T>(options.bias_correction ? 1 - std::pow(beta, t) : 1);
  };
  return {{step.Gradient<T>(0), {static_cast<T>(options.beta1), static_cast<T>(options.beta2)}},
          {correction(options.beta1), correction(options.beta2), static_cast<T>(options.eps),
           static_cast<T>(step.Decay(options.wd))},
          step.Rate(options.lr),
          options.lower_bound,
          options.upper_bound};
}

// All elements of one table, as the body of RunWide.
template <typename T>
class LambOverTable {
 public:
  LambOverTable(const LambRule<T>& rule, const UpdateRun& run, std::ptrdiff_t state_step)
      : rule_(rule),
        size_(run.size),
        values_(static_cast<T*>(run.values)),
        delta_(static_cast<const T*>(run.delta)),
        mean_(Behind(run.values, state_step)),
        square_(Behind(run.values, 2 * state_step)) {}

  PS_ALWAYS_INLINE void operator()() const {
    ForEach(size_, rule_.moments, delta_, mean_, square_);
    const double weights =
        rules::NormOf(size_, [this](std::size_t i) { return static_cast<double>(values_[i]); });
    const double directions = rules::NormOf(size_, [this](std::size_t i) {
      return static_cast<double>(rule_.direction(values_[i], mean_[i], square_[i]));
    });
    const T rate = static_cast<T>(rule_.lr * rule_.Trust(weights, directions));
    ForEach(size_, rules::LambStep<T>{rule_.direction, rate}, values_, mean_, square_);
  }

 private:
  static T* Behind(void* values, std::ptrdiff_t bytes) {
    return reinterpret_cast<T*>(static_cast<char*>(values) + bytes);
  }

  const LambRule<T> rule_;
  const std::size_t size_;
  T* const values_;
  const T* const delta_;
  T* const mean_;
  T* const square_;
};

template <typename T>
class Lamb final : public Updater {
 public:
  Status Configure(const UpdaterOptions& options) override {
    LambOptions own = own_;
    SharedOptions shared = shared_;
    PS_RETURN_IF_ERROR(shared.Set("lamb", options, OptionGroup::Of(&own)));
    own_ = own;
    shared_ = std::move(shared);
    return Status::Ok();
  }
  int NumStates() const override { return 2; }
  bool NeedsWhole() const override { return true; }

  void Update(const UpdateRun* runs, std::size_t num_runs, const UpdateContext& context) override {
    const LambRule<T> rule = MakeRule<T>(own_, Step(shared_, context.count));
    for (std::size_t r = 0; r < num_runs; ++r) RunWide(LambOverTable<T>(rule, runs[r], context.state_step));
  }

 private:
  LambOptions own_ = DefaultOptions<LambOptions>();
  SharedOptions shared_;
};

}  // namespace

MadeUpdater MakeLamb(const UpdaterTarget& target) {
  switch (target.dtype) {
    case DType::kF32: return std::unique_ptr<Updater>(new Lamb<float>());
    case DType::kF64: return std::unique_ptr<Updater>(new Lamb<double>());
    default: return RefuseTarget("lamb", target.dtype);
  }
}

}  // namespace ps
