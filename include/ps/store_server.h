// StoreServer: makes a server node serve the tables of the store.
#ifndef PS_STORE_SERVER_H_
#define PS_STORE_SERVER_H_

#include <memory>
#include <string>
#include <vector>

#include "ps/status.h"

namespace ps {

class Postoffice;
class UserShardHost;

// Serves until it is closed. One per server node, from before its workers create tables; the node has been
// started. Work is done on PS_SERVER_THREADS threads of its own, or where it is received. What becomes of the
// rounds of a worker that is lost: PS_ON_NODE_LOST.
class StoreServer {
 public:
  // `node` null: the thread's. Throws Error where the node has one already, or is no server. `command_line`:
  // of the program, for rules of its own (UpdaterHost).
  explicit StoreServer(Postoffice* node = nullptr, std::vector<std::string> command_line = {});
  ~StoreServer();  // = Close()
  StoreServer(const StoreServer&) = delete;
  StoreServer& operator=(const StoreServer&) = delete;

  // For tables of the program's own code (ps/user_table.h); until it is closed. Any thread.
  UserShardHost& user_shards();
  // What still waits is failed with kCancelled. Idempotent.
  void Close();

 private:
  class Impl;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace ps

#endif  // PS_STORE_SERVER_H_
