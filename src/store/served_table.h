#ifndef PS_STORE_SERVED_TABLE_H_
#define PS_STORE_SERVED_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "ps/base.h"
#include "ps/sarray.h"
#include "ps/status.h"
#include "ps/table_spec.h"
#include "store/op.h"
#include "store/reply.h"
#include "store/save_job.h"

namespace ps {

// One table on one server, whatever is behind it: rows (ServerTable), or a program's own code
// (ServerUserTable). Calls come from one thread at a time, who holds the server's lock: they decide, and post
// the work.
class ServedTable {
 public:
  // An operation of a message, with what it brings.
  struct Request {
    Op op;
    int worker = 0;
    SArray<Key> keys;
    SArray<char> vals;
    bool is_borrowed = false;  // `vals` are the sender's memory until the operation is answered
    std::shared_ptr<Reply> reply;
    std::size_t index = 0;         // of the operation in the reply
    std::shared_ptr<SaveJob> job;  // of kSave
  };

  ServedTable() = default;
  virtual ~ServedTable() = default;
  ServedTable(const ServedTable&) = delete;
  ServedTable& operator=(const ServedTable&) = delete;

  // As it was made.
  virtual const TableSpec& spec() const = 0;
  // Everything but create, save and load. Answers through the reply, now or later; a Status that is not ok:
  // nothing was done, and the caller answers.
  virtual Status Handle(Request&& request) = 0;
  // A worker that opens the table, with the rounds it knows of; fills in where it goes on.
  virtual Status Join(int worker, bool is_new_life, std::uint64_t round, OpReply* reply) = 0;
  // What waits fails with kCancelled: it is gone because it `was`. Idempotent.
  virtual void Close(const std::string& was) = 0;
  // Its worker is gone. `goes_on` (shrink): rounds no longer wait for it; else what waits for it fails, and
  // what comes later too.
  virtual void OnWorkerGone(int worker, bool goes_on, const Status& why) = 0;
};

}  // namespace ps
#endif  // PS_STORE_SERVED_TABLE_H_
