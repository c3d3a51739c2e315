// MatrixTable: a matrix of numbers that all workers share.
#ifndef PS_MATRIX_TABLE_H_
#define PS_MATRIX_TABLE_H_

#include <cstddef>

#include "ps/dtype_of.h"
#include "ps/id_list.h"
#include "ps/store.h"
#include "ps/table_core.h"
#include "ps/table_options.h"
#include "ps/table_values.h"
#include "ps/ticket.h"

namespace ps {

// As a whole, or by rows: one, or a list of them in any order, which may repeat; each repetition is added,
// and what is read lies in the order of the list. Arrays are row after row. Otherwise as ArrayTable; a row
// that does not exist is an Error(kInvalidArgument) too.
//
// With MatrixOptions::Delta a read brings the rows that have changed (at the servers, by whoever) since the
// last read into the same buffer, and leaves the others there as they are; so each of Buffers belongs to one
// array of the caller. A whole Add then sends only rows with an element that is not 0, where the rule leaves
// a row as it is that nothing is added to.
template <typename T>
class MatrixTable {
 public:
  // Throws Error: kAlreadyExists says what differs where others mean another table by the name.
  MatrixTable(Store& store, const MatrixOptions& options)
      : core_(store, SpecOf(options), {options.delta(), options.buffers()}) {}

  std::size_t num_rows() { return static_cast<std::size_t>(store_table().spec().rows); }
  std::size_t num_cols() { return static_cast<std::size_t>(store_table().spec().width); }

  // --- all of it ---
  void Get(const ValuesOut<T>& to, const TableGetOptions& options = {}) {
    core_.Get({}, OutOf({}, to), options);
  }
  Ticket GetAsync(const ValuesOut<T>& to, const TableGetOptions& options = {}) {
    return core_.GetAsync({}, OutOf({}, to), options);
  }
  void Add(const ValuesIn<T>& values, const TableAddOptions& options = {}) {
    core_.Add({}, {values.data, values.size}, options);
  }
  Ticket AddAsync(const ValuesIn<T>& values, const TableAddOptions& options = {}) {
    return core_.AddAsync({}, {values.data, values.size}, options);
  }

  // --- rows ---
  void Get(const IdList& rows, const ValuesOut<T>& to, const TableGetOptions& options = {}) {
    core_.Get({&rows}, OutOf({&rows}, to), options);
  }
  Ticket GetAsync(const IdList& rows, const ValuesOut<T>& to, const TableGetOptions& options = {}) {
    return core_.GetAsync({&rows}, OutOf({&rows}, to), options);
  }
  void Add(const IdList& rows, const ValuesIn<T>& values, const TableAddOptions& options = {}) {
    core_.Add({&rows}, {values.data, values.size}, options);
  }
  Ticket AddAsync(const IdList& rows, const ValuesIn<T>& values, const TableAddOptions& options = {}) {
    return core_.AddAsync({&rows}, {values.data, values.size}, options);
  }

  // For what every table of the store can: SetAsync, SetOptions, CloseRound, Leave.
  StoreTable& store_table() { return core_.table(); }

 private:
  static TableSpec SpecOf(const MatrixOptions& options) {
    TableSpec spec = options.spec();
    spec.dtype = DTypeOf<T>::value;
    spec.kind = TableSpec::kDense;
    return spec;
  }
  TableCore::Out OutOf(const TableCore::Target& target, const ValuesOut<T>& to) const {
    const ValuesOut<T> sized = to.For(core_.NumElements(target));
    return {sized.data, sized.size};
  }

  TableCore core_;
};

}  // namespace ps

#endif  // PS_MATRIX_TABLE_H_
