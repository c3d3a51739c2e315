#ifndef PS_EXAMPLES_SPAM_FILTER_DATASET_H_
#define PS_EXAMPLES_SPAM_FILTER_DATASET_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace spam {

// Sparse rows in memory. Row i has the features [offsets[i], offsets[i + 1]); its first one is the bias.
struct Dataset {
  std::vector<float> labels;       // 1 = spam, 0 = ham
  std::vector<size_t> offsets{0};  // labels.size() + 1
  std::vector<uint32_t> buckets;
  std::vector<float> values;

  size_t size() const { return labels.size(); }
};

// Reads part `part` of `num_parts` of a libsvm file; the parts are disjoint, about equally long in bytes,
// and together they are the file. Throws dmlc::Error when the file cannot be read or holds a bucket that
// does not exist.
Dataset ReadLibsvm(const std::string& path, unsigned part, unsigned num_parts);

// Some rows as a problem of their own: features are numbered by their place in `buckets`.
struct Batch {
  std::vector<uint32_t> buckets;  // ascending, each once: what to pull and push
  std::vector<float> labels;
  std::vector<size_t> offsets;     // labels.size() + 1
  std::vector<uint32_t> features;  // places in `buckets`
  std::vector<float> values;

  size_t size() const { return labels.size(); }
};

// The rows `rows[begin, end)` of `data`.
Batch MakeBatch(const Dataset& data, const std::vector<size_t>& rows, size_t begin, size_t end);

}  // namespace spam

#endif  // PS_EXAMPLES_SPAM_FILTER_DATASET_H_
