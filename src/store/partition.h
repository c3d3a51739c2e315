#ifndef PS_STORE_PARTITION_H_
#define PS_STORE_PARTITION_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ps/range.h"
#include "ps/status.h"
#include "ps/table_spec.h"
#include "store/mix64.h"

namespace ps {

// Keys of one operation, by the server that they belong to. Reused from call to call, so that it stops
// allocating; its fields are valid until the next one.
struct SplitKeys {
  std::vector<std::uint64_t> keys;    // server after server, of each one in the caller's order
  std::vector<std::uint32_t> places;  // where each of them stood in the caller's list
  std::vector<std::size_t> begins;    // of server s: [begins[s], begins[s + 1])
  std::vector<std::uint32_t> owners;  // scratch
};

// A server's share of a range of rows.
struct SplitRange {
  int server = 0;
  Range rows;
};

// Which server has which rows of a table. Pure; the same on all nodes, from the spec and the number of
// servers alone. Servers are logical numbers from 0. Immutable, so any thread.
//
//   dense  even ranges of rows: lengths differ by at most 1, the longer ones first, some may be empty
//   hash   a key's slot is one of 4,096: the highest 12 bits of Mix64 (what hashes within a server should use
//   lower
//          ones); servers have even ranges of slots, cut in the same way
//   whole  a dense table of at most `min_split` elements, and any table whose updater must see all of it,
//   lives
//          on one server, by its name
class Partition {
 public:
  static constexpr std::uint64_t kNumSlots = 4096;
  static std::uint64_t SlotOf(std::uint64_t key) { return Mix64(key) >> 52; }

  // `needs_whole`: Updater::NeedsWhole of the table's rule.
  Partition(const TableSpec& spec, int num_servers, bool needs_whole);

  int num_servers() const { return num_servers_; }
  // The servers that have a part: others know nothing of the table.
  Range servers() const { return servers_; }
  // What a server has: rows of a dense table, slots of a hash table.
  Range RangeOf(int server) const;
  // The server of a row that there is, or of any key.
  int ServerOf(std::uint64_t key) const;

  // Splits rows or keys, in any order and repeated at will. kInvalidArgument names a row that is not there.
  Status Split(const std::uint64_t* keys, std::size_t count, SplitKeys* out) const;
  // Splits rows of a dense table; servers without any of them are left out.
  Status Split(const Range& rows, std::vector<SplitRange>* out) const;

 private:
  Status FindOwners(const std::uint64_t* keys, std::size_t count, std::uint32_t* owners) const;
  void FindOwnersOfSlots(const std::uint64_t* keys, std::size_t count, std::uint32_t* owners) const;
  Status OutOfRange(std::uint64_t row) const;

  const std::string name_;
  const bool is_hash_;
  const std::uint64_t num_units_;  // rows or slots
  const int num_servers_;
  int home_ = -1;  // of a whole table
  Range servers_;
  std::uint64_t short_length_ = 0;  // of ranges; the first num_long_ are longer by 1
  std::uint64_t num_long_ = 0;
  std::vector<std::uint32_t> server_of_slot_;  // of a hash table that is split
};

}  // namespace ps
#endif  // PS_STORE_PARTITION_H_
