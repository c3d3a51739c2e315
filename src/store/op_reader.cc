#include "store/op_reader.h"

#include <cstdint>
#include <string>
#include <utility>

namespace ps {
namespace {

std::string Text(std::uint64_t value) { return std::to_string(value); }

}  // namespace

Result<std::unique_ptr<OpReader>> OpReader::Make(const TableSpec& spec, const Range& range) {
  std::unique_ptr<OpReader> reader(new OpReader(spec, range));
  auto codec = MakeCodecOrNone(spec.push_codec, spec.dtype);
  PS_RETURN_IF_ERROR(codec.status());
  reader->codec_ = std::move(codec).value();
  return reader;
}

OpReader::OpReader(const TableSpec& spec, const Range& range)
    : spec_(spec), range_(range), row_bytes_(static_cast<std::size_t>(spec.width) * SizeOf(spec.dtype)) {}

Result<RowSet> OpReader::RowsOf(const Op& op, const SArray<Key>& keys) const {
  const bool is_hash = spec_.kind == TableSpec::kHash;
  if (op.whole()) {
    if (is_hash) return Status::InvalidArgument("table '" + spec_.name + "' is a hash table: name the keys");
    return RowSet::Range(range_.begin(), range_.size());
  }
  const RowSet rows = RowSet::List(keys.data(), keys.size());
  if (rows.count > SIZE_MAX / 2 / row_bytes_)
    return Status::InvalidArgument("table '" + spec_.name + "': " + Text(rows.count) + " rows of " +
                                   Text(row_bytes_) + " bytes are more than any memory");
  if (!is_hash) PS_RETURN_IF_ERROR(CheckRows(rows));
  return rows;
}

Status OpReader::CheckRows(const RowSet& rows) const {
  for (std::size_t i = 0; i < rows.count; ++i) {
    if (rows[i] - range_.begin() < range_.size()) continue;
    return Status::InvalidArgument("table '" + spec_.name + "': row " + Text(rows[i]) +
                                   " is not on this server, which has rows " + Text(range_.begin()) + " to " +
                                   Text(range_.end()) + " (exclusive)");
  }
  return Status::Ok();
}

Status OpReader::Decode(const Op& op, std::size_t num_rows, SArray<char>* vals, bool* is_borrowed) const {
  const std::size_t bytes = num_rows * row_bytes_;
  if (codec_ == nullptr || op.code == OpCode::kSet) {
    if (vals->size() == bytes) return Status::Ok();
    return Status::InvalidArgument("table '" + spec_.name + "': " + Text(vals->size()) + " bytes for " +
                                   Text(num_rows) + " rows of " + Text(row_bytes_));
  }
  SArray<char> decoded = SArray<char>::Uninitialized(bytes);
  PS_RETURN_IF_ERROR(codec_->Decode(vals->data(), vals->size(),
                                    num_rows * static_cast<std::size_t>(spec_.width), decoded.data()));
  *vals = std::move(decoded);
  *is_borrowed = false;
  return Status::Ok();
}

}  // namespace ps
