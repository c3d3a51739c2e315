// UserTable: a worker's end of a table that runs a program's own code at the servers.
#ifndef PS_USER_TABLE_H_
#define PS_USER_TABLE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ps/store.h"
#include "ps/ticket.h"
#include "ps/user_shard.h"

namespace ps {

class ClientTable;

// Calls are blocks of bytes for servers, which the caller chooses; what they mean is between the program and
// its UserShard. Applied as they come (asp): of one worker a server sees calls in their order, so a Get sees
// the Adds before it. Store::Flush, Barrier, Save, Load and EraseTable know the table as any other. Any
// thread.
class UserTable {
 public:
  // Opens the table of this name. Waits for servers where it has not been registered yet, at most
  // `timeout_ms` (-1: PS_REQUEST_TIMEOUT), and never longer than PS_BARRIER_TIMEOUT. Throws Error:
  // kDeadlineExceeded names those servers, kAlreadyExists says what differs from the table that is there.
  UserTable(Store& store, const std::string& name, const std::string& code, std::int64_t timeout_ms = -1);
  ~UserTable();
  UserTable(const UserTable&) = delete;
  UserTable& operator=(const UserTable&) = delete;

  const std::string& name() const;
  int num_servers() const { return num_servers_; }
  int worker() const { return worker_; }

  // What one server is told. Copied before the call returns.
  struct Part {
    int server = 0;
    UserBlocks blocks;
  };
  // Done when all these servers have carried it out. Throws Error before anything is sent: a server that
  // there is not, or twice, or more than PS_MAX_MESSAGE_BYTES for one.
  Ticket AddAsync(const std::vector<Part>& parts);
  // `take` is called for each answer, in the order of the servers, once all have come; the ticket is done
  // when it has run, on the thread of who waits first or on one of the store. It must not wait for tickets;
  // what it throws is the ticket's error. Where a server has failed it is not called.
  using Take = std::function<void(int server, UserBlocks& answer)>;
  Ticket GetAsync(const std::vector<Part>& parts, Take take);
  // kFailedPrecondition where this thread must not wait for a ticket: the store's own.
  Status CheckMayWait() const;

 private:
  const std::shared_ptr<ClientTable> client_;
  const int num_servers_;
  const int worker_;
};

}  // namespace ps

#endif  // PS_USER_TABLE_H_
