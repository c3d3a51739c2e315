#ifndef PS_STORE_OP_READER_H_
#define PS_STORE_OP_READER_H_

#include <cstddef>
#include <memory>

#include "ps/base.h"
#include "ps/range.h"
#include "ps/sarray.h"
#include "ps/status.h"
#include "ps/table_spec.h"
#include "store/codec/codec.h"
#include "store/op.h"
#include "store/row_set.h"

namespace ps {

// Reads what an operation brings for one table: which rows, and their values. Anything may have come: errors
// are kInvalidArgument, for the sender. Any thread.
class OpReader {
 public:
  // `range`: what this server has of the table. `spec` outlives it.
  static Result<std::unique_ptr<OpReader>> Make(const TableSpec& spec, const Range& range);

  std::size_t row_bytes() const { return row_bytes_; }
  // As the shards take them. Borrows `keys`. Their values, of all together, have a size that can be counted.
  Result<RowSet> RowsOf(const Op& op, const SArray<Key>& keys) const;
  // Makes `*vals` the values of so many rows as the table has them; `*is_borrowed` no more where they are
  // new.
  Status Decode(const Op& op, std::size_t num_rows, SArray<char>* vals, bool* is_borrowed) const;

 private:
  OpReader(const TableSpec& spec, const Range& range);
  Status CheckRows(const RowSet& rows) const;

  const TableSpec& spec_;
  const Range range_;
  const std::size_t row_bytes_;
  std::unique_ptr<Codec> codec_;  // null: none
};

}  // namespace ps
#endif  // PS_STORE_OP_READER_H_
