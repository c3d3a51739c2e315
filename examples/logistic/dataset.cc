#include "examples/logistic/dataset.h"

#include <dmlc/data.h>

#include <algorithm>
#include <memory>
#include <numeric>

namespace logistic {
namespace {

void AddRow(const dmlc::Row<uint64_t>& row, const LibsvmOptions& options, Dataset* data) {
  data->labels.push_back(row.get_label() > 0 ? 1.0f : 0.0f);
  data->features.push_back(options.bias);
  data->values.push_back(1.0f);
  for (size_t i = 0; i < row.length; ++i) {
    CHECK_LT(row.get_index(i), options.num_features) << "the file was made for more features";
    data->features.push_back(row.get_index(i));
    data->values.push_back(row.get_value(i));
  }
  data->offsets.push_back(data->features.size());
}

Dataset Read(const std::string& path, const LibsvmOptions& options) {
  const std::unique_ptr<dmlc::Parser<uint64_t>> parser(
      dmlc::Parser<uint64_t>::Create(path.c_str(), options.part, options.num_parts, "libsvm"));
  Dataset data;
  parser->BeforeFirst();
  while (parser->Next()) {
    const dmlc::RowBlock<uint64_t>& block = parser->Value();
    for (size_t i = 0; i < block.size; ++i) AddRow(block[i], options, &data);
  }
  return data;
}

}  // namespace

Dataset ReadLibsvm(const std::string& path, const LibsvmOptions& options) {
  try {
    return Read(path, options);
  } catch (const dmlc::Error& error) {
    const std::string text = error.what();  // with a stack trace, which says nothing about the file
    throw dmlc::Error(path + ": can not be read as libsvm: " + text.substr(0, text.find('\n')));
  }
}

Batch MakeBatch(const Dataset& data, const std::vector<size_t>& rows, size_t begin, size_t end) {
  Batch batch;
  batch.offsets.push_back(0);
  for (size_t r = begin; r < end; ++r) {
    const size_t first = data.offsets[rows[r]];
    const size_t last = data.offsets[rows[r] + 1];
    batch.labels.push_back(data.labels[rows[r]]);
    batch.keys.insert(batch.keys.end(), &data.features[first], &data.features[last]);
    batch.values.insert(batch.values.end(), &data.values[first], &data.values[last]);
    batch.offsets.push_back(batch.keys.size());
  }
  const std::vector<uint64_t> features = batch.keys;
  std::sort(batch.keys.begin(), batch.keys.end());
  batch.keys.erase(std::unique(batch.keys.begin(), batch.keys.end()), batch.keys.end());
  batch.places.reserve(features.size());
  for (const uint64_t feature : features) {
    const auto place = std::lower_bound(batch.keys.begin(), batch.keys.end(), feature);
    batch.places.push_back(static_cast<uint32_t>(place - batch.keys.begin()));
  }
  return batch;
}

Batch MakeBatch(const Dataset& data) {
  std::vector<size_t> rows(data.size());
  std::iota(rows.begin(), rows.end(), size_t{0});
  return MakeBatch(data, rows, 0, rows.size());
}

}  // namespace logistic
