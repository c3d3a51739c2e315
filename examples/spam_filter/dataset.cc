#include "examples/spam_filter/dataset.h"

#include <dmlc/data.h>

#include <algorithm>
#include <memory>

#include "examples/spam_filter/bucket.h"

namespace spam {
namespace {

void AddRow(const dmlc::Row<uint32_t>& row, Dataset* data) {
  data->labels.push_back(row.get_label() > 0 ? 1.0f : 0.0f);
  data->buckets.push_back(kBiasBucket);
  data->values.push_back(1.0f);
  for (size_t i = 0; i < row.length; ++i) {
    CHECK_LT(row.get_index(i), kNumBuckets) << "the file was made for more buckets";
    data->buckets.push_back(row.get_index(i));
    data->values.push_back(row.get_value(i));
  }
  data->offsets.push_back(data->buckets.size());
}

}  // namespace

Dataset ReadLibsvm(const std::string& path, unsigned part, unsigned num_parts) {
  const std::unique_ptr<dmlc::Parser<uint32_t>> parser(
      dmlc::Parser<uint32_t>::Create(path.c_str(), part, num_parts, "libsvm"));
  Dataset data;
  parser->BeforeFirst();
  while (parser->Next()) {
    const dmlc::RowBlock<uint32_t>& block = parser->Value();
    for (size_t i = 0; i < block.size; ++i) AddRow(block[i], &data);
  }
  return data;
}

Batch MakeBatch(const Dataset& data, const std::vector<size_t>& rows, size_t begin, size_t end) {
  Batch batch;
  batch.offsets.push_back(0);
  for (size_t r = begin; r < end; ++r) {
    const size_t first = data.offsets[rows[r]];
    const size_t last = data.offsets[rows[r] + 1];
    batch.labels.push_back(data.labels[rows[r]]);
    batch.features.insert(batch.features.end(), &data.buckets[first], &data.buckets[last]);
    batch.values.insert(batch.values.end(), &data.values[first], &data.values[last]);
    batch.offsets.push_back(batch.features.size());
  }
  batch.buckets = batch.features;
  std::sort(batch.buckets.begin(), batch.buckets.end());
  batch.buckets.erase(std::unique(batch.buckets.begin(), batch.buckets.end()), batch.buckets.end());
  for (uint32_t& feature : batch.features) {
    const auto place = std::lower_bound(batch.buckets.begin(), batch.buckets.end(), feature);
    feature = static_cast<uint32_t>(place - batch.buckets.begin());
  }
  return batch;
}

}  // namespace spam
