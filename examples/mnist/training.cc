#include "examples/mnist/training.h"

#include <chrono>
#include <cmath>
#include <future>
#include <stdexcept>
#include <string>

namespace mnist {
namespace {

std::vector<Replica> MakeReplicas(const Options& options, std::size_t num_pixels) {
  const Parameters weights = FirstWeights(num_pixels, options.seed);
  const auto count = static_cast<int>(options.gpus > 0 ? options.gpus : options.devices);
  std::vector<Replica> replicas;
  for (int i = 0; i < count; ++i)
    replicas.emplace_back(weights, options.gpus > 0 ? ps::DeviceId::Cuda(i) : ps::DeviceId::Cpu(i));
  return replicas;
}

}  // namespace

Training::Training(const Options& options, const Digits& train, const Digits& test)
    : train_(train),
      test_(test),
      options_(options),
      batches_(train.size(), options.batch, options.seed),
      replicas_(MakeReplicas(options, train.num_pixels)),
      store_(ps::KVStore::Create(options.kvstore)),
      totals_(options.kvstore) {
  if (test.num_pixels != train.num_pixels)
    throw std::invalid_argument("pictures to train and to test with have different sizes");
  if (batches_.num_batches() == 0)
    throw std::invalid_argument("a batch of " + std::to_string(options.batch) + " is more than all " +
                                std::to_string(train.size()) + " examples");
  if (options.blocks % num_parts() != 0)
    throw std::invalid_argument(std::to_string(options.blocks) + " blocks can not be shared equally by " +
                                std::to_string(num_parts()) + " devices");
  ps::TrainerOptions trainer;
  trainer.store = store_;
  trainer_ = std::make_unique<ps::Trainer>(TrainerParametersOf(replicas_),
                                           options.optimizer + " lr=" + std::to_string(options.lr), trainer);
}

EpochResult Training::RunEpoch(unsigned epoch, Progress* progress) {
  using Seconds = std::chrono::duration<double>;
  const auto begin = std::chrono::steady_clock::now();
  batches_.Shuffle(epoch);
  SetRate(epoch);
  Score own;
  for (std::size_t i = 0; i < batches_.num_batches(); ++i) {
    own += Step(i);
    if (progress == nullptr) continue;
    progress->Show(epoch, static_cast<double>(i + 1) / static_cast<double>(batches_.num_batches()),
                   own.loss / own.num_examples, Seconds(std::chrono::steady_clock::now() - begin).count());
  }
  // Where workers do not wait for each other, the last gradients of all are in after this.
  store_->Barrier();
  PullWeights();
  const Seconds taken = std::chrono::steady_clock::now() - begin;
  const Score trained = totals_.Sum(own);

  const auto rank = static_cast<std::size_t>(store_->rank());
  const auto num_workers = static_cast<std::size_t>(store_->num_workers());
  const Score tested = totals_.Sum(replicas_.front().Judge(test_, PartOf(test_.size(), rank, num_workers)));
  EpochResult result;
  result.loss = trained.loss / trained.num_examples;
  result.accuracy = 100 * tested.num_correct / tested.num_examples;
  result.seconds = taken.count();
  result.speed = trained.num_examples / taken.count();
  return result;
}

Score Training::Step(std::size_t batch) {
  const std::size_t first = static_cast<std::size_t>(store_->rank()) * replicas_.size();
  const auto differentiate = [&](std::size_t device) {
    const std::size_t part = first + device;
    if (options_.blocks == 0)
      return replicas_[device].Differentiate(train_, batches_.Part(batch, part, num_parts()));
    return replicas_[device].DifferentiateBlocks(train_,
                                                 batches_.Blocks(batch, part, num_parts(), options_.blocks));
  };
  std::vector<std::future<Score>> others;
  for (std::size_t device = 1; device < replicas_.size(); ++device)
    others.push_back(std::async(std::launch::async, differentiate, device));
  Score score = differentiate(0);
  for (std::future<Score>& other : others) score += other.get();
  trainer_->Step(static_cast<double>(options_.batch));
  return score;
}

void Training::SetRate(unsigned epoch) {
  if (epoch == 1 || store_->rank() != 0) return;
  trainer_->SetLearningRate(options_.lr * std::pow(options_.lr_decay, epoch - 1));
}

void Training::PullWeights() {
  for (std::size_t i = 0; i < kParameterNames.size(); ++i) {
    std::vector<ps::Tensor> weights;
    for (const Replica& replica : replicas_) weights.push_back(replica.weights()[i]);
    store_->Pull(ps::KVKeys::Repeated(kParameterNames[i], weights.size()), weights).Wait();
  }
}

}  // namespace mnist
