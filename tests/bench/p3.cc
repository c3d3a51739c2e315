// A node of the job of p3.sh. Workers train a network like VGG-19 through KVStore: `p3 <how> <iterations>`
// prints how many of them they did in a second. How: priority (and slices), slices (in their order), fifo
// (whole layers in their order). Parameters and the time of computing are scaled.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "ps/kvstore.h"
#include "ps/ps.h"

namespace {

using Seconds = std::chrono::duration<double>;

constexpr double kScale = 1.0 / 16;  // of the parameters
constexpr double kComputeS = .3;  // of an iteration, a third of it forward; as the link takes for all layers

// One of 16 convolutions and 3 full layers.
struct Layer {
  double parameters;
  double work;  // GFLOP for an image of 224 x 224
};
const std::vector<Layer>& Layers() {
  static const std::vector<Layer> layers = {
      {1792, .09},     {36928, 1.85},   {73856, .92},    {147584, 1.85}, {295168, .92},
      {590080, 1.85},  {590080, 1.85},  {590080, 1.85},  {1180160, .92}, {2359808, 1.85},
      {2359808, 1.85}, {2359808, 1.85}, {2359808, .46},  {2359808, .46}, {2359808, .46},
      {2359808, .46},  {102764544, .1}, {16781312, .02}, {4097000, .004}};
  return layers;
}

class Training {
 public:
  explicit Training(const std::string& how) : by_priority_(how == "priority") {
    ps::KVStoreOptions options;
    if (how == "fifo") options.slice_bytes = 0;
    store_ = ps::KVStore::Create("dist_sync", options);
    double work = 0;
    for (const Layer& layer : Layers()) work += layer.work;
    for (const Layer& layer : Layers()) {
      const auto size = static_cast<std::int64_t>(layer.parameters * kScale);
      gradients_.push_back(ps::Tensor::Full({size}, 1));
      weights_.push_back(ps::Tensor::Full({size}, 0));
      compute_.push_back(Seconds(kComputeS * layer.work / work));
    }
    store_->SetOptimizer("sgd lr=1");
    for (std::size_t i = 0; i < Layers().size(); ++i) store_->Init(Key(i), {weights_[i]});
    tickets_.resize(Layers().size());
  }

  void Iteration() {
    for (std::size_t i = 0; i < Layers().size(); ++i) {
      tickets_[i].Wait();
      std::this_thread::sleep_for(compute_[i] / 3);
    }
    for (std::size_t i = Layers().size(); i-- > 0;) {
      std::this_thread::sleep_for(compute_[i] * 2 / 3);
      ps::KVPushOptions options;
      options.priority = by_priority_ ? -static_cast<int>(i) : 0;
      options.borrow = true;
      tickets_[i] = store_->PushPull(Key(i), {gradients_[i]}, {weights_[i]}, options);
    }
  }
  void WaitForAll() const {
    for (const ps::Ticket& ticket : tickets_) ticket.Wait();
  }
  // What so many iterations must have made of the weights.
  bool IsRightAfter(int iterations) const {
    for (const ps::Tensor& weight : weights_) {
      const auto* const values = static_cast<const float*>(weight.Data());
      const auto expected = static_cast<float>(-iterations * store_->num_workers());
      if (values[0] != expected || values[weight.view().size() - 1] != expected) return false;
    }
    return true;
  }

 private:
  static ps::KVKey Key(std::size_t layer) { return ps::KVKey(layer); }

  const bool by_priority_;
  std::unique_ptr<ps::KVStore> store_;
  std::vector<ps::Tensor> gradients_;
  std::vector<ps::Tensor> weights_;
  std::vector<Seconds> compute_;
  std::vector<ps::Ticket> tickets_;
};

int Train(const std::string& how, int iterations) {
  Training training(how);
  training.Iteration();  // warms up
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < iterations; ++i) training.Iteration();
  training.WaitForAll();
  const Seconds took = std::chrono::steady_clock::now() - start;
  if (!training.IsRightAfter(iterations + 1)) throw ps::Error(ps::Status::Internal("a weight is wrong"));
  std::printf("%.4f\n", iterations / took.count());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: p3 priority|slices|fifo <iterations>\n");
    return 2;
  }
  try {
    if (ps::IsWorker()) return Train(argv[1], std::atoi(argv[2]));
    ps::RunServer();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "p3: %s\n", error.what());
    return 1;
  }
  return 0;
}
