#include "examples/table_job/worker_sums.h"

namespace table_job {
namespace {

ps::ArrayOptions OptionsOf(const std::string& name, std::size_t size) {
  ps::ArrayOptions options;
  options.Name(name).Size(static_cast<std::int64_t>(size)).Mode(ps::Consistency::Bsp()).Updater("assign");
  options.spec().apply = ps::TableSpec::kMerged;
  return options;
}

}  // namespace

WorkerSums::WorkerSums(ps::Store& store, const std::string& name, std::size_t size)
    : table_(store, OptionsOf(name, size)) {}

std::vector<double> WorkerSums::Sum(std::vector<double> own) {
  own.resize(table_.size());
  table_.Add(own);
  table_.Get(&own);
  return own;
}

}  // namespace table_job
