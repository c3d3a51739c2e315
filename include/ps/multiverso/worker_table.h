// WorkerTable: the worker's half of a table that a program makes.
#ifndef PS_MULTIVERSO_WORKER_TABLE_H_
#define PS_MULTIVERSO_WORKER_TABLE_H_

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "ps/multiverso/blob.h"
#include "ps/multiverso/msg_type.h"
#include "ps/multiverso/options.h"
#include "ps/multiverso/user_table_context.h"

namespace multiverso {

// A subclass says which servers a call goes to, and what becomes of the answers. Made by MV_CreateTable (or
// CreateUserTable), which gives it its servers: before that calls throw Error(kFailedPrecondition). It
// outlives the Gets that it has begun.
//
// One worker's calls reach each server in their order: a Get sees the Adds before it, waited for or not. Any
// thread may call; Partition and ProcessReplyGet run one at a time.
class WorkerTable {
 public:
  WorkerTable();
  virtual ~WorkerTable();
  WorkerTable(const WorkerTable&) = delete;
  WorkerTable& operator=(const WorkerTable&) = delete;

  // Wait(GetAsync), Wait(AddAsync).
  void Get(Blob keys, const GetOption* option = nullptr);
  void Add(Blob keys, Blob values, const AddOption* option = nullptr);
  // Send what Partition makes of the call; the blobs may be changed afterwards. Return the number of the
  // call, for Wait. What Partition throws comes to the caller, before anything is sent; so does Error: a
  // server that there is not. Options travel as the last blob; a worker id that was not set is this worker's.
  int GetAsync(Blob keys, const GetOption* option = nullptr);
  int AddAsync(Blob keys, Blob values, const AddOption* option = nullptr);
  // Returns when all servers have carried it out, and what they answered has been handed to ProcessReplyGet;
  // at once where that is so already, however often it is asked. Throws Error: what a server's half has
  // thrown, or ProcessReplyGet; kInvalidArgument: no call has this number; kFailedPrecondition inside
  // Partition and ProcessReplyGet. Nobody has to wait for a call; errors of Adds come with the next barrier,
  // too.
  void Wait(int id);

  // Splits a call: for each server that it is for, by its number from 0 on (never a rank), what it is told.
  // `kv`: keys, of Add also values, and the option where there is one. Returns how many servers.
  virtual int Partition(const std::vector<Blob>& kv, MsgType partition_type,
                        std::unordered_map<int, std::vector<Blob>>* out) = 0;
  // Takes what one server has answered to a Get; of one call in the order of the servers. On the thread of
  // who waits first, or one of the library.
  virtual void ProcessReplyGet(std::vector<Blob>& reply) = 0;

 protected:
  int num_servers() const;
  int worker_id() const;

 private:
  class Impl;
  friend void BindWorkerTable(const UserTableContext& context, const std::string& code, WorkerTable* table);

  int Send(MsgType type, const std::vector<Blob>& kv);

  const std::shared_ptr<Impl> impl_;
};

}  // namespace multiverso

#endif  // PS_MULTIVERSO_WORKER_TABLE_H_
