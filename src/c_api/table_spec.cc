#include "c_api/table_spec.h"

#include <string>

#include "c_api/error.h"
#include "c_api/table_text.h"
#include "ps/updater.h"

namespace ps::c_api {
namespace {

// What is remembered of a buffer is as large as the table has rows.
constexpr int kMostBuffers = 1024;

[[noreturn]] void Refuse(const PSTableOptions& options, const std::string& what) {
  throw Error(Status::InvalidArgument("table '" + std::string(options.name) + "': " + what));
}

DType DTypeOf(const PSTableOptions& options) {
  if (options.dtype < 0 || options.dtype >= kNumDTypes)
    Refuse(options, "dtype " + std::to_string(options.dtype) + " is no PSDType");
  return static_cast<DType>(options.dtype);
}

void SetShape(const PSTableOptions& options, TableSpec* spec) {
  spec->rows = options.rows;
  spec->width = options.cols;
  switch (options.kind) {
    case PS_ARRAY:
      if (options.cols != 0 && options.cols != 1) Refuse(options, "an array has no cols: its size is `rows`");
      spec->width = 1;
      break;
    case PS_MATRIX: break;
    case PS_MAP:
      spec->kind = TableSpec::kHash;
      if (options.cols == 0) spec->width = 1;
      break;
    default:
      Refuse(options, "kind " + std::to_string(options.kind) + " is none of 1 (array), 2 (matrix), 3 (map)");
  }
}

}  // namespace

TableSpec SpecOf(const PSTableOptions& options) {
  CheckGiven(options.name, "PSTableOptions: name");
  TableSpec spec;
  spec.name = options.name;
  spec.dtype = DTypeOf(options);
  SetShape(options, &spec);
  if (options.updater != nullptr) {
    UpdaterChoice choice = ParseUpdater(options.updater).value();
    spec.updater = choice.name;
    spec.updater_options = std::move(choice.options);
  }
  spec.consistency = ModeOf(options.mode);
  spec.init = InitOf(options.init);
  spec.push_codec = CodecOf(options.push_codec);
  spec.pull_codec = CodecOf(options.pull_codec);
  spec.apply = options.merged != 0 ? TableSpec::kMerged : TableSpec::kEach;
  spec.mean = options.mean != 0;
  spec.multi_precision = options.multi_precision != 0;
  spec.auto_close = options.manual_close == 0;
  spec.deterministic = options.any_order == 0;
  if (options.min_split != 0) spec.min_split = options.min_split;
  ThrowIfError(spec.Validate());
  return spec;
}

TableReading ReadingOf(const PSTableOptions& options) {
  if (options.delta != 0 && options.kind != PS_MATRIX) Refuse(options, "delta is for matrices");
  if (options.buffers < 0 || options.buffers > kMostBuffers)
    Refuse(options, "buffers is " + std::to_string(options.buffers) + "; there may be up to " +
                        std::to_string(kMostBuffers));
  return {options.delta != 0, options.buffers == 0 ? 1 : options.buffers};
}

}  // namespace ps::c_api
