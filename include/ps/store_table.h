// StoreTable: one table of the store, as a worker uses it.
#ifndef PS_STORE_TABLE_H_
#define PS_STORE_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ps/table_spec.h"
#include "ps/ticket.h"
#include "ps/updater.h"

namespace ps {

class ClientTable;
class ReadMemory;

// Which rows of a table a call is about. Borrows the ids until the call returns.
struct Rows {
  const std::uint64_t* ids = nullptr;
  std::size_t count = 0;
  bool is_all = true;  // whatever the ids

  static Rows All() { return {}; }
  // In any order; some may be equal; none is fine.
  static Rows Of(const std::uint64_t* ids, std::size_t count) { return {ids, count, false}; }
  static Rows Of(const std::vector<std::uint64_t>& ids) { return Of(ids.data(), ids.size()); }
  bool all() const { return is_all; }
};

// How values are handed in.
struct AddOptions {
  bool borrow = false;  // they stay unchanged until the ticket is done, and are not copied
  int priority = 0;     // higher first
  std::shared_ptr<const void> keep = nullptr;  // let go of when the ticket is done: what owns borrowed memory
};

// How values are read.
struct GetOptions {
  int priority = 0;
  // Only rows that have changed since the last read with this memory are sent; others stay as they are in the
  // caller's buffer. Outlives the ticket; for one read at a time.
  ReadMemory* memory = nullptr;
  std::vector<std::uint32_t>* changed = nullptr;  // where wanted: which of the rows asked for came
  std::shared_ptr<const void> keep = nullptr;     // let go of when the ticket is done: what owns the buffer
};

// What one buffer of a client has seen of one table.
class ReadMemory {
 public:
  ReadMemory();
  ~ReadMemory();
  // The next read brings everything.
  void Forget();

  class Impl;  // for the library
  Impl& impl() { return *impl_; }

 private:
  const std::unique_ptr<Impl> impl_;
};

// One table, as one worker sees it. Values are row after row, `width` elements of the table's dtype each.
// Calls with Async return at once, unless there is no room on the way; what they are given is copied unless
// they borrow it, buffers of reads stay alone until the ticket is done (then they hold the values, or, after
// an error, anything). All throw Error(kInvalidArgument) before anything is sent: rows that do not exist,
// no buffer. Thread-safe.
class StoreTable {
 public:
  ~StoreTable();
  StoreTable(const StoreTable&) = delete;
  StoreTable& operator=(const StoreTable&) = delete;

  const TableSpec& spec() const;
  // Contributes `values` to the next round; with TableSpec::auto_close that ends it. Done when it is ordered
  // at its servers: reads see what the table's consistency promises.
  Ticket AddAsync(const Rows& rows, const void* values, const AddOptions& options = {});
  // Reads, with all of this worker's rounds that have ended.
  Ticket GetAsync(const Rows& rows, void* values, const GetOptions& options = {});
  // Both in one message; needs auto_close. `to` may be `values`.
  Ticket AddGetAsync(const Rows& rows, const void* values, void* to, const AddOptions& options = {});
  // The same, waited for. The values are used where they are.
  void Add(const Rows& rows, const void* values, const AddOptions& options = {});
  void Get(const Rows& rows, void* values, const GetOptions& options = {});
  // Writes values as they are, at once, whatever the consistency.
  Ticket SetAsync(const Rows& rows, const void* values);
  // Rows are as never written.
  Ticket EraseAsync(const Rows& rows);
  // Without auto_close: ends the round.
  Ticket CloseRound();
  // This worker contributes to no further round: the others go on without it.
  Ticket Leave();
  // Changes the rule of the table; values stay, states begin with zeros and the count of updates with 0. With
  // kBsp for the rounds after those this worker has contributed to, else at once. Any worker may, and several
  // may ask for the same: what is in force already, in the same words as when it was set last (whatever
  // SetOptions has changed since), changes nothing. `multi_precision` as in TableSpec: the masters are made
  // of the values, or dropped. Asks all servers before any changes, so it waits for a round trip; where one
  // cannot have the rule (no such name or option, not for this dtype, NeedsWhole and the table is shared, no
  // memory), the ticket says why, and nothing has changed. The table is opened by the spec it was made with.
  Ticket SetUpdater(const UpdaterChoice& choice, bool multi_precision = false);
  static constexpr std::uint64_t kNextRound = ~std::uint64_t{0};  // that this worker contributes to next
  // Options of the updater, as in `lr=0.1 wd=0`; kBsp: from round `from_round` on, else (and with 0) at once,
  // or together with a rule that waits for its round.
  Ticket SetOptions(const std::string& options, std::uint64_t from_round = 0);

 private:
  friend class Store;
  explicit StoreTable(std::shared_ptr<ClientTable> client);
  const std::shared_ptr<ClientTable> client_;
};

}  // namespace ps

#endif  // PS_STORE_TABLE_H_
