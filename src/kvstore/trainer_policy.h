#ifndef PS_KVSTORE_TRAINER_POLICY_H_
#define PS_KVSTORE_TRAINER_POLICY_H_

#include <cstdint>
#include <optional>
#include <string>

#include "ps/status.h"

namespace ps {

// What a Trainer is asked for and works with, as its rules see it. A plain value.
struct TrainerSituation {
  std::string type;        // of the store; empty: none is asked for
  bool is_given = false;   // the store is the program's
  bool is_capable = true;  // it can update
  int num_devices = 1;
  std::int64_t largest = 0;  // elements of the largest parameter
  bool has_sparse_gradients = false;
  std::optional<bool> update_on_kvstore;
  bool update_by_default = true;  // MXNET_UPDATE_ON_KVSTORE

  bool is_distributed() const { return type.find("dist") != std::string::npos; }
};

// What follows. Pure.
struct TrainerPlan {
  bool has_store = false;
  bool update_on_kvstore = false;
};

// MXNet's rules, with its texts for what can not be (kInvalidArgument).
Result<TrainerPlan> PlanTrainer(const TrainerSituation& situation);

}  // namespace ps

#endif  // PS_KVSTORE_TRAINER_POLICY_H_
