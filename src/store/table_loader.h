#ifndef PS_STORE_TABLE_LOADER_H_
#define PS_STORE_TABLE_LOADER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ps/status.h"
#include "store/checkpoint/reader.h"
#include "store/executors.h"
#include "store/memory_budget.h"
#include "store/server_table.h"
#include "store/server_user_table.h"

namespace ps {

// Makes a server's tables from a checkpoint, whatever number of servers wrote it. Everything is read and
// checked before anybody sees it. One thread.
class TableLoader {
 public:
  struct Options {
    int server = 0;
    int num_servers = 1;
    int num_workers = 1;
    std::uint64_t epoch = 1;
    MemoryBudget* budget = nullptr;
    Executors* executors = nullptr;
    bool may_lack_code = false;  // tables whose code has not been registered yet are left for later
    std::shared_ptr<const UpdaterHost> host = nullptr;
  };
  TableLoader(CheckpointReader* reader, const Options& options) : reader_(*reader), options_(options) {}

  // The server's part of a table; null: it has none. `mine`: the specification that is asked for, where there
  // is one, else that of the checkpoint holds.
  Result<std::unique_ptr<ServerTable>> Load(const std::string& name, const TableSpec* mine);
  // States for the slots of a table that is there, made as `mine`; other values than states are the
  // checkpoint's, and of no meaning. `rule`: which it has; null: it gets that of the checkpoint.
  struct States {
    std::shared_ptr<TableSlots> ready;
    TableRule rule;
    std::uint64_t num_updates = 0;
  };
  Result<States> LoadStates(const TableSpec& mine, const TableSlots& slots, const TableRule* rule);
  // Whether it is of a program's own code.
  Result<bool> IsOfUser(const std::string& name);
  // One with the code of `there`, and what was saved. Null: `there` is, and may be.
  Result<std::shared_ptr<ServerUserTable>> LoadUser(const std::string& name, const ServerUserTable* there);
  // A table that is not there has no part here that states could be for: else kNotFound.
  Status CheckHasNoPart(const std::string& name);

 private:
  // What this server has of such a table, if it has a part.
  Result<std::optional<Range>> PartOf(const TableSpec& spec) const;
  Result<std::string> BytesOf(const std::string& name, std::uint64_t server);
  Status Fill(TableSlots* slots, const TableSpec& spec, const Range& range);

  CheckpointReader& reader_;
  const Options options_;
};

}  // namespace ps
#endif  // PS_STORE_TABLE_LOADER_H_
