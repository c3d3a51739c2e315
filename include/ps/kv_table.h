// KVTable: numbers by key that all workers share.
#ifndef PS_KV_TABLE_H_
#define PS_KV_TABLE_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ps/dtype_of.h"
#include "ps/id_list.h"
#include "ps/store.h"
#include "ps/table_core.h"
#include "ps/table_options.h"
#include "ps/table_values.h"
#include "ps/ticket.h"

namespace ps {

// Keys are any 64-bit numbers, negative ones too, in any order; they may repeat, and each repetition is
// added. A key that nobody has added to reads as 0 (or as the table's init says), and is not made by it.
// Otherwise as ArrayTable. What reads without an array of the caller's bring is kept here, as in Multiverso's
// table: raw(). One thread at a time.
template <typename V>
class KVTable {
 public:
  using Raw = std::unordered_map<std::int64_t, V>;

  // Throws Error: kAlreadyExists says what differs where others mean another table by the name.
  KVTable(Store& store, const KVOptions& options) : core_(store, SpecOf(options)) {}

  // --- into raw() ---
  void Get(const IdList& keys) {
    GetAsync(keys).Wait();
    TakeArrived();
  }
  Ticket GetAsync(const IdList& keys) {
    TakeArrived();
    auto read = std::make_shared<Read>();
    for (std::size_t i = 0; i < keys.size(); ++i) read->keys.push_back(keys[i]);
    read->values.resize(keys.size());
    TableGetOptions options;
    options.keep = read;
    read_.push_back({read, core_.GetAsync({&keys}, {read->values.data(), keys.size()}, options)});
    return read_.back().ticket;
  }
  // What has been read, the latest value of each key; reads under way are not waited for. Stays until the
  // next call.
  const Raw& raw() {
    TakeArrived();
    return raw_;
  }

  // --- into an array, in the order of the keys ---
  void Get(const IdList& keys, const ValuesOut<V>& to, const TableGetOptions& options = {}) {
    core_.Get({&keys}, OutOf(keys, to), options);
  }
  Ticket GetAsync(const IdList& keys, const ValuesOut<V>& to, const TableGetOptions& options = {}) {
    return core_.GetAsync({&keys}, OutOf(keys, to), options);
  }

  void Add(const IdList& keys, const ValuesIn<V>& values, const TableAddOptions& options = {}) {
    core_.Add({&keys}, {values.data, values.size}, options);
  }
  Ticket AddAsync(const IdList& keys, const ValuesIn<V>& values, const TableAddOptions& options = {}) {
    return core_.AddAsync({&keys}, {values.data, values.size}, options);
  }
  // One key.
  void Add(std::int64_t key, V value) { Add(IdList(key), {&value, 1}); }

  // For what every table of the store can: SetAsync, EraseAsync, SetOptions, CloseRound, Leave.
  StoreTable& store_table() { return core_.table(); }

 private:
  // A read into raw().
  struct Read {
    std::vector<std::int64_t> keys;
    std::vector<V> values;
  };
  struct Pending {
    std::shared_ptr<const Read> read;
    Ticket ticket;
  };

  static TableSpec SpecOf(const KVOptions& options) {
    TableSpec spec = options.spec();
    spec.dtype = DTypeOf<V>::value;
    spec.kind = TableSpec::kHash;
    spec.rows = 0;
    spec.width = 1;
    return spec;
  }
  TableCore::Out OutOf(const IdList& keys, const ValuesOut<V>& to) const {
    const ValuesOut<V> sized = to.For(keys.size());
    return {sized.data, sized.size};
  }
  // In the order in which they were asked for, so that a later read's value stays. What failed brings
  // nothing.
  void TakeArrived() {
    while (!read_.empty() && read_.front().ticket.Done()) {
      const Pending& first = read_.front();
      const Read& read = *first.read;
      if (first.ticket.WaitFor(std::chrono::milliseconds(0)).ok()) {
        for (std::size_t i = 0; i < read.keys.size(); ++i) raw_[read.keys[i]] = read.values[i];
      }
      read_.pop_front();
    }
  }

  TableCore core_;
  std::deque<Pending> read_;  // under way, or not looked at yet
  Raw raw_;
};

}  // namespace ps

#endif  // PS_KV_TABLE_H_
