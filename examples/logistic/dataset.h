#ifndef PS_EXAMPLES_LOGISTIC_DATASET_H_
#define PS_EXAMPLES_LOGISTIC_DATASET_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace logistic {

// Sparse rows in memory. Row i has the features [offsets[i], offsets[i + 1]); its first one is the bias.
struct Dataset {
  std::vector<float> labels;       // 1 or 0
  std::vector<size_t> offsets{0};  // labels.size() + 1
  std::vector<uint64_t> features;
  std::vector<float> values;

  size_t size() const { return labels.size(); }
};

// What is read, and how.
struct LibsvmOptions {
  unsigned part = 0;
  unsigned num_parts = 1;
  uint64_t bias = std::numeric_limits<uint64_t>::max();  // the feature that every row gets, with the value 1
  uint64_t num_features = std::numeric_limits<uint64_t>::max();  // those from this on do not exist
};

// Reads part `part` of `num_parts` of a libsvm file; the parts are disjoint, about equally long in bytes,
// and together they are the file. A label above 0 is 1, any other 0. Throws dmlc::Error when the file cannot
// be read or holds a feature that does not exist.
Dataset ReadLibsvm(const std::string& path, const LibsvmOptions& options);

// Some rows as a problem of their own: features are numbered by their place in `keys`.
struct Batch {
  std::vector<uint64_t> keys;  // features, ascending, each once: what to pull and push
  std::vector<float> labels;
  std::vector<size_t> offsets;   // labels.size() + 1
  std::vector<uint32_t> places;  // in `keys`
  std::vector<float> values;

  size_t size() const { return labels.size(); }
};

// The rows `rows[begin, end)` of `data`.
Batch MakeBatch(const Dataset& data, const std::vector<size_t>& rows, size_t begin, size_t end);

// All rows, in their order.
Batch MakeBatch(const Dataset& data);

}  // namespace logistic

#endif  // PS_EXAMPLES_LOGISTIC_DATASET_H_
