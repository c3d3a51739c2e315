#ifndef PS_COLLECTIVE_OPERATION_TABLE_H_
#define PS_COLLECTIVE_OPERATION_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "app/asked.h"
#include "collective/early_packets.h"
#include "collective/group_members.h"
#include "collective/numbering.h"
#include "collective/operation.h"
#include "collective/packet.h"
#include "ps/sarray.h"
#include "ps/status.h"

namespace ps {

// Where it goes what a table has to be done, at once.
class CollectiveSink {
 public:
  virtual ~CollectiveSink() = default;
  struct Packed {
    int node = 0;
    int token = 0;  // of the operation; kNoToken: nobody cares what becomes of it
    std::string packet;
    SArray<char> values;
  };
  virtual void Send(Packed&& packed) = 0;
  // Not ok: the packet was refused, and who sent it ends the operation.
  virtual void Answer(const Asked& asked, const Status& outcome) = 0;
  // The operation does not use the program's memory any more.
  virtual void End(int token, const Status& outcome) = 0;
};

// All operations of one rank: which packet belongs to which, what came before the operation has begun here,
// who differs, who is lost, whose time is up. Pure: one thread, no I/O; time is a number.
//
// An operation that fails here is told to all others (Packet::kEnd), whether they have begun it or not, but
// for the loss of a rank, of which they hear themselves.
class OperationTable {
 public:
  using Bounds = EarlyPackets::Bounds;
  // Of groups of which this rank does not know, which may be to come, or past.
  static constexpr Bounds kForeign{10000, std::size_t{16} << 20};
  static constexpr int kNoToken = 0;
  struct Wish {
    int token = 0;            // what the caller knows it by, from 1 on
    std::uint64_t group = 0;  // for which the rest was made: its tag
    std::string name;
    Signature signature;
    Algorithm algorithm = Algorithm::kRollCall;
    Operation::Arrays arrays;
  };
  using Describe = std::function<std::string(int node)>;

  // `timeout_ms` of an operation; 0: none. `sink` outlives it.
  // `most_ahead_bytes`: of copies for others while ranks are late, of all operations together; those beyond
  // send no values before all have come.
  OperationTable(CollectiveSink* sink, Describe describe, std::int64_t timeout_ms, const Bounds& bounds,
                 std::size_t most_ahead_bytes)
      : sink_(sink),
        describe_(std::move(describe)),
        timeout_ms_(timeout_ms),
        most_ahead_bytes_(most_ahead_bytes),
        early_(bounds) {}

  // Who takes part from now on. When that changes, what is under way fails and numbers begin anew.
  void SetGroup(const GroupMembers& group);
  const GroupMembers& group() const { return group_; }

  ~OperationTable();
  OperationTable(const OperationTable&) = delete;
  OperationTable& operator=(const OperationTable&) = delete;

  // Begins an operation, which may end at once. kAlreadyExists: the name is under way. kUnavailable: the
  // group is another one now, or this rank is not in it, or was lost. Nothing has begun then.
  Status Begin(Wish&& wish, std::int64_t now_ms);
  void OnPacket(ArrivedPacket&& arrived);
  void OnAnswer(int token, int node);
  // What the operation has sent will not arrive, or was refused.
  void OnRefused(int token, const Status& why);
  void OnLost(std::uint64_t incarnation, const Status& why);
  // This rank was declared lost: the others drop what it says. Everything fails from now on.
  void OnOwnLoss(const Status& why);
  // Ends the operation, if it is under way, because of something that happened here.
  void Abandon(const OperationId& id, const Status& why);
  void OnTime(std::int64_t now_ms);
  // When OnTime has something to do; INT64_MAX: never.
  std::int64_t next_ms() const;
  // Everything fails.
  void EndAll(const Status& why);

  // What an operation under way is, and whom it waits for; empty: it is not.
  std::string Progress(int token) const;
  std::size_t num_open() const { return open_.size(); }
  std::size_t ahead_bytes() const { return ahead_bytes_; }
  std::size_t early_bytes() const { return early_.bytes() + foreign_.bytes(); }

 private:
  class Sender;
  struct Open {
    OperationId id;
    Signature signature;
    std::unique_ptr<OperationSink> sender;
    std::unique_ptr<Operation> operation;
    std::set<int> heard;  // ranks
    std::int64_t begun_ms = 0;
    std::int64_t next_ms = 0;  // when it says that it is there, then when its time is up
    bool has_said_here = false;
    std::size_t ahead_bytes = 0;  // its share of the table's
  };
  using OpenOperations = std::map<int, Open>;  // by token

  Status CheckMayBegin(const Wish& wish) const;
  void BeginAs(const OperationId& id, Wish&& wish, std::int64_t now_ms);
  // True: it was begun here before, whatever has come of it.
  bool IsOver(const OperationId& id);
  void Take(ArrivedPacket&& arrived);
  void Keep(ArrivedPacket&& arrived);
  void KeepForeign(ArrivedPacket&& arrived);
  void Refuse(const ArrivedPacket& arrived);
  void EndEach(const Status& why, bool tell);
  // False: it has ended.
  bool Feed(int token, ArrivedPacket&& arrived);
  bool FeedEarly(int token);
  // False: it is to be patient.
  bool ClaimAhead(Open* open);
  void ReleaseAhead(Open* open) { ahead_bytes_ -= std::exchange(open->ahead_bytes, 0); }
  Status FeedValues(Open* open, int rank, ArrivedPacket&& arrived);
  bool FinishOrEnd(int token, const Status& status);
  void End(int token, const Status& outcome, bool tell);
  void SendToAll(const Open& open, int token, const Packet& packet);
  void OnTimeOf(int token, Open* open, std::int64_t now_ms);
  std::string WhoIsMissing(const Open& open) const;
  std::string DescribeRank(int rank) const { return rank < 0 ? "a node" : describe_(group_.node(rank)); }
  std::string DescribeOpen(const Open& open) const;
  Status Differs(int rank, const Signature& theirs, const Open& open) const;

  CollectiveSink* const sink_;
  const Describe describe_;
  const std::int64_t timeout_ms_;
  const std::size_t most_ahead_bytes_;
  GroupMembers group_;
  std::vector<std::string> names_;  // of its members, as they were when it began
  std::string change_;              // how the last one became it
  std::set<std::uint64_t> former_groups_;
  std::map<std::uint64_t, Status> lost_;  // of the group, by incarnation
  Numbering numbering_;
  std::size_t ahead_bytes_ = 0;  // at most, by operations for which not all ranks have come
  OpenOperations open_;
  std::map<OperationId, int> tokens_;  // of open_
  EarlyPackets early_;                 // of the group
  EarlyPackets foreign_{kForeign};     // of others
  Status own_loss_;
};

}  // namespace ps

#endif  // PS_COLLECTIVE_OPERATION_TABLE_H_
