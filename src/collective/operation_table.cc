#include "collective/operation_table.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/guarded.h"

namespace ps {
namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
// After so long an operation tells all ranks that it has begun here, so that the first whose time is up knows
// who has not.
constexpr std::int64_t kSayHereMs = 1000;

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
  void Answer(const Asked& asked) override { table_->sink_->Answer(asked, Status::Ok()); }

 private:
  OperationTable* const table_;
  const int token_;
  Packet packet_;
};

OperationTable::~OperationTable() = default;

void OperationTable::SetGroup(const GroupMembers& group) {
  if (group.tag() == group_.tag()) return;
  std::string gone;
  for (int rank = 0; rank < group_.size(); ++rank) {
    const auto at = static_cast<std::size_t>(rank);
    if (group.Has(group_.members()[at].incarnation)) continue;
    gone += (gone.empty() ? "" : ", ") + names_[at];
  }
  change_ = gone.empty() ? "there are more workers now" : gone + " was lost, and is in the group no more";
  EndAll(Status::Unavailable(change_));
  former_groups_.insert(group_.tag());
  group_ = group;
  names_.clear();
  for (const GroupMembers::Member& member : group_.members()) names_.push_back(describe_(member.node));
  lost_.clear();
  numbering_ = Numbering();
  (void)early_.TakeAll();
  for (ArrivedPacket& arrived : foreign_.TakeGroup(group_.tag())) Keep(std::move(arrived));
}

// --- beginning ---

Status OperationTable::CheckMayBegin(const Wish& wish) const {
  if (!own_loss_.ok())
    return Status(own_loss_.code(), "this worker takes part no more: " + own_loss_.message());
  if (group_.rank() < 0) return Status::Unavailable("this worker is not among those that take part");
  if (wish.group != group_.tag())
    return Status::Unavailable(wish.signature.ToString() +
                               ": who takes part has changed since it was called: " + change_);
  return Status::Ok();
}

Status OperationTable::Begin(Wish&& wish, std::int64_t now_ms) {
  PS_RETURN_IF_ERROR(CheckMayBegin(wish));
  const OperationId id{group_.tag(), wish.name, numbering_.Next(wish.name)};
  if (!wish.name.empty() && id.number > 0 && tokens_.count({id.group, id.name, id.number - 1}) != 0)
    return Status::AlreadyExists("an operation of the name " + id.ToString() + " is under way on this rank");
  numbering_.Use(wish.name);
  BeginAs(id, std::move(wish), now_ms);
  return Status::Ok();
}

void OperationTable::BeginAs(const OperationId& id, Wish&& wish, std::int64_t now_ms) {
  const int token = wish.token;
  Open& open = open_[token];
  tokens_[id] = token;
  open.id = id;
  open.signature = wish.signature;
  open.begun_ms = now_ms;
  open.next_ms = timeout_ms_ == 0 ? kNever : now_ms + std::min(kSayHereMs, timeout_ms_ / 2);
  if (!lost_.empty()) {
    const Status& why = lost_.begin()->second;
    return End(token, Status(why.code(), DescribeOpen(open) + ": " + why.message()), false);
  }
  const Status begun = Guarded([&] {
    Packet front;
    front.id = id;
    front.signature = wish.signature;
    open.sender = std::make_unique<Sender>(this, token, front);
    open.operation = std::make_unique<Operation>(
        wish.signature, MakePlan(wish.algorithm, wish.signature, group_.rank(), group_.size()), group_.rank(),
        wish.arrays, open.sender.get());
    return open.operation->Begin(!ClaimAhead(&open));
  });
  // Not for those that have come before.
  if (!FinishOrEnd(token, begun) || !FeedEarly(token)) return;
  FinishOrEnd(token, Guarded([&open] {
                open.operation->Prepare();
                return Status::Ok();
              }));
}

bool OperationTable::ClaimAhead(Open* open) {
  if (open->operation->has_all()) return true;
  const std::size_t bytes = open->operation->AheadBytes();
  if (bytes > most_ahead_bytes_ - ahead_bytes_) return false;
  open->ahead_bytes = bytes;
  ahead_bytes_ += bytes;
  return true;
}

// One that has failed elsewhere fails here, whatever has come of it before.
bool OperationTable::FeedEarly(int token) {
  for (ArrivedPacket& packet : early_.Take(open_.at(token).id))
    if (!Feed(token, std::move(packet))) return false;
  return true;
}

// --- what comes ---

bool OperationTable::IsOver(const OperationId& id) {
  if (id.group != group_.tag()) return former_groups_.count(id.group) != 0;
  return id.number < numbering_.Next(id.name);
}

// What goes wrong here has to be known by all.
void OperationTable::OnPacket(ArrivedPacket&& arrived) {
  const OperationId id = arrived.packet.id;
  const Asked asked = arrived.asked;
  const Status taken = Guarded([&] {
    Take(std::move(arrived));
    return Status::Ok();
  });
  if (taken.ok()) return;
  Abandon(id, taken);
  sink_->Answer(asked, taken);
}

void OperationTable::Abandon(const OperationId& id, const Status& why) {
  const auto found = tokens_.find(id);
  if (found != tokens_.end()) OnRefused(found->second, why);
}

void OperationTable::Take(ArrivedPacket&& arrived) {
  const OperationId& id = arrived.packet.id;
  const auto found = tokens_.find(id);
  if (found != tokens_.end()) {
    Feed(found->second, std::move(arrived));
  } else if (!IsOver(id)) {
    Keep(std::move(arrived));
  }
}

// For an operation that has not begun here, or a group of which this rank does not know.
void OperationTable::Keep(ArrivedPacket&& arrived) {
  if (arrived.packet.id.group != group_.tag()) return KeepForeign(std::move(arrived));
  if (group_.RankOf(arrived.node) >= 0 && !early_.Keep(&arrived)) Refuse(arrived);
}

// Who has sent to a group that is past (it was lost before this rank came) has no use for an answer; the last
// one that was heard of is the likeliest to come.
void OperationTable::KeepForeign(ArrivedPacket&& arrived) {
  while (!foreign_.Keep(&arrived)) {
    if (foreign_.empty() || foreign_.oldest_group() == arrived.packet.id.group) return Refuse(arrived);
    for (const ArrivedPacket& old : foreign_.TakeGroup(foreign_.oldest_group())) Refuse(old);
  }
}

void OperationTable::Refuse(const ArrivedPacket& arrived) {
  sink_->Answer(arrived.asked,
                Status::ResourceExhausted("no room for more of operations that it has not begun"));
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
  EndEach(why, false);
}

void OperationTable::OnOwnLoss(const Status& why) {
  own_loss_ = why;
  EndEach(why, false);
}

}  // namespace ps
