#include "examples/mlp_shared/training.h"

#include <chrono>
#include <stdexcept>
#include <string>

#include "examples/mlp_shared/device_threads.h"

namespace mlp {

Training::Training(const TrainingOptions& options, const Digits& train, const Digits& test,
                   Exchange* exchange)
    : options_(options),
      train_(train),
      test_(test),
      exchange_(exchange),
      batches_(train.size(), options.batch) {
  const auto sharers = static_cast<std::size_t>(options.devices * options.num_parts);
  if (kBlocks % sharers != 0)
    throw std::invalid_argument("a batch is " + std::to_string(kBlocks) + " blocks, which " +
                                std::to_string(sharers) + " devices can not share equally");
  if (options.batch % kBlocks != 0)
    throw std::invalid_argument("a batch of " + std::to_string(options.batch) + " is not " +
                                std::to_string(kBlocks) + " equal blocks");
  if (batches_.num_batches() == 0 || test.size() == 0 || test.num_pixels != train.num_pixels)
    throw std::invalid_argument("there are " + std::to_string(train.size()) + " digits to train with and " +
                                std::to_string(test.size()) +
                                " to test with: too few, or of different sizes");
  const Arrays weights = FirstWeights(train.num_pixels);
  for (int device = 0; device < options.devices; ++device) {
    for (int key = 0; key < kNumKeys; ++key)
      exchange->InitKey(key, weights[static_cast<std::size_t>(key)].size(), device);
    replicas_.push_back(std::make_unique<Replica>(weights, exchange, device, options.overlaps));
  }
}

RoundResult Training::RunRound(unsigned round) {
  using Seconds = std::chrono::duration<double>;
  batches_.Shuffle(round);
  SyncTimes before;
  for (const auto& replica : replicas_) before += replica->sync.times();
  std::vector<std::size_t> wrong(replicas_.size());
  std::vector<double> seconds(replicas_.size());
  OnDevices(exchange_, options_.devices, [&](int device) {
    const auto begin = std::chrono::steady_clock::now();
    for (std::size_t batch = 0; batch < batches_.num_batches(); ++batch) Train(device, batch);
    WaitForAll(replicas_[static_cast<std::size_t>(device)].get());
    seconds[static_cast<std::size_t>(device)] = Seconds(std::chrono::steady_clock::now() - begin).count();
    wrong[static_cast<std::size_t>(device)] = NumWrong(device);
  });
  RoundResult result;
  for (const auto& replica : replicas_) result.sync += replica->sync.times();
  result.sync.synchronised -= before.synchronised;
  result.sync.waited -= before.waited;
  result.sync.steps -= before.steps;
  for (const std::size_t count : wrong) result.test_error += static_cast<double>(count);
  result.test_error /= static_cast<double>(test_.size());
  result.step_seconds = seconds.front() / static_cast<double>(batches_.num_batches());
  return result;
}

void Training::Train(int device, std::size_t batch) {
  Replica& replica = *replicas_[static_cast<std::size_t>(device)];
  Network& network = replica.network;
  Synchroniser& sync = replica.sync;
  const auto begin = [&](int key) {
    sync.Begin(key, network.gradient(key).data(),
               [this, &network, key] { network.Descend(key, options_.rate, options_.batch); });
  };
  // Each layer waits for its own weights, and its gradients are off before those of the next are known.
  sync.Wait(kHiddenWeights);
  sync.Wait(kHiddenBias);
  network.ForwardHidden(train_, BlocksOf(device, batch));
  sync.Wait(kOutputWeights);
  sync.Wait(kOutputBias);
  network.ForwardOutput();
  network.BackwardOutput();
  begin(kOutputBias);
  begin(kOutputWeights);
  network.BackwardHidden();
  begin(kHiddenBias);
  begin(kHiddenWeights);
  sync.EndBackward();
}

void Training::WaitForAll(Replica* replica) {
  for (int key = 0; key < kNumKeys; ++key) replica->sync.Wait(key);
}

std::size_t Training::NumWrong(int device) {
  Network& network = replicas_[static_cast<std::size_t>(device)]->network;
  const auto begin = static_cast<std::size_t>(device);
  network.ForwardHidden(test_, {mnist::PartOf(test_.size(), begin, replicas_.size())});
  network.ForwardOutput();
  return network.NumWrong();
}

std::vector<Network::Block> Training::BlocksOf(int device, std::size_t batch) const {
  const std::size_t count = kBlocks / static_cast<std::size_t>(options_.devices * options_.num_parts);
  const auto sharer = static_cast<std::size_t>(options_.part * options_.devices + device);
  std::vector<Network::Block> blocks;
  for (std::size_t block = sharer * count; block < (sharer + 1) * count; ++block)
    blocks.push_back(batches_.Part(batch, block, kBlocks));
  return blocks;
}

}  // namespace mlp
