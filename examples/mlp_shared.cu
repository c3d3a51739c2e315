// The network of mlp_shared/ on GPUs: each computes its part of a batch, and what a layer's gradient is
// travels while the one before it is computed. Trains for a few rounds on the digits that
// examples/mnist/get_data.sh fetches, or on those of another folder, and says how many of the test examples
// it takes for something else.
//
//   build/examples/gpu/mlp_shared 0 [FOLDER]     # on GPU 0; `0,1`: on two

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <future>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "examples/mlp_shared/network.h"
#include "examples/mlp_shared/training.h"
#include "examples/mnist/batches.h"
#include "examples/mnist/digits.h"
#include "ps/borrowed_stream.h"
#include "ps/shared_model.h"

namespace {

constexpr int kHidden = mlp::kHidden;
constexpr int kClasses = mlp::kClasses;
constexpr int kRounds = 8;
constexpr std::size_t kBatch = 96;
constexpr int kBlock =
    static_cast<int>(kBatch / mlp::Training::kBlocks);  // examples that are summed up first
constexpr float kRate = 0.8F;
constexpr float kDecay = 1e-5F;
constexpr double kMaxError = 0.03;
constexpr int kThreads = 128;

void Check(cudaError_t error, const char* what) {
  if (error != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(error));
}

// Memory of the current GPU.
template <typename T>
class Array {
 public:
  explicit Array(std::size_t size) : size_(size) {
    Check(cudaMalloc(&data_, size * sizeof(T)), "cudaMalloc");
    Check(cudaMemset(data_, 0, size * sizeof(T)), "cudaMemset");
  }
  ~Array() { cudaFree(data_); }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;

  T* data() const { return data_; }
  std::size_t size() const { return size_; }
  void Write(const std::vector<T>& values) const {
    Check(cudaMemcpy(data_, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice),
          "a copy to the GPU");
  }
  std::vector<T> Read() const {
    std::vector<T> values(size_);
    Check(cudaMemcpy(values.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost), "a copy from the GPU");
    return values;
  }

 private:
  const std::size_t size_;
  T* data_ = nullptr;
};

// --- kernels: a thread is an element of what they write, `n` of them ---

__device__ int Index() { return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); }
__device__ float Rounded(float value) { return (value + 768.0F) - 768.0F; }

struct Layer {
  const float* weights;
  const float* bias;
};
__global__ void Hidden(int n, int num_pixels, const float* ink, Layer layer, float* hidden) {
  const int i = Index();
  if (i >= n) return;
  const int example = i / kHidden;
  const int unit = i % kHidden;
  float sum = layer.bias[unit];
  for (int pixel = 0; pixel < num_pixels; ++pixel)
    sum += ink[example * num_pixels + pixel] * layer.weights[pixel * kHidden + unit];
  hidden[i] = 1 / (1 + expf(-sum));
}

// A thread is an example: probabilities.
__global__ void Outputs(int n, const float* hidden, const float* weights, const float* bias, float* outputs) {
  const int example = Index();
  if (example >= n) return;
  float* const output = outputs + example * kClasses;
  float largest = -1e30F;
  for (int c = 0; c < kClasses; ++c) {
    output[c] = bias[c];
    for (int unit = 0; unit < kHidden; ++unit)
      output[c] += hidden[example * kHidden + unit] * weights[unit * kClasses + c];
    largest = fmaxf(largest, output[c]);
  }
  float sum = 0;
  for (int c = 0; c < kClasses; ++c) sum += output[c] = expf(output[c] - largest);
  for (int c = 0; c < kClasses; ++c) output[c] /= sum;
}

// Probabilities become the gradient by the logits.
__global__ void OutputErrors(int n, const int* labels, float* outputs) {
  const int i = Index();
  if (i < n && labels[i / kClasses] == i % kClasses) outputs[i] -= 1;
}

__global__ void HiddenErrors(int n, const float* hidden, const float* output_errors, const float* weights,
                             float* hidden_errors) {
  const int i = Index();
  if (i >= n) return;
  float error = 0;
  for (int c = 0; c < kClasses; ++c)
    error += output_errors[i / kHidden * kClasses + c] * weights[i % kHidden * kClasses + c];
  hidden_errors[i] = error * hidden[i] * (1 - hidden[i]);
}

// gradient[i][j] = the sum over examples of inputs[i] * errors[j], block by block; inputs null: of errors[j].
struct Factors {
  const float* inputs;
  int num_inputs;
  const float* errors;
  int num_errors;
};
__global__ void Gradient(int n, Factors of, int num_examples, float* gradient) {
  const int i = Index();
  if (i >= n) return;
  float sum = 0;
  for (int begin = 0; begin < num_examples; begin += kBlock) {
    float block = 0;
    for (int e = begin; e < begin + kBlock; ++e) {
      const float input = of.inputs == nullptr ? 1 : of.inputs[e * of.num_inputs + i / of.num_errors];
      block += input * of.errors[e * of.num_errors + i % of.num_errors];
    }
    sum += Rounded(block);
  }
  gradient[i] = sum;
}

__global__ void Descend(int n, float kept, float step, const float* gradient, float* weights) {
  const int i = Index();
  if (i < n) weights[i] = kept * weights[i] - step * gradient[i];
}

unsigned GridOf(std::size_t n) { return static_cast<unsigned>((n + kThreads - 1) / kThreads); }

// --- one GPU ---

class Gpu {
 public:
  Gpu(ps::SharedModel* model, int device, const mlp::Arrays& weights, std::size_t max_examples)
      : model_(model),
        device_(device),
        num_pixels_(static_cast<int>(weights[mlp::kHiddenWeights].size()) / kHidden),
        ink_(max_examples * static_cast<std::size_t>(num_pixels_)),
        labels_(max_examples),
        hidden_(max_examples * kHidden),
        hidden_errors_(max_examples * kHidden),
        outputs_(max_examples * kClasses) {
    Check(cudaStreamCreateWithFlags(&compute_, cudaStreamNonBlocking), "a stream");
    Check(cudaStreamCreateWithFlags(&copies_, cudaStreamNonBlocking), "a stream");
    written_ = ps::BorrowStream(ps::DeviceId::Cuda(device), compute_);
    pulled_ = ps::BorrowStream(ps::DeviceId::Cuda(device), copies_);
    for (int key = 0; key < mlp::kNumKeys; ++key) {
      const std::vector<float>& values = weights[static_cast<std::size_t>(key)];
      weights_.push_back(std::make_unique<Array<float>>(values.size()));
      weights_.back()->Write(values);
      gradients_.push_back(std::make_unique<Array<float>>(values.size()));
      model->InitKey({static_cast<std::int64_t>(values.size())}, key, device);
    }
  }
  ~Gpu() {
    written_ = nullptr;
    pulled_ = nullptr;
    cudaStreamDestroy(compute_);
    cudaStreamDestroy(copies_);
  }
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;

  // One step on these examples, a multiple of kBlock.
  void Step(const mnist::Digits& digits, const std::vector<std::size_t>& examples) {
    const auto count = static_cast<int>(examples.size());
    Load(digits, examples);
    Forward(examples.size());
    const std::size_t num_outputs = examples.size() * kClasses;
    OutputErrors<<<GridOf(num_outputs), kThreads, 0, compute_>>>(static_cast<int>(num_outputs),
                                                                 labels_.data(), outputs_.data());
    const std::size_t num_hidden = examples.size() * kHidden;
    HiddenErrors<<<GridOf(num_hidden), kThreads, 0, compute_>>>(static_cast<int>(num_hidden), hidden_.data(),
                                                                outputs_.data(), weights(mlp::kOutputWeights),
                                                                hidden_errors_.data());
    Share(mlp::kOutputBias, {nullptr, 0, outputs_.data(), kClasses}, count);
    Share(mlp::kOutputWeights, {hidden_.data(), kHidden, outputs_.data(), kClasses}, count);
    Share(mlp::kHiddenBias, {nullptr, 0, hidden_errors_.data(), kHidden}, count);
    Share(mlp::kHiddenWeights, {ink_.data(), num_pixels_, hidden_errors_.data(), kHidden}, count);
  }

  // Of these examples, how many are taken for something else.
  std::size_t NumWrong(const mnist::Digits& digits, const std::vector<std::size_t>& examples) {
    Load(digits, examples);
    Forward(examples.size());
    Check(cudaStreamSynchronize(compute_), "a stream");
    const std::vector<float> outputs = outputs_.Read();
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < examples.size(); ++i) {
      const float* const of_example = outputs.data() + i * kClasses;
      if (std::max_element(of_example, of_example + kClasses) - of_example != digits.labels[examples[i]])
        ++wrong;
    }
    return wrong;
  }

 private:
  float* weights(int key) const { return weights_[static_cast<std::size_t>(key)]->data(); }

  void Load(const mnist::Digits& digits, const std::vector<std::size_t>& examples) {
    std::vector<float> ink;
    std::vector<int> labels;
    for (const std::size_t example : examples) {
      for (std::size_t pixel = 0; pixel < digits.num_pixels; ++pixel)
        ink.push_back(static_cast<float>(digits.picture(example)[pixel]) / 255);
      labels.push_back(digits.labels[example]);
    }
    Check(cudaStreamSynchronize(compute_), "a stream");  // the last step reads what is written now
    ink_.Write(ink);
    labels_.Write(labels);
  }

  // Each layer waits for its own weights.
  void Forward(std::size_t num_examples) {
    model_->PullWait(mlp::kHiddenWeights, device_);
    model_->PullWait(mlp::kHiddenBias, device_);
    const std::size_t num_hidden = num_examples * kHidden;
    Hidden<<<GridOf(num_hidden), kThreads, 0, compute_>>>(
        static_cast<int>(num_hidden), num_pixels_, ink_.data(),
        {weights(mlp::kHiddenWeights), weights(mlp::kHiddenBias)}, hidden_.data());
    model_->PullWait(mlp::kOutputWeights, device_);
    model_->PullWait(mlp::kOutputBias, device_);
    Outputs<<<GridOf(num_examples), kThreads, 0, compute_>>>(static_cast<int>(num_examples), hidden_.data(),
                                                             weights(mlp::kOutputWeights),
                                                             weights(mlp::kOutputBias), outputs_.data());
  }

  // Computes a gradient and lets it travel; the weights follow when the sum of all GPUs is there.
  void Share(int key, const Factors& factors, int num_examples) {
    const Array<float>& gradient = *gradients_[static_cast<std::size_t>(key)];
    Gradient<<<GridOf(gradient.size()), kThreads, 0, compute_>>>(static_cast<int>(gradient.size()), factors,
                                                                 num_examples, gradient.data());
    Check(cudaGetLastError(), "a kernel");
    ps::TensorView view;
    view.data = gradient.data();
    view.shape = {static_cast<std::int64_t>(gradient.size())};
    view.device = ps::DeviceId::Cuda(device_);
    view.stream = written_.get();
    model_->Push(view, key, device_, -key);
    view.stream = pulled_.get();
    const bool is_bias = key == mlp::kHiddenBias || key == mlp::kOutputBias;
    const float kept = is_bias ? 1 : 1 - kRate * kDecay;
    float* const to = weights(key);
    model_->PullReq(view, key, device_, -key, [&gradient, kept, to](ps::Stream* stream) {
      Descend<<<GridOf(gradient.size()), kThreads, 0, static_cast<cudaStream_t>(stream->native())>>>(
          static_cast<int>(gradient.size()), kept, kRate / kBatch, gradient.data(), to);
      Check(cudaGetLastError(), "a kernel");
    });
  }

  ps::SharedModel* const model_;
  const int device_;
  const int num_pixels_;
  const Array<float> ink_;
  const Array<int> labels_;
  const Array<float> hidden_;
  const Array<float> hidden_errors_;
  const Array<float> outputs_;                            // then the gradient by the logits
  std::vector<std::unique_ptr<Array<float>>> weights_;    // by key
  std::vector<std::unique_ptr<Array<float>>> gradients_;  // by key
  cudaStream_t compute_ = nullptr;
  cudaStream_t copies_ = nullptr;
  std::unique_ptr<ps::Stream> written_;  // of compute_: gradients are written there
  std::unique_ptr<ps::Stream> pulled_;   // of copies_
};

struct Data {
  mnist::Digits train;
  mnist::Digits test;
};

// The thread of a GPU: the test errors of each round among its examples.
std::vector<std::size_t> Run(ps::SharedModel* model, const Data& data, int device, std::size_t part,
                             std::size_t num_parts) {
  const ps::DeviceScope scope(model, device);
  Check(cudaSetDevice(device), "cudaSetDevice");
  const std::vector<std::size_t> tested = mnist::PartOf(data.test.size(), part, num_parts);
  Gpu gpu(model, device, mlp::FirstWeights(data.train.num_pixels), std::max(kBatch, tested.size()));
  mnist::Batches batches(data.train.size(), kBatch);
  std::vector<std::size_t> wrong;
  for (unsigned round = 1; round <= kRounds; ++round) {
    batches.Shuffle(round);
    for (std::size_t batch = 0; batch < batches.num_batches(); ++batch) {
      std::vector<std::size_t> examples;
      const std::size_t count = mlp::Training::kBlocks / num_parts;
      for (std::size_t block = part * count; block < (part + 1) * count; ++block) {
        const std::vector<std::size_t> more = batches.Part(batch, block, mlp::Training::kBlocks);
        examples.insert(examples.end(), more.begin(), more.end());
      }
      gpu.Step(data.train, examples);
    }
    wrong.push_back(gpu.NumWrong(data.test, tested));
  }
  return wrong;
}

int Train(const std::vector<int>& devices, const std::string& folder) {
  const Data data = {mnist::ReadDigits(folder, "train"), mnist::ReadDigits(folder, "t10k")};
  if (devices.empty() || mlp::Training::kBlocks % devices.size() != 0)
    throw std::invalid_argument("1, 2, 4 or 8 GPUs can share a batch");
  const std::unique_ptr<ps::SharedModel> model = ps::SharedModel::Create("local");
  model->Init(devices);
  const auto begin = std::chrono::steady_clock::now();
  std::vector<std::future<std::vector<std::size_t>>> threads;
  for (std::size_t i = 0; i < devices.size(); ++i)
    threads.push_back(std::async(std::launch::async,
                                 [&, i] { return Run(model.get(), data, devices[i], i, devices.size()); }));
  std::vector<double> errors(kRounds);
  for (auto& thread : threads) {
    const std::vector<std::size_t> wrong = thread.get();
    for (std::size_t round = 0; round < wrong.size(); ++round)
      errors[round] += static_cast<double>(wrong[round]) / static_cast<double>(data.test.size());
  }
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  for (std::size_t round = 0; round < errors.size(); ++round)
    std::printf("round %zu: test error %.2f %%\n", round + 1, errors[round] * 100);
  std::printf("%.1f s\n", taken.count());
  if (errors.back() <= kMaxError) return 0;
  std::fprintf(stderr, "mlp_shared: worse than it should be: wanted at most %.2f %%\n", kMaxError * 100);
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  int num_gpus = 0;
  if (cudaGetDeviceCount(&num_gpus) != cudaSuccess || num_gpus == 0) {
    std::printf("mlp_shared: NOTHING WAS RUN: there is no GPU\n");
    return 77;
  }
  std::vector<int> devices;
  std::istringstream list(argc > 1 ? argv[1] : "0");
  for (std::string word; std::getline(list, word, ',');) devices.push_back(std::atoi(word.c_str()));
  try {
    return Train(devices, argc > 2 ? argv[2] : "build/data/mnist");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "mlp_shared: %s\n", error.what());
    return 1;
  }
}
