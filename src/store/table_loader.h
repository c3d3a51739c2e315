#ifndef PS_STORE_TABLE_LOADER_H_
#define PS_STORE_TABLE_LOADER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ps/status.h"
#include "store/checkpoint/reader.h"
#include "store/executors.h"
#include "store/memory_budget.h"
#include "store/server_table.h"

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
  };
  TableLoader(CheckpointReader* reader, const Options& options) : reader_(*reader), options_(options) {}

  // The server's part of a table; null: it has none. `mine`: the specification that is asked for, where there
  // is one, else that of the checkpoint holds.
  Result<std::unique_ptr<ServerTable>> Load(const std::string& name, const TableSpec* mine);

 private:
  Status Fill(ServerTable* table, const std::string& name, const Range& range);

  CheckpointReader& reader_;
  const Options options_;
};

}  // namespace ps
#endif  // PS_STORE_TABLE_LOADER_H_
