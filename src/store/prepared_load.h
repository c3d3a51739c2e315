#ifndef PS_STORE_PREPARED_LOAD_H_
#define PS_STORE_PREPARED_LOAD_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ps/status.h"
#include "store/load_order.h"
#include "store/server_table.h"
#include "store/table_loader.h"

namespace ps {

// A table that was loaded, unseen: another one in its place, or the states of the one that is there.
struct LoadedTable {
  std::shared_ptr<ServedTable> table;
  std::shared_ptr<ServerUserTable> user;  // whose code it has, which is there
  std::shared_ptr<ServerTable> there;     // of states: whose, and the rule that it had
  TableRule had;
  TableLoader::States states;

  // States are for the table and the rule that they were read for; `now`: the table of that name, null: none.
  Status CheckMayBeTaken(const ServedTable* now) const;
};
using LoadedTables = std::map<std::string, LoadedTable>;  // by name

// Reads what the server has of those of `names` that the order is for. `there`: its tables as they are.
Result<LoadedTables> ReadTables(TableLoader* loader, const std::vector<std::string>& names,
                                const LoadOrder& order, const LoadedTables& there);

// The load of a server that may still become tables: first all servers read, then, when all could, they
// change over. What was read is let go as soon as nobody will do so, for it takes memory. Pure: one thread at
// a time.
class PreparedLoad {
 public:
  // Of worker `worker`; -1: of the server itself. What an earlier one has read, and nobody has put in place,
  // goes: there may be no room for both. Returns its number.
  std::uint64_t Begin(int worker);
  // It has read these. kCancelled: it was given up meanwhile.
  Status Keep(std::uint64_t load, std::uint64_t step, LoadedTables&& tables);
  // What was read of this step; null: nothing was.
  LoadedTables* Find(std::uint64_t step);
  // They are in place, or nobody wants them any more.
  void Forget();
  // Those of this worker.
  void ForgetOf(int worker);

 private:
  std::uint64_t load_ = 0;
  int worker_ = -1;
  bool has_tables_ = false;
  std::uint64_t step_ = 0;
  LoadedTables tables_;
};

}  // namespace ps
#endif  // PS_STORE_PREPARED_LOAD_H_
