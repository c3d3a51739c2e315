#include "collective/operation_table.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/guarded.h"
#include "base/parse.h"

namespace ps {
namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
// After so long an operation tells all ranks that it has begun here, so that the first whose time is up knows
// who has not.
constexpr std::int64_t kSayHereMs = 1000;
constexpr std::size_t kMostShown = 10;

std::size_t BytesOf(const ArrivedPacket& arrived) {
  return arrived.values.size() + arrived.packet.id.name.size() + arrived.packet.status.message().size();
}

}  // namespace

// Packs what one operation sends.
class OperationTable::Sender : public OperationSink {
 public:
  Sender(OperationTable* table, int token, const Packet& front)
      : table_(table), token_(token), packet_(front) {}

  void Send(OutgoingValues&& values) override {
    packet_.round = values.round;
    packet_.begin = values.begin;
    packet_.answered = values.answered;
    table_->sink_->Send(
        {table_->group_.node(values.to), token_, EncodePacket(packet_), std::move(values.values)});
  }
  void Answer(const Asked& asked) override { table_->sink_->Answer(asked); }

 private:
  OperationTable* const table_;
  const int token_;
  Packet packet_;
};

OperationTable::~OperationTable() = default;

void OperationTable::SetGroup(const GroupMembers& group) {
  if (group.tag() == group_.tag()) return;
  std::string gone;
  for (const GroupMembers::Member& member : group_.members()) {
    if (group.Has(member.incarnation)) continue;
    if (!gone.empty()) gone += ", ";
    gone += describe_(member.node);
  }
  if (!open_.empty()) EndAll(Status::Unavailable(gone + " was lost, and knows nothing of it"));
  former_groups_.insert(group_.tag());
  group_ = group;
  lost_.clear();
  numbering_ = Numbering();
  for (auto early = early_.begin(); early != early_.end();) {
    const auto next = std::next(early);
    if (former_groups_.count(early->first.group) != 0) (void)TakeEarly(early);
    early = next;
  }
}

std::vector<ArrivedPacket> OperationTable::TakeEarly(EarlyPackets::iterator early) {
  std::vector<ArrivedPacket> packets = std::move(early->second);
  early_.erase(early);
  early_packets_ -= packets.size();
  for (const ArrivedPacket& packet : packets) early_bytes_ -= BytesOf(packet);
  return packets;
}

// --- beginning ---

Status OperationTable::Begin(Wish&& wish, std::int64_t now_ms) {
  const OperationId id{group_.tag(), wish.name, numbering_.Next(wish.name)};
  if (!wish.name.empty() && id.number > 0 && tokens_.count({id.group, id.name, id.number - 1}) != 0)
    return Status::AlreadyExists("an operation of the name " + id.ToString() + " is under way on this rank");
  numbering_.Use(wish.name);
  const int token = wish.token;
  Open& open = open_[token];
  tokens_[id] = token;
  open.id = id;
  open.signature = wish.signature;
  open.begun_ms = now_ms;
  open.next_ms = timeout_ms_ == 0 ? kNever : now_ms + std::min(kSayHereMs, timeout_ms_ / 2);
  if (!lost_.empty()) {
    End(token,
        Status(lost_.begin()->second.code(), DescribeOpen(open) + ": " + lost_.begin()->second.message()),
        false);
    return Status::Ok();
  }
  const Status begun = Guarded([&] {
    Packet front;
    front.id = id;
    front.signature = wish.signature;
    open.sender = std::make_unique<Sender>(this, token, front);
    open.operation = std::make_unique<Operation>(
        wish.signature, MakePlan(wish.algorithm, wish.signature, group_.rank(), group_.size()), group_.rank(),
        wish.arrays, open.sender.get());
    return open.operation->Begin();
  });
  if (FinishOrEnd(token, begun)) FeedEarly(token);
  return Status::Ok();
}

void OperationTable::FeedEarly(int token) {
  const auto found = early_.find(open_[token].id);
  if (found == early_.end()) return;
  std::vector<ArrivedPacket> packets = TakeEarly(found);
  // One that has failed elsewhere fails here, whatever has come of it before.
  std::stable_partition(packets.begin(), packets.end(),
                        [](const ArrivedPacket& arrived) { return arrived.packet.kind == Packet::kEnd; });
  for (ArrivedPacket& packet : packets)
    if (!Feed(token, std::move(packet))) return;
}

// --- what comes ---

bool OperationTable::IsOver(const OperationId& id) {
  if (id.group != group_.tag()) return former_groups_.count(id.group) != 0;
  return id.number < numbering_.Next(id.name);
}

void OperationTable::OnPacket(ArrivedPacket&& arrived) {
  const OperationId& id = arrived.packet.id;
  const auto found = tokens_.find(id);
  if (found != tokens_.end()) {
    Feed(found->second, std::move(arrived));
  } else if (!IsOver(id)) {
    Keep(std::move(arrived));
  }
}

// For an operation that has not begun here, or a group of which this rank does not know yet.
void OperationTable::Keep(ArrivedPacket&& arrived) {
  const std::size_t bytes = BytesOf(arrived);
  if (early_packets_ == bounds_.early_packets || bytes > bounds_.early_bytes - early_bytes_)
    return Refuse(arrived);
  ++early_packets_;
  early_bytes_ += bytes;
  const OperationId id = arrived.packet.id;
  early_[id].push_back(std::move(arrived));
}

void OperationTable::Refuse(const ArrivedPacket& arrived) {
  if (arrived.packet.kind == Packet::kEnd) return;
  Packet refusal = arrived.packet;
  refusal.kind = Packet::kEnd;
  refusal.status = Status::ResourceExhausted(refusal.signature.ToString() + ", " + refusal.id.ToString() +
                                             ": " + DescribeRank(group_.rank()) +
                                             " has no room for more operations that it has not begun");
  sink_->Send({arrived.node, kNoToken, EncodePacket(refusal), {}});
}

bool OperationTable::Feed(int token, ArrivedPacket&& arrived) {
  Open& open = open_.at(token);
  const int rank = group_.RankOf(arrived.node);
  if (rank < 0 || rank == group_.rank()) return true;  // no member: nothing of it counts
  open.heard.insert(rank);
  const Packet& packet = arrived.packet;
  if (packet.kind == Packet::kEnd) {
    End(token, packet.status, false);
    return false;
  }
  if (packet.signature != open.signature) return FinishOrEnd(token, Differs(rank, packet.signature, open));
  if (packet.kind == Packet::kHere) return true;
  return FinishOrEnd(token, FeedValues(&open, rank, std::move(arrived)));
}

Status OperationTable::FeedValues(Open* open, int rank, ArrivedPacket&& arrived) {
  const Packet& packet = arrived.packet;
  Status received = Guarded([&] {
    return open->operation->Receive(
        rank, {packet.round, packet.begin, std::move(arrived.values), packet.answered, arrived.asked});
  });
  if (received.code() != StatusCode::kInvalidArgument) return received;
  return Status::InvalidArgument(DescribeOpen(*open) + ": " + DescribeRank(rank) + " has sent " +
                                 received.message());
}

void OperationTable::OnAnswer(int token, int node) {
  const auto found = open_.find(token);
  const int rank = group_.RankOf(node);
  if (found == open_.end() || rank < 0) return;
  Operation* const operation = found->second.operation.get();
  FinishOrEnd(token, Guarded([&] { return operation->OnAnswer(rank); }));
}

void OperationTable::OnRefused(int token, const Status& why) {
  const auto found = open_.find(token);
  if (found == open_.end()) return;
  End(token, Status(why.code(), DescribeOpen(found->second) + ": " + why.message()), true);
}

void OperationTable::OnLost(std::uint64_t incarnation, const Status& why) {
  if (!group_.Has(incarnation)) return;
  lost_.emplace(incarnation, why);
  while (!open_.empty()) {
    const auto first = open_.begin();
    End(first->first, Status(why.code(), DescribeOpen(first->second) + ": " + why.message()), false);
  }
}

// --- time ---

std::int64_t OperationTable::next_ms() const {
  std::int64_t next_ms = kNever;
  for (const auto& [token, open] : open_) next_ms = std::min(next_ms, open.next_ms);
  return next_ms;
}

void OperationTable::OnTime(std::int64_t now_ms) {
  std::vector<int> due;
  for (const auto& [token, open] : open_)
    if (open.next_ms <= now_ms) due.push_back(token);
  for (const int token : due) OnTimeOf(token, &open_.at(token), now_ms);
}

void OperationTable::OnTimeOf(int token, Open* open, std::int64_t now_ms) {
  if (!open->has_said_here) {
    Packet here;
    here.kind = Packet::kHere;
    SendToAll(*open, token, here);
    open->has_said_here = true;
    open->next_ms = open->begun_ms + timeout_ms_;
    if (open->next_ms > now_ms) return;
  }
  End(token,
      Status::DeadlineExceeded(DescribeOpen(*open) + ": " + WhoIsMissing(*open) + " after " +
                               FormatSeconds(now_ms - open->begun_ms) + " s (PS_BARRIER_TIMEOUT)"),
      true);
}

std::string OperationTable::WhoIsMissing(const Open& open) const {
  std::string missing;
  std::size_t num_missing = 0;
  for (int rank = 0; rank < group_.size(); ++rank) {
    if (rank == group_.rank() || open.heard.count(rank) != 0) continue;
    if (num_missing++ < kMostShown) missing += (missing.empty() ? "" : ", ") + DescribeRank(rank);
  }
  if (num_missing > kMostShown) missing += " and " + std::to_string(num_missing - kMostShown) + " more";
  if (num_missing > 0) return missing + (num_missing == 1 ? " has" : " have") + " not come";
  const int waits_for = open.operation->waits_for();
  return waits_for < 0 ? "it can not send what it has" : DescribeRank(waits_for) + " has not sent its values";
}

// --- ending ---

void OperationTable::EndAll(const Status& why) {
  while (!open_.empty()) {
    const auto first = open_.begin();
    End(first->first, Status(why.code(), DescribeOpen(first->second) + ": " + why.message()), true);
  }
}

bool OperationTable::FinishOrEnd(int token, const Status& status) {
  const Open& open = open_.at(token);
  if (!status.ok()) {
    End(token, status, true);
    return false;
  }
  if (!open.operation->done()) return true;
  End(token, Status::Ok(), false);
  return false;
}

void OperationTable::End(int token, const Status& outcome, bool tell) {
  const auto found = open_.find(token);
  if (tell) {
    Packet end;
    end.kind = Packet::kEnd;
    end.status = outcome;
    SendToAll(found->second, kNoToken, end);
  }
  tokens_.erase(found->second.id);
  open_.erase(found);
  sink_->End(token, outcome);
}

void OperationTable::SendToAll(const Open& open, int token, const Packet& packet) {
  Packet complete = packet;
  complete.id = open.id;
  complete.signature = open.signature;
  const std::string bytes = EncodePacket(complete);
  for (int rank = 0; rank < group_.size(); ++rank)
    if (rank != group_.rank()) sink_->Send({group_.node(rank), token, bytes, {}});
}

std::string OperationTable::DescribeOpen(const Open& open) const {
  return open.signature.ToString() + ", " + open.id.ToString();
}

Status OperationTable::Differs(int rank, const Signature& theirs, const Open& open) const {
  return Status::InvalidArgument("collective operation " + open.id.ToString() + ": " +
                                 DescribeRank(group_.rank()) + " has called " + open.signature.ToString() +
                                 ", " + DescribeRank(rank) + " " + theirs.ToString());
}

}  // namespace ps
