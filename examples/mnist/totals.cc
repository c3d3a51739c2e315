#include "examples/mnist/totals.h"

#include <array>

namespace mnist {
namespace {

constexpr char kKey[] = "score";

ps::KVStoreOptions Options() {
  ps::KVStoreOptions options;
  options.name = "totals";  // keys of their own, beside those of the training
  return options;
}

}  // namespace

Totals::Totals(const std::string& kvstore)
    : store_(ps::KVStore::Create(ps::IsDistributedType(kvstore) ? "dist_sync" : "local", Options())),
      score_(ps::Tensor::Full({3}, 0, ps::DType::kF64)) {
  store_->Init(kKey, {score_});
}

Score Totals::Sum(const Score& own) {
  std::array<double, 3> numbers = {own.loss, own.num_correct, own.num_examples};
  score_.CopyFrom(numbers.data());
  store_->PushPull(kKey, {score_}, {score_}).Wait();
  score_.CopyTo(numbers.data());
  Score all;
  all.loss = numbers[0];
  all.num_correct = numbers[1];
  all.num_examples = numbers[2];
  return all;
}

}  // namespace mnist
