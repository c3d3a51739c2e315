#include "kvstore/trainer_policy.h"

namespace ps {
namespace {

// A `local` store would copy more than it saves.
constexpr std::int64_t kLarge = 16LL * 1024 * 1024;

bool UpdatesUnlessTold(const TrainerSituation& situation) {
  if (!situation.is_capable) return false;
  if (situation.type == "local" && situation.largest > kLarge) return false;
  return situation.update_by_default;
}

}  // namespace

Result<TrainerPlan> PlanTrainer(const TrainerSituation& situation) {
  TrainerPlan plan;
  plan.has_store = situation.is_given ||
                   (!situation.type.empty() && (situation.num_devices > 1 || situation.is_distributed()));
  if (!plan.has_store) {
    if (situation.update_on_kvstore.value_or(false) && situation.type.empty())
      return Status::InvalidArgument("Trainer: update_on_kvstore=True, and there is no kvstore");
    return plan;
  }
  plan.update_on_kvstore = situation.update_on_kvstore.value_or(UpdatesUnlessTold(situation));
  const bool is_async = situation.is_distributed() && (situation.type.find("async") != std::string::npos ||
                                                       situation.type.find("ssp") != std::string::npos);
  if (is_async && !plan.update_on_kvstore)
    return Status::InvalidArgument("Please set update_on_kvstore=True when training in async mode.");
  if (situation.has_sparse_gradients && situation.is_distributed() && !plan.update_on_kvstore)
    return Status::InvalidArgument(
        "Cannot set update_on_kvstore=False when sparse gradients are pushed to a distributed store.");
  if (plan.update_on_kvstore && !situation.is_capable)
    return Status::InvalidArgument("Cannot set update_on_kvstore=True: KVStore type " + situation.type +
                                   " is not capable of 'optimizer'");
  return plan;
}

}  // namespace ps
