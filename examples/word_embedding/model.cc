#include "examples/word_embedding/model.h"

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>

namespace embedding {
namespace {

constexpr std::size_t kMaxPending = 4;

ps::MatrixOptions OptionsOf(const std::string& name, std::size_t num_rows, std::size_t dim) {
  ps::MatrixOptions options;
  options.Name(name).Rows(static_cast<std::int64_t>(num_rows)).Cols(static_cast<std::int64_t>(dim));
  options.spec().min_split = 0;  // small as it is, all servers shall have a part of it
  return options;
}

ps::MatrixOptions InputOptions(const RowOrder& order, const Options& options) {
  const double bound = 0.5 / static_cast<double>(options.dim);
  return OptionsOf("input", order.num_rows(), options.dim)
      .Init(ps::Init::Uniform(-bound, bound, options.seed));
}

// Adds those of `changes` that are about rows of the other list; both lists are ascending.
void AddCommonRows(const std::vector<std::uint64_t>& changed_rows, const std::vector<float>& changes,
                   const std::vector<std::uint64_t>& rows, std::vector<float>* values) {
  const std::size_t dim = rows.empty() ? 0 : values->size() / rows.size();
  std::size_t from = 0;
  for (std::size_t to = 0; to < rows.size(); ++to) {
    while (from < changed_rows.size() && changed_rows[from] < rows[to]) ++from;
    if (from == changed_rows.size()) return;
    if (changed_rows[from] != rows[to]) continue;
    for (std::size_t i = 0; i < dim; ++i) (*values)[to * dim + i] += changes[from * dim + i];
  }
}

std::vector<float> Difference(const std::vector<float>& before, const std::vector<float>& after) {
  std::vector<float> difference(before.size());
  std::transform(after.begin(), after.end(), before.begin(), difference.begin(), std::minus<>());
  return difference;
}

}  // namespace

Model::Model(ps::Store& store, const RowOrder& inputs, const RowOrder& outputs, const Options& options)
    : order_(inputs),
      dim_(options.dim),
      inputs_(store, InputOptions(inputs, options)),
      outputs_(store, OptionsOf("output", outputs.num_rows(), options.dim)) {}

void Model::Read(ReadBlock* read) {
  Pending reads;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    read->num_added = num_added_;
    reads.inputs = inputs_.GetAsync(read->block.input_rows, &read->values.input);
    reads.outputs = outputs_.GetAsync(read->block.output_rows, &read->values.output);
  }
  reads.inputs.Wait();
  reads.outputs.Wait();
}

void Model::CatchUp(ReadBlock* read) const {
  if (read->num_added == num_added_) return;
  if (read->num_added + 1 != num_added_)
    throw std::logic_error("blocks are read one ahead: more than the last change can not be missing");
  AddCommonRows(changed_->input_rows, changed_->values.input, read->block.input_rows, &read->values.input);
  AddCommonRows(changed_->output_rows, changed_->values.output, read->block.output_rows,
                &read->values.output);
}

void Model::Add(const Block& block, const BlockValues& before, const BlockValues& after) {
  auto change = std::make_shared<Change>();
  change->input_rows = block.input_rows;
  change->output_rows = block.output_rows;
  change->values = {Difference(before.input, after.input), Difference(before.output, after.output)};
  ps::TableAddOptions options;
  options.borrow = true;
  options.keep = change;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    pending_.push_back({inputs_.AddAsync(change->input_rows, change->values.input, options),
                        outputs_.AddAsync(change->output_rows, change->values.output, options)});
    ++num_added_;
  }
  changed_ = std::move(change);
  for (; pending_.size() > kMaxPending; pending_.pop_front()) {
    pending_.front().inputs.Wait();
    pending_.front().outputs.Wait();
  }
}

void Model::WaitForAdds() {
  for (; !pending_.empty(); pending_.pop_front()) {
    pending_.front().inputs.Wait();
    pending_.front().outputs.Wait();
  }
}

std::vector<float> Model::Vectors() {
  std::vector<float> rows;
  inputs_.Get(&rows);
  std::vector<float> vectors(rows.size());
  for (std::uint32_t word = 0; word < order_.num_rows(); ++word) {
    const auto from = static_cast<std::ptrdiff_t>(order_.RowOf(word) * dim_);
    std::copy_n(rows.begin() + from, dim_, vectors.begin() + static_cast<std::ptrdiff_t>(word * dim_));
  }
  return vectors;
}

}  // namespace embedding
