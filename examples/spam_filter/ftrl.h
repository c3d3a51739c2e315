#ifndef PS_EXAMPLES_SPAM_FILTER_FTRL_H_
#define PS_EXAMPLES_SPAM_FILTER_FTRL_H_

#include <cstddef>
#include <cstdint>
#include <unordered_map>

namespace spam {

// FTRL-proximal with a learning rate per coordinate (McMahan et al., "Ad Click Prediction: a View from the
// Trenches", KDD 2013, algorithm 1). l1 keeps the weight of rare words at exactly 0; a coordinate that has
// had many gradients moves slowly.
struct FtrlOptions {
  float alpha = 0.1f;  // learning rate
  float beta = 0.5f;   // damps the first steps
  float l1 = 0.5f;
  float l2 = 1.0f;
};

// What the server keeps for one key.
struct FtrlWeight {
  float z = 0;  // sum of the gradients, corrected for the moves of w
  float n = 0;  // sum of the squared gradients
  float w = 0;  // the weight that workers see; a function of z and n
};

void FtrlUpdate(const FtrlOptions& options, float gradient, FtrlWeight* weight);

// The weights of one server.
class FtrlTable {
 public:
  explicit FtrlTable(const FtrlOptions& options) : options_(options) {}

  void Update(uint64_t key, float gradient) { FtrlUpdate(options_, gradient, &weights_[key]); }

  // 0 for a key without a gradient so far.
  float Weight(uint64_t key) const;

  size_t size() const { return weights_.size(); }

 private:
  const FtrlOptions options_;
  std::unordered_map<uint64_t, FtrlWeight> weights_;
};

}  // namespace spam

#endif  // PS_EXAMPLES_SPAM_FILTER_FTRL_H_
