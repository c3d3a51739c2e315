#include "store/server_table.h"

#include <algorithm>
#include <utility>

#include "base/guarded.h"

namespace ps {
namespace {

std::string Text(std::uint64_t number) { return std::to_string(number); }

}  // namespace

// --- life ---

Result<std::unique_ptr<ServerTable>> ServerTable::Make(const TableSpec& spec, const TableSlots::Place& place,
                                                       Executors* executors, const TableRecord* restored) {
  std::unique_ptr<ServerTable> table(new ServerTable(spec, executors));
  PS_RETURN_IF_ERROR(table->Init(place, restored));
  return table;
}

Status ServerTable::Init(const TableSlots::Place& place, const TableRecord* restored) {
  where_ = place;
  auto reader = OpReader::Make(spec_, place.range);
  PS_RETURN_IF_ERROR(reader.status());
  reader_ = std::move(reader).value();
  auto pull_codec = MakeCodecOrNone(spec_.pull_codec, spec_.dtype);
  PS_RETURN_IF_ERROR(pull_codec.status());
  pull_codec_ = std::move(pull_codec).value();
  const TableRule rule = restored == nullptr ? TableRule::Of(spec_) : restored->RuleInForce();
  auto slots = TableSlots::Make(spec_, place, rule);
  PS_RETURN_IF_ERROR(slots.status());
  slots_ = std::move(slots).value();
  work_ = std::make_unique<TableWork>(&spec_, slots_.get(), &lanes_, pull_codec_.get());
  rules_ =
      std::make_unique<TableRules>(&spec_, work_.get(), RuleWork(slots_.get(), &lanes_), slots_.get(), rule);
  if (restored == nullptr) {
    gate_ = std::make_unique<Gate>(place.num_workers, spec_.consistency);
    InitializeSlots();
  } else {
    gate_ = std::make_unique<Gate>(place.num_workers, spec_.consistency, restored->gate);
    work_->GoOnFrom(restored->version, static_cast<std::int64_t>(restored->num_updates));
    PS_RETURN_IF_ERROR(rules_->GoOnFrom(restored->waiting));
  }
  return Status::Ok();
}

// Before anything that lanes are asked for, and again where somebody opens a table without them: only slots
// whose rule has failed are asked twice. Rules that come with the library have nothing to say there, and
// their tables are made at once. Which rule a slot has only its lane knows, once there are any.
void ServerTable::InitializeSlots() {
  for (std::size_t i = 0; i < slots_->size(); ++i) {
    TableSlots::Slot* const slot = &(*slots_)[i];
    if (!was_opened_ && slot->is_builtin) continue;
    lanes_.Post(*slot, [slot, again = was_opened_] {
      if (again && (slot->is_builtin || slot->broken.ok())) return;
      slot->broken = Guarded([slot] { return InitializeValues(slot->shard.get()); });
    });
  }
}

ServerTable::~ServerTable() { ServerTable::Close("erased"); }

void ServerTable::Close(const std::string& was) {
  FailWaiting(Status::Cancelled("table '" + spec_.name + "' was " + was));
}

void ServerTable::FailWaiting(const Status& why) {
  const auto fail = [&why](const Request& request) {
    if (request.job != nullptr) request.job->Abandon(why);
    request.reply->Fail(request.index, why);
    request.reply->Finish();
  };
  for (const auto& [token, read] : reads_) fail(read);
  for (const Request& read : first_reads_) fail(read);
  reads_.clear();
  first_reads_.clear();
}

// --- operations ---

Status ServerTable::Handle(Request&& request) {
  switch (request.op.code) {
    case OpCode::kAdd:
    case OpCode::kAddGet: return HandleAdd(std::move(request));
    case OpCode::kGet:
    case OpCode::kSave: return HandleRead(std::move(request));
    case OpCode::kSet: return HandleSet(std::move(request));
    case OpCode::kErase: return HandleErase(std::move(request));
    case OpCode::kOption: return rules_->SetOptions(request.op, next_round(), *request.reply);
    case OpCode::kUpdater: return rules_->SetUpdater(request.op, next_round(), request.reply, request.index);
    case OpCode::kStat: return HandleStat(request);
    case OpCode::kClose:
    case OpCode::kLeave: return TellGate(request);
    default:
      return Status::InvalidArgument("operation " + Text(static_cast<int>(request.op.code)) +
                                     " is not for a table");
  }
}

Status ServerTable::Join(int worker, bool is_new_life, std::uint64_t round, OpReply* reply) {
  if (was_opened_) InitializeSlots();
  was_opened_ = true;
  if (is_new_life) {
    actions_.clear();
    const Result<Gate::Rejoined> rejoined = gate_->Rejoin(worker, round, &actions_);
    PS_RETURN_IF_ERROR(rejoined.status());
    CarryOut(actions_);
  }
  reply->round = gate_->clock(worker);
  reply->version = work_->state().version;
  return Status::Ok();
}

void ServerTable::OnWorkerGone(int worker, bool goes_on, const Status& why) {
  actions_.clear();
  if (goes_on) {
    (void)gate_->Lose(worker, &actions_);  // it is one of the workers: nothing can be wrong
  } else if (spec_.consistency.mode != Consistency::kAsp) {
    lost_ = why;
    return FailWaiting(why);
  } else {
    gate_->DropReads(worker, &actions_);
  }
  CarryOut(actions_);
}

Result<RowSet> ServerTable::Accept(Request* request, BudgetClaim* claim) const {
  PS_RETURN_IF_ERROR(rules_->CheckMayAdd());
  const Result<RowSet> rows = reader_->RowsOf(request->op, request->keys);
  PS_RETURN_IF_ERROR(rows.status());
  PS_RETURN_IF_ERROR(reader_->Decode(request->op, rows.value().count, &request->vals, &request->is_borrowed));
  // A worker may run ahead as far as there is memory.
  const bool runs_ahead = is_bsp() && request->op.round > gate_->state().version + 1;
  if (!runs_ahead || where_.budget == nullptr) return rows;
  PS_RETURN_IF_ERROR(where_.budget->Take(
      request->vals.size(),
      "what waits for round " + Text(request->op.round) + " of table '" + spec_.name + "'"));
  *claim = BudgetClaim(where_.budget, request->vals.size());
  return rows;
}

// What cannot be used counts as nothing, for the others must not wait for this round for ever.
Status ServerTable::HandleAdd(Request&& request) {
  PS_RETURN_IF_ERROR(lost_);
  BudgetClaim claim;
  const Result<RowSet> rows = Accept(&request, &claim);
  const RowSet used = rows.ok() ? rows.value() : RowSet();
  if (!rows.ok()) request.reply->Fail(request.index, rows.status());
  auto contribution = std::make_shared<Contribution>(request.reply, request.index, request.keys,
                                                     std::move(request.vals), request.is_borrowed);
  contribution->worker = request.worker;
  contribution->round = request.op.round;
  contribution->claim = std::move(claim);
  actions_.clear();
  current_token_ = next_token_++;
  PS_RETURN_IF_ERROR(gate_->Part(request.worker, request.op.round, current_token_, &actions_));
  // From here on the contribution answers.
  current_ = contribution;
  const bool reads = request.op.reads() && rows.ok();
  if (reads) request.reply->Expect(1);
  if ((request.op.flags & Op::kAuto) != 0) {
    const Status closed = gate_->Close(request.worker, request.op.round, 1, &actions_);
    if (!closed.ok()) request.reply->Fail(request.index, closed);
  }
  contribution->ShareOut(*slots_, used, reader_->row_bytes());
  CarryOut(actions_);
  Stage();
  if (!reads) return Status::Ok();
  const std::shared_ptr<Reply> reply = request.reply;
  const std::size_t index = request.index;
  const Status asked = HandleRead(std::move(request));
  if (asked.ok()) return asked;
  reply->Fail(index, asked);
  reply->Finish();
  return Status::Ok();
}

Status ServerTable::HandleRead(Request&& request) {
  PS_RETURN_IF_ERROR(lost_);
  if (request.op.code != OpCode::kSave)
    PS_RETURN_IF_ERROR(reader_->RowsOf(request.op, request.keys).status());
  const std::uint64_t token = next_token_++;
  const int worker = request.worker;
  const std::uint64_t round = request.op.round;
  request.vals = SArray<char>();
  actions_.clear();
  PS_RETURN_IF_ERROR(gate_->Read(worker, round, token, &actions_));
  // At once, as a rule.
  if (actions_.size() == 1 && actions_[0].kind == Gate::Action::kAnswer && actions_[0].token == token) {
    Answer(std::move(request));
    return Status::Ok();
  }
  reads_.emplace(token, std::move(request));
  CarryOut(actions_);
  return Status::Ok();
}

Status ServerTable::HandleSet(Request&& request) {
  const Result<RowSet> rows = reader_->RowsOf(request.op, request.keys);
  PS_RETURN_IF_ERROR(rows.status());
  PS_RETURN_IF_ERROR(reader_->Decode(request.op, rows.value().count, &request.vals, &request.is_borrowed));
  auto contribution = std::make_shared<Contribution>(request.reply, request.index, request.keys,
                                                     std::move(request.vals), request.is_borrowed);
  contribution->ShareOut(*slots_, rows.value(), reader_->row_bytes());
  work_->Set(contribution);
  AnswerFirstReads();
  return Status::Ok();
}

Status ServerTable::HandleErase(Request&& request) {
  const Result<RowSet> rows = reader_->RowsOf(request.op, request.keys);
  PS_RETURN_IF_ERROR(rows.status());
  work_->Erase(request.reply, request.index, request.keys, rows.value());
  return Status::Ok();
}

Status ServerTable::TellGate(const Request& request) {
  actions_.clear();
  if (request.op.code == OpCode::kClose) {
    PS_RETURN_IF_ERROR(gate_->Close(request.worker, request.op.round, request.op.parts, &actions_));
  } else {
    PS_RETURN_IF_ERROR(gate_->Leave(request.worker, request.op.round, &actions_));
  }
  CarryOut(actions_);
  request.reply->Finish();
  return Status::Ok();
}

// For the text of a deadline error: for whom this round waits, and what was dropped.
Status ServerTable::HandleStat(const Request& request) {
  OpReply& reply = request.reply->part(request.index).reply;
  reply.version = work_->state().version;
  reply.round = gate_->state().version;
  std::string missing;
  for (const int worker : gate_->Missing(request.op.round))
    missing += (missing.empty() ? "" : ", ") + Describe(worker);
  reply.text = "dropped=" + Text(gate_->state().num_dropped) + "\nmissing=" + missing + "\n";
  request.reply->Finish();
  return Status::Ok();
}

std::string ServerTable::Describe(int worker) const {
  return "worker " + Text(worker) + " (round " + Text(gate_->clock(worker)) + ")";
}

// --- decisions ---

void ServerTable::CarryOut(const Gate::Actions& actions) {
  for (const Gate::Action& action : actions) {
    switch (action.kind) {
      case Gate::Action::kApply: OnApply(action); break;
      case Gate::Action::kDrop: OnDrop(action); break;
      case Gate::Action::kAnswer: OnAnswer(action); break;
      case Gate::Action::kCancel: OnCancel(action); break;
      case Gate::Action::kClose: OnClose(action.round); break;
    }
  }
}

std::shared_ptr<Contribution> ServerTable::TakeContribution(const Gate::Action& action) {
  if (action.token == current_token_) return std::move(current_);
  return staging_.Take(action.round, action.worker, action.token);
}

void ServerTable::OnApply(const Gate::Action& action) {
  std::shared_ptr<Contribution> contribution = TakeContribution(action);
  if (!contribution->HasShares()) return;
  if (is_merged()) {
    round_.push_back(std::move(contribution));
  } else {
    work_->Update(contribution);
    if (!is_bsp()) AnswerFirstReads();
  }
}

void ServerTable::OnDrop(const Gate::Action& action) { work_->Drop(TakeContribution(action)); }

// The gate still has reads that have failed with the loss of a worker.
void ServerTable::OnAnswer(const Gate::Action& action) {
  auto read = reads_.extract(action.token);
  if (!read.empty()) Answer(std::move(read.mapped()));
}

void ServerTable::OnCancel(const Gate::Action& action) {
  const auto read = reads_.extract(action.token);
  if (read.empty()) return;
  const Request& request = read.mapped();
  const Status why = Status::Cancelled("the reader has gone");
  if (request.job != nullptr) request.job->Abandon(why);
  request.reply->Fail(request.index, why);
  request.reply->Finish();
}

void ServerTable::OnClose(std::uint64_t round) {
  if (!round_.empty()) ApplyRound(round);
  AnswerFirstReads();
  rules_->BeginRound(round + 1);
}

// Of those who took part, whether or not they had anything for this server.
int ServerTable::NumWorkersOf(std::uint64_t round) const {
  const std::vector<GateState::Clock>& clocks = gate_->state().clocks;
  return static_cast<int>(std::count_if(clocks.begin(), clocks.end(), [round](const GateState::Clock& clock) {
    return clock.completed >= round;
  }));
}

// One contribution is its own sum, and needs no memory of its own.
void ServerTable::ApplyRound(std::uint64_t round) {
  const int num_workers = NumWorkersOf(round);
  const Contribution& first = *round_[0];
  const bool is_sum = round_.size() == 1 && !first.is_folded && !first.MayRepeat();
  if (is_sum && (num_workers == 1 || !spec_.mean)) {
    work_->Update(round_[0]);
  } else {
    for (const auto& contribution : round_) {
      if (!contribution->is_folded) work_->Fold(contribution);
    }
    work_->UpdateBySum(num_workers);
  }
  round_.clear();
}

// What came and has to wait.
void ServerTable::Stage() {
  const std::shared_ptr<Contribution> waiting = std::move(current_);
  current_ = nullptr;
  const std::uint64_t token = std::exchange(current_token_, 0);
  if (waiting != nullptr) staging_.Put(token, waiting);
  if (is_merged()) FoldEarly();
  if (waiting == nullptr || waiting->is_folded) return;
  work_->Keep(waiting);
}

// The sum of a round is made in order of the workers: what is next in that order is added as soon as it is
// there, so that only what came too early is kept. Where the order is not asked for, what will be in the sum
// for certain is added as it comes.
void ServerTable::FoldEarly() {
  const std::uint64_t round = gate_->state().version + 1;
  const auto is_done = [this, round](int worker) { return gate_->clock(worker) >= round; };
  for (const auto& next : spec_.deterministic ? staging_.TakeNextInSum(round, gate_->FirstMissing())
                                              : staging_.FindUnsummed(round, is_done)) {
    work_->Fold(next);
    next->is_folded = true;
  }
}

// It is cut where a read would be answered.
void ServerTable::Save(const Request& request) {
  TableRecord record;
  record.spec = spec_;
  rules_->Describe(&record);
  record.range = where_.range;
  record.version = work_->state().version;
  record.num_updates = static_cast<std::uint64_t>(work_->state().num_updates);
  record.gate = gate_->state();
  work_->Save(request.job, record);
  request.reply->Finish();
}

void ServerTable::Answer(Request&& read) {
  if (read.op.code == OpCode::kSave) return Save(read);
  if (spec_.init.kind == Init::kFirstWrite && !work_->state().is_written) {
    first_reads_.push_back(std::move(read));
    return;
  }
  TableRead now;
  now.rows = reader_->RowsOf(read.op, read.keys).value();
  now.reply = std::move(read.reply);
  now.op = read.index;
  now.keys = std::move(read.keys);
  const bool is_known = read.op.epoch == work_->state().epoch;
  now.is_delta = read.op.delta() && is_known;
  now.lists_all = read.op.delta() && !is_known;
  now.since = read.op.since;
  work_->Read(std::move(now));
}

void ServerTable::AnswerFirstReads() {
  if (first_reads_.empty() || !work_->state().is_written) return;
  std::vector<Request> reads;
  reads.swap(first_reads_);
  for (Request& read : reads) Answer(std::move(read));
}

}  // namespace ps
