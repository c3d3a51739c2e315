#ifndef PS_STORE_CHECKPOINT_RECORD_H_
#define PS_STORE_CHECKPOINT_RECORD_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "ps/range.h"
#include "ps/status.h"
#include "ps/table_spec.h"
#include "store/gate.h"

namespace ps {

// What a server knows of a table beside its rows. A plain value.
struct TableRecord {
  TableSpec spec;
  int num_states = 0;             // Updater::NumStates
  Range range;                    // of rows or slots: Partition::RangeOf the server
  std::uint64_t version = 0;      // Shard::version
  std::uint64_t num_updates = 0;  // UpdateContext::count of the last one
  GateState gate;

  // Bytes of a row in a piece: the master dtype, with the states.
  std::size_t RowBytes() const;
};

std::string EncodeTableRecord(const TableRecord& record);
// Any bytes may come: kInvalidArgument.
Result<TableRecord> DecodeTableRecord(std::string_view bytes);

// Whether rows of `saved` may become rows of the table `mine`: equal in shape, types and rule. How it was
// shared, read and sent does not matter. kInvalidArgument names the first difference.
Status CheckRestorable(const TableSpec& saved, const TableSpec& mine);
// The same, and its updater keeps as many states: some rules keep one for each worker.
Status CheckRestorable(const TableRecord& saved, const TableSpec& mine, int num_states);

}  // namespace ps
#endif  // PS_STORE_CHECKPOINT_RECORD_H_
