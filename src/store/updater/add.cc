#include "device/rules/add.h"

#include <dmlc/parameter.h>

#include <cmath>
#include <string>

#include "device/visit_dtype.h"
#include "store/updater/apply_rule.h"
#include "store/updater/builtin.h"
#include "store/updater/options.h"
#include "store/updater/real.h"
#include "store/updater/target.h"

namespace ps {
namespace {

struct AddOptions : dmlc::Parameter<AddOptions> {
  Real rate;

  DMLC_DECLARE_PARAMETER(AddOptions) {
    DMLC_DECLARE_FIELD(rate).set_default(1).describe("contributions are multiplied by it");
    DMLC_DECLARE_ALIAS(rate, rescale);
    DMLC_DECLARE_ALIAS(rate, rescale_grad);
  }
};
DMLC_REGISTER_PARAMETER(AddOptions);

struct Add {
  static constexpr const char* kName = "add";
  using Options = AddOptions;
  static double RateOf(const Options& options) { return options.rate; }
};

struct IntegerSgdOptions : dmlc::Parameter<IntegerSgdOptions> {
  Real lr;

  DMLC_DECLARE_PARAMETER(IntegerSgdOptions) {
    DMLC_DECLARE_FIELD(lr).set_default(1).describe("whole");
    DMLC_DECLARE_ALIAS(lr, learning_rate);
  }
};
DMLC_REGISTER_PARAMETER(IntegerSgdOptions);

struct IntegerSgd {
  static constexpr const char* kName = "sgd on integers";
  using Options = IntegerSgdOptions;
  static double RateOf(const Options& options) { return -options.lr; }
};

// Whole numbers up to here are all doubles.
constexpr double kMostWhole = 9007199254740992;  // 2^53

// x += rate * d. Integers wrap around.
template <typename T, typename Definition>
class Adder final : public Updater {
 public:
  Status Configure(const UpdaterOptions& options) override {
    typename Definition::Options set = options_;
    PS_RETURN_IF_ERROR(SetOptions(Definition::kName, options, {OptionGroup::Of(&set)}));
    const double rate = Definition::RateOf(set);
    if (std::is_integral_v<T> && (rate != std::floor(rate) || std::fabs(rate) > kMostWhole)) {
      return Status::InvalidArgument("updater '" + std::string(Definition::kName) +
                                     "': integers can be multiplied by whole numbers only");
    }
    options_ = set;
    rate_ = Convert(rate);
    return Status::Ok();
  }

  Shortcut shortcut() const override { return rate_ == 1 ? Shortcut::kAdd : Shortcut::kNone; }

  void Update(const UpdateRun* runs, std::size_t num_runs, const UpdateContext& context) override {
    if (rate_ == 1) return ApplyRule<T>(rules::Add<T>(), {}, runs, num_runs, context);
    ApplyRule<T>(rules::AddScaled<T>{rate_}, {}, runs, num_runs, context);
  }

 private:
  static T Convert(double rate) {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(static_cast<std::int64_t>(rate));  // as products do, rates wrap around
    } else {
      return static_cast<T>(rate);
    }
  }

  typename Definition::Options options_ = DefaultOptions<typename Definition::Options>();
  T rate_ = Convert(Definition::RateOf(options_));
};

template <typename Definition>
MadeUpdater MakeAdder(const UpdaterTarget& target) {
  return VisitArithmetic(
      target.dtype,
      [](auto element) -> MadeUpdater {
        return std::unique_ptr<Updater>(new Adder<typename decltype(element)::Type, Definition>());
      },
      [&target]() -> MadeUpdater { return RefuseTarget(Definition::kName, target.dtype); });
}

}  // namespace

MadeUpdater MakeAdd(const UpdaterTarget& target) { return MakeAdder<Add>(target); }
MadeUpdater MakeIntegerSgd(const UpdaterTarget& target) { return MakeAdder<IntegerSgd>(target); }

}  // namespace ps
