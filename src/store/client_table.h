#ifndef PS_STORE_CLIENT_TABLE_H_
#define PS_STORE_CLIENT_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "ps/store.h"
#include "store/client_op.h"
#include "store/client_rounds.h"
#include "store/client_values.h"
#include "store/codec/codec.h"
#include "store/partition.h"
#include "store/periodic_checkpoint.h"
#include "store/server_link.h"
#include "store/unacknowledged.h"

namespace ps {

// The client half of one table: checks a call, splits it by the partition, encodes, stamps rounds, sends one
// message per server that has to know, and follows the answers. Thread-safe.
class ClientTable : public std::enable_shared_from_this<ClientTable> {
 public:
  // What all tables of a store share.
  struct Host {
    std::shared_ptr<ServerLink> link;
    std::shared_ptr<Unacknowledged> unacknowledged;
    std::shared_ptr<PeriodicCheckpoint> periodic;  // null: none
  };
  // `rounds`: by server, how many rounds of this worker it has.
  static Result<std::shared_ptr<ClientTable>> Make(const Host& host, const TableSpec& spec, bool needs_whole,
                                                   const std::vector<std::uint64_t>& rounds);

  const TableSpec& spec() const { return spec_; }
  // See ServerLink.
  Status CheckMayWait() const { return host_.link->CheckMayWait(); }
  // One call. `code`: kAdd, kGet, kAddGet, kSet or kErase. Throws Error before anything is sent.
  struct Call {
    OpCode code = OpCode::kGet;
    Rows rows;
    const void* values = nullptr;  // in
    bool borrow = false;
    void* to = nullptr;  // out
    int priority = 0;
    ReadMemory* memory = nullptr;
    std::vector<std::uint32_t>* changed = nullptr;
    std::shared_ptr<const void> keep = nullptr;  // until it is done
  };
  Ticket Issue(const Call& call);
  // How many rounds a read at this server is tagged with now.
  std::uint64_t RoundAt(int server) { return rounds_.RoundAt(server); }
  // Whether the servers have so many rounds of this worker, where they have a part.
  bool IsAt(const std::vector<std::uint64_t>& rounds);
  // The servers have been restored: rounds go on from what they have.
  void GoOnFrom(const std::vector<std::uint64_t>& rounds) { rounds_.GoOnFrom(rounds); }
  std::uint64_t id() const { return id_; }
  // Whether this server has a part of it.
  bool IsOn(int server) const {
    const auto at = static_cast<std::uint64_t>(server);
    return at >= partition_.servers().begin() && at < partition_.servers().end();
  }
  Ticket CloseRound();
  Ticket Leave();
  // One operation for each server that has a part, made of the server's number. `writes`: Flush waits for it.
  Ticket TellAll(const std::function<Op(int server)>& make, bool writes);
  ClientRounds& rounds() { return rounds_; }

 private:
  using Addressed = ServerLink::Addressed;

  // What a message is for.
  struct Purpose {
    bool writes = false;      // Flush waits for it
    std::uint64_t round = 0;  // that it may wait for
  };

  ClientTable(const Host& host, const TableSpec& spec, bool needs_whole);
  Status Init(const std::vector<std::uint64_t>& rounds);

  Status Check(const Call& call) const;
  Result<std::vector<Share>> Split(const Rows& rows);
  Status CheckReads(const Call& call, const std::vector<Share>& shares) const;
  std::size_t AnswerBytes(const Call& call, const Share& share) const;
  void AddOps(const Call& call, const Share& share, std::uint64_t round, Addressed* to,
              std::vector<ClientOp::Part>* parts);
  void AddDeltaReads(const Call& call, const Share& share, const Op& read, Addressed* to,
                     std::vector<ClientOp::Part>* parts);
  void AddTicks(const std::vector<Share>& shares, std::uint64_t round,
                std::vector<Addressed>* requests) const;
  ClientOp::OnReplies Remember(const Call& call, std::vector<Share>&& shares) const;
  Ticket Send(std::vector<Addressed>&& requests, const ClientOp::Destination& destination,
              std::vector<ClientOp::Part>&& parts, ClientOp::OnReplies on_replies, const Purpose& purpose);
  std::vector<Addressed> ToAll(const Op& op) const;
  std::string ExplainDelay(std::uint64_t round);
  friend class UserTable;  // whose calls have no rows
  bool counts_rounds() const { return rounds_.are_counted(); }
  std::size_t num_rows_of(const Rows& rows) const {
    return rows.all() ? static_cast<std::size_t>(spec_.rows) : rows.count;
  }

  const Host host_;
  const TableSpec spec_;
  const std::uint64_t id_;
  const Partition partition_;
  const std::size_t row_bytes_;
  std::unique_ptr<Codec> pull_codec_;  // null: none
  ClientValues values_;
  ClientRounds rounds_;
  Mutex mutex_;
  SplitKeys split_ PS_GUARDED_BY(mutex_);
};

}  // namespace ps
#endif  // PS_STORE_CLIENT_TABLE_H_
