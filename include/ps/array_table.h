// ArrayTable: an array of numbers that all workers share.
#ifndef PS_ARRAY_TABLE_H_
#define PS_ARRAY_TABLE_H_

#include <cstddef>

#include "ps/dtype_of.h"
#include "ps/store.h"
#include "ps/table_core.h"
#include "ps/table_options.h"
#include "ps/table_values.h"
#include "ps/ticket.h"

namespace ps {

// Always as a whole. After Multiverso's table of this name, but of any size. Calls with Async return at once:
// what they add has been copied (unless borrowed), what they read is there when the ticket is done; any
// number may be under way, and a read sees what its worker added before it. Arrays of the wrong size throw
// Error(kInvalidArgument), and nothing has changed. Thread-safe.
template <typename T>
class ArrayTable {
 public:
  // Throws Error: kAlreadyExists says what differs where others mean another table by the name.
  ArrayTable(Store& store, const ArrayOptions& options) : core_(store, SpecOf(options)) {}

  std::size_t size() const { return core_.NumElements({}); }

  void Get(const ValuesOut<T>& to, const TableGetOptions& options = {}) { core_.Get({}, OutOf(to), options); }
  Ticket GetAsync(const ValuesOut<T>& to, const TableGetOptions& options = {}) {
    return core_.GetAsync({}, OutOf(to), options);
  }
  void Add(const ValuesIn<T>& values, const TableAddOptions& options = {}) {
    core_.Add({}, {values.data, values.size}, options);
  }
  Ticket AddAsync(const ValuesIn<T>& values, const TableAddOptions& options = {}) {
    return core_.AddAsync({}, {values.data, values.size}, options);
  }

  // For what every table of the store can: SetAsync, SetOptions, CloseRound, Leave.
  StoreTable& store_table() { return core_.table(); }

 private:
  static TableSpec SpecOf(const ArrayOptions& options) {
    TableSpec spec = options.spec();
    spec.dtype = DTypeOf<T>::value;
    spec.kind = TableSpec::kDense;
    spec.width = 1;
    return spec;
  }
  TableCore::Out OutOf(const ValuesOut<T>& to) const {
    const ValuesOut<T> sized = to.For(size());
    return {sized.data, sized.size};
  }

  TableCore core_;
};

}  // namespace ps

#endif  // PS_ARRAY_TABLE_H_
