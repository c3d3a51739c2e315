// ServerTable: the server's half of a table that a program makes.
#ifndef PS_MULTIVERSO_SERVER_TABLE_H_
#define PS_MULTIVERSO_SERVER_TABLE_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ps/multiverso/blob.h"
#include "ps/multiverso/stream.h"
#include "ps/multiverso/user_table_context.h"
#include "ps/user_shard.h"

namespace multiverso {

// What can be written to a stream, and put back.
class Serializable {
 public:
  virtual ~Serializable() = default;
  virtual void Store(Stream* stream) = 0;
  virtual void Load(Stream* stream) = 0;
};

// A subclass holds what one server has of the table. It runs as a shard of the store (ps::UserShard): calls
// come one at a time, always on the same thread, each worker's in its order, exactly once. What it throws is
// the error of that call alone. Store and Load serve the store's checkpoints: Load is called on a table that
// has just been made.
class ServerTable : public Serializable {
 public:
  virtual void ProcessAdd(const std::vector<Blob>& data) = 0;
  virtual void ProcessGet(const std::vector<Blob>& data, std::vector<Blob>* result) = 0;
  // See ps::UserShard::TakesPartsOfOthers.
  virtual bool TakesPartsOfOthers() const { return false; }

 protected:
  // Not yet in the constructor.
  int server_id() const { return place_.server; }
  int num_servers() const { return place_.num_servers; }

 private:
  friend std::unique_ptr<ps::UserShard> ShardOf(std::unique_ptr<ServerTable> table,
                                                const ps::UserShardPlace& place);

  ps::UserShardPlace place_;
};

// A shard that calls it.
std::unique_ptr<ps::UserShard> ShardOf(std::unique_ptr<ServerTable> table, const ps::UserShardPlace& place);

}  // namespace multiverso

#endif  // PS_MULTIVERSO_SERVER_TABLE_H_
