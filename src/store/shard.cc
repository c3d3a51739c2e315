#include "store/shard.h"

#include <utility>

#include "store/dense_shard.h"
#include "store/hash_shard.h"

namespace ps {
namespace {

template <typename Kind>
Result<std::unique_ptr<Shard>> Make(const ShardPlan& plan) {
  Result<std::unique_ptr<Kind>> made = Kind::Create(plan);
  if (!made.ok()) return made.status();
  return std::unique_ptr<Shard>(std::move(made).value());
}

}  // namespace

Result<std::unique_ptr<Shard>> MakeShard(const ShardPlan& plan) {
  return plan.spec->kind == TableSpec::kHash ? Make<HashShard>(plan) : Make<DenseShard>(plan);
}

}  // namespace ps
