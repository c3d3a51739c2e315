#include "store/client_table.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/clock.h"
#include "store/read_memory.h"
#include "store/spec_bytes.h"
#include "store/who_is_missing.h"

namespace ps {
namespace {

// How long a question for whom a round waits may take.
constexpr std::chrono::milliseconds kExplainTime{2000};

}  // namespace

// --- life ---

ClientTable::ClientTable(const Host& host, const TableSpec& spec, bool needs_whole)
    : host_(host),
      spec_(spec),
      id_(TableId(spec.name)),
      partition_(spec, host.link->num_servers(), needs_whole),
      row_bytes_(static_cast<std::size_t>(spec.width) * SizeOf(spec.dtype)),
      values_(spec_, host.link->message_limit()),
      rounds_(spec, host.link->num_servers()) {}

Result<std::shared_ptr<ClientTable>> ClientTable::Make(const Host& host, const TableSpec& spec,
                                                       bool needs_whole,
                                                       const std::vector<std::uint64_t>& rounds) {
  std::shared_ptr<ClientTable> table(new ClientTable(host, spec, needs_whole));
  PS_RETURN_IF_ERROR(table->Init(rounds));
  return table;
}

Status ClientTable::Init(const std::vector<std::uint64_t>& rounds) {
  PS_RETURN_IF_ERROR(values_.Init());
  auto pull_codec = MakeCodecOrNone(spec_.pull_codec, spec_.dtype);
  PS_RETURN_IF_ERROR(pull_codec.status());
  pull_codec_ = std::move(pull_codec).value();
  rounds_.GoOnFrom(rounds);
  return Status::Ok();
}

bool ClientTable::IsAt(const std::vector<std::uint64_t>& rounds) {
  for (int server = 0; server < partition_.num_servers(); ++server) {
    if (IsOn(server) && rounds[static_cast<std::size_t>(server)] != RoundAt(server)) return false;
  }
  return true;
}

// --- calls ---

Status ClientTable::Check(const Call& call) const {
  const auto wrong = [this](const std::string& what) {
    return Status::InvalidArgument("table '" + spec_.name + "': " + what);
  };
  if (spec_.kind == TableSpec::kUser) return wrong("it has no rows: its calls are those of a UserTable");
  if (call.rows.all() && spec_.kind == TableSpec::kHash)
    return wrong("a hash table has no whole: name the keys");
  const bool has_rows = num_rows_of(call.rows) != 0;
  const bool brings = call.code == OpCode::kAdd || call.code == OpCode::kAddGet || call.code == OpCode::kSet;
  const bool takes = call.code == OpCode::kGet || call.code == OpCode::kAddGet;
  if (brings && has_rows && call.values == nullptr) return wrong("no values are given");
  if (takes && has_rows && call.to == nullptr) return wrong("no buffer for what is read");
  if (call.code == OpCode::kAddGet && !spec_.auto_close)
    return wrong("AddGet ends the round, which a table without auto_close leaves to CloseRound");
  return Status::Ok();
}

Result<std::vector<Share>> ClientTable::Split(const Rows& rows) {
  std::vector<Share> shares;
  if (rows.all()) {
    std::vector<SplitRange> ranges;
    PS_RETURN_IF_ERROR(partition_.Split(Range(0, static_cast<std::uint64_t>(spec_.rows)), &ranges));
    for (const SplitRange& range : ranges)
      shares.push_back({range.server, range.rows.begin(), range.rows.size(), {}, {}});
    return shares;
  }
  MutexLock lock(mutex_);
  PS_RETURN_IF_ERROR(partition_.Split(rows.ids, rows.count, &split_));
  for (int server = 0; server < partition_.num_servers(); ++server) {
    const std::size_t begin = split_.begins[static_cast<std::size_t>(server)];
    const std::size_t end = split_.begins[static_cast<std::size_t>(server) + 1];
    if (begin == end) continue;
    Share share{server, 0, end - begin, {}, {}};
    share.keys.CopyFrom(split_.keys.data() + begin, end - begin);
    // All of them in order are a run: nothing has to be put in order.
    if (end - begin != rows.count)
      share.places.assign(split_.places.begin() + begin, split_.places.begin() + end);
    shares.push_back(std::move(share));
  }
  return shares;
}

// Of what is read, where it is known.
std::size_t ClientTable::AnswerBytes(const Call& call, const Share& share) const {
  const bool is_known = pull_codec_ == nullptr && call.memory == nullptr;
  return is_known ? share.count * row_bytes_ : 0;
}

Status ClientTable::CheckReads(const Call& call, const std::vector<Share>& shares) const {
  const MessageLimit limit = host_.link->message_limit();
  static const std::size_t question = OpCodec::BytesOf(std::vector<Op>(2));  // with a memory it may be two
  static const std::size_t reply = OpCodec::BytesOf(std::vector<OpReply>(1));
  for (const Share& share : shares) {
    const std::size_t asked = question + share.keys.size() * sizeof(Key);
    const std::size_t answer = reply + AnswerBytes(call, share);
    const std::size_t bytes = std::max(asked, answer);
    if (!limit.Allows(bytes))
      return limit.Check(
          bytes, "table '" + spec_.name + "': what is read from server " + std::to_string(share.server));
  }
  return Status::Ok();
}

Ticket ClientTable::Issue(const Call& call) {
  ThrowIfError(Check(call));
  const bool reads = call.code == OpCode::kGet || call.code == OpCode::kAddGet;
  if (reads && host_.periodic != nullptr) host_.periodic->BeforeRead(Clock::Real().NowMs());
  std::vector<Share> shares = Split(call.rows).value();
  if (reads) ThrowIfError(CheckReads(call, shares));
  std::vector<Addressed> requests(shares.size());
  std::vector<ClientOp::Part> parts;
  const bool brings = call.code == OpCode::kAdd || call.code == OpCode::kAddGet || call.code == OpCode::kSet;
  if (brings) {
    std::vector<SArray<char>> values =
        values_.Take({call.values, call.borrow, call.code == OpCode::kSet}, shares).value();
    for (std::size_t i = 0; i < shares.size(); ++i) requests[i].request.vals = std::move(values[i]);
  }
  // From here on it happens.
  if (call.changed != nullptr) call.changed->clear();
  const bool adds = call.code == OpCode::kAdd || call.code == OpCode::kAddGet;
  std::vector<int> servers;
  for (const Share& share : shares) servers.push_back(share.server);
  ClientRounds::Stamp stamp;
  if (adds) {
    stamp = rounds_.Contribute(servers);
  } else {
    for (const int server : servers) stamp.at.push_back(rounds_.RoundAt(server));
    if (counts_rounds()) stamp.round = rounds_.RoundAt(0);
  }
  for (std::size_t i = 0; i < shares.size(); ++i) AddOps(call, shares[i], stamp.at[i], &requests[i], &parts);
  if (adds && spec_.auto_close && counts_rounds()) AddTicks(shares, stamp.round, &requests);
  ClientOp::Destination destination;
  destination.values = static_cast<char*>(call.to);
  destination.row_bytes = row_bytes_;
  destination.row_elements = static_cast<std::size_t>(spec_.width);
  destination.codec = pull_codec_.get();
  destination.changed = call.changed;
  destination.keep = call.keep;
  return Send(std::move(requests), destination, std::move(parts), Remember(call, std::move(shares)),
              {brings || call.code == OpCode::kErase, stamp.round});
}

// The other servers have nothing to add in this round, and must know.
void ClientTable::AddTicks(const std::vector<Share>& shares, std::uint64_t round,
                           std::vector<Addressed>* requests) const {
  std::size_t next = 0;
  for (auto server = static_cast<int>(partition_.servers().begin());
       server < static_cast<int>(partition_.servers().end()); ++server) {
    if (next < shares.size() && shares[next].server == server) {
      ++next;
      continue;
    }
    Op tick;
    tick.code = OpCode::kClose;
    tick.table = id_;
    tick.round = round;
    Addressed to;
    to.server = server;
    to.request.ops = {std::move(tick)};
    requests->push_back(std::move(to));
  }
}

void ClientTable::AddOps(const Call& call, const Share& share, std::uint64_t round, Addressed* to,
                         std::vector<ClientOp::Part>* parts) {
  to->server = share.server;
  to->request.priority = call.priority;
  const bool is_read = call.code == OpCode::kGet || call.code == OpCode::kAddGet;
  to->request.answer_bytes = is_read ? AnswerBytes(call, share) : 0;
  to->request.may_wait = is_read && (counts_rounds() || spec_.init.kind == Init::kFirstWrite);
  Op op;
  op.code = call.code;
  op.table = id_;
  op.round = round;
  op.num_keys = share.keys.size();
  op.num_bytes = to->request.vals.size();
  if (call.rows.all()) op.flags |= Op::kWhole;
  if (op.adds() && (spec_.auto_close || !counts_rounds())) op.flags |= Op::kAuto;
  std::vector<Op>& ops = to->request.ops;
  if (call.code == OpCode::kGet && call.memory != nullptr) {
    AddDeltaReads(call, share, op, to, parts);
  } else {
    to->request.keys = share.keys;
    if (op.reads()) parts->push_back({share.server, 0, false, share.first, share.count, share.places});
    ops.push_back(std::move(op));
  }
}

// Rows that the caller's buffer has never seen are read as they are, the others if they have changed.
void ClientTable::AddDeltaReads(const Call& call, const Share& share, const Op& read, Addressed* to,
                                std::vector<ClientOp::Part>* parts) {
  if (call.rows.all()) {
    const ReadMemory::Impl::Plan plan = call.memory->impl().PlanOfAll(share.server);
    // Places in an answer are counted in 32 bits.
    const bool is_delta = plan.since != 0 && share.count <= UINT32_MAX;
    Op op = read;
    op.since = plan.since;
    op.epoch = plan.epoch;
    if (is_delta) op.flags |= Op::kDelta;
    parts->push_back({share.server, 0, is_delta, share.first, share.count, {}});
    to->request.ops.push_back(std::move(op));
    return;
  }
  const ReadMemory::Impl::Plan plan =
      call.memory->impl().PlanOf(share.server, share.keys.data(), share.count);
  to->request.keys = SArray<Key>::Uninitialized(share.count);
  Key* key = to->request.keys.data();
  for (const bool is_delta : {false, true}) {
    const std::vector<std::uint32_t>& places = is_delta ? plan.seen : plan.unseen;
    if (places.empty()) continue;
    Op op = read;
    op.num_keys = places.size();
    op.since = is_delta ? plan.since : 0;
    op.epoch = plan.epoch;
    if (is_delta) op.flags |= Op::kDelta;
    ClientOp::Part part{share.server, to->request.ops.size(), is_delta, 0, places.size(), {}};
    for (const std::uint32_t place : places) {
      *key++ = share.keys[place];
      part.places.push_back(share.places.empty() ? place : share.places[place]);
    }
    parts->push_back(std::move(part));
    to->request.ops.push_back(std::move(op));
  }
}

// What a read with a memory has seen is remembered when it has come.
ClientOp::OnReplies ClientTable::Remember(const Call& call, std::vector<Share>&& shares) const {
  if (call.memory == nullptr) return nullptr;
  std::vector<std::vector<std::uint64_t>> rows(static_cast<std::size_t>(partition_.num_servers()));
  for (const Share& share : shares)
    rows[static_cast<std::size_t>(share.server)].assign(share.keys.begin(), share.keys.end());
  return [memory = call.memory, all = call.rows.all(), rows = std::move(rows)](
             int server, const std::vector<OpReply>& replies) {
    // Of several reads the first has the lowest version.
    const OpReply& reply = replies.front();
    if (all) return memory->impl().SawAll(server, reply.version, reply.epoch);
    memory->impl().Saw(server, rows[static_cast<std::size_t>(server)], reply.version, reply.epoch);
  };
}

// --- rounds ---

Ticket ClientTable::CloseRound() {
  if (spec_.auto_close)
    ThrowIfError(
        Status::FailedPrecondition("table '" + spec_.name + "' has auto_close: each Add is a round"));
  if (!counts_rounds()) return Ticket();
  const ClientRounds::Closed closed = rounds_.Close();
  const std::uint64_t round = closed.round;
  std::vector<Addressed> requests;
  for (auto server = partition_.servers().begin(); server < partition_.servers().end(); ++server) {
    Op op;
    op.code = OpCode::kClose;
    op.table = id_;
    op.round = round;
    op.parts = closed.parts[server];
    requests.push_back({static_cast<int>(server), {}});
    requests.back().request.ops = {op};
  }
  return Send(std::move(requests), {}, {}, nullptr, {true, round});
}

std::vector<ClientTable::Addressed> ClientTable::ToAll(const Op& op) const {
  std::vector<Addressed> requests;
  for (auto server = partition_.servers().begin(); server < partition_.servers().end(); ++server) {
    requests.push_back({static_cast<int>(server), {}});
    requests.back().request.ops = {op};
  }
  return requests;
}

Ticket ClientTable::TellAll(const std::function<Op(int server)>& make, bool writes) {
  std::vector<Addressed> requests = ToAll(Op());
  for (Addressed& to : requests) {
    to.request.ops = {make(to.server)};
    to.request.ops[0].table = id_;
  }
  return Send(std::move(requests), {}, {}, nullptr, {writes, 0});
}

Ticket ClientTable::Leave() {
  Op op;
  op.code = OpCode::kLeave;
  op.table = id_;
  if (!counts_rounds()) return Ticket();
  op.round = rounds_.RoundAt(0);
  return Send(ToAll(op), {}, {}, nullptr, {true, op.round});
}

Ticket ClientTable::Send(std::vector<Addressed>&& requests, const ClientOp::Destination& destination,
                         std::vector<ClientOp::Part>&& parts, ClientOp::OnReplies on_replies,
                         const Purpose& purpose) {
  const bool may_wait_for_others = counts_rounds() && purpose.round > 0;
  TicketState::Explain explain;
  if (may_wait_for_others) {
    explain = [self = shared_from_this(), round = purpose.round] { return self->ExplainDelay(round); };
  }
  auto state = std::make_shared<TicketState>(host_.link, std::move(explain));
  const std::uint64_t id = purpose.writes ? host_.unacknowledged->Begin() : 0;
  if (purpose.writes)
    state->OnFinish([unacknowledged = host_.unacknowledged, id](const Status& outcome) {
      unacknowledged->End(id, outcome);
    });
  auto op = std::make_shared<ClientOp>(state, destination, std::move(parts), std::move(on_replies));
  op->KeepAlive(shared_from_this());
  SentRequest sent;
  try {
    sent = host_.link->Send(std::move(requests), std::move(op));
  } catch (const Error& error) {
    state->Finish(error.status());
    throw;
  }
  state->SetRequest(sent);
  if (purpose.writes) host_.unacknowledged->Sent(id, sent);
  return Ticket(std::move(state));
}

// Asks the servers for whom a round waits.
std::string ClientTable::ExplainDelay(std::uint64_t round) {
  auto found = std::make_shared<WhoIsMissing>();
  Op op;
  op.code = OpCode::kStat;
  op.table = id_;
  op.round = round;
  auto state = std::make_shared<TicketState>(host_.link);
  const auto keep = [found](int, const std::vector<OpReply>& replies) { found->Add(replies.front().text); };
  auto sink = std::make_shared<ClientOp>(state, ClientOp::Destination(), std::vector<ClientOp::Part>(), keep);
  state->SetRequest(host_.link->Send(ToAll(op), std::move(sink)));
  if (!state->Wait(&kExplainTime).ok()) return std::string();
  return found->Text(spec_.name, round);
}

}  // namespace ps
