#include "store/server_table.h"

#include <algorithm>
#include <utility>

namespace ps {
namespace {

std::string Text(std::uint64_t number) { return std::to_string(number); }

// How many different ones, of contributions in order of the workers.
int NumWorkers(const std::vector<std::shared_ptr<Contribution>>& round) {
  int count = 0;
  for (std::size_t i = 0; i < round.size(); ++i)
    count += i == 0 || round[i]->worker != round[i - 1]->worker ? 1 : 0;
  return count;
}

std::unique_ptr<Codec> UnlessNone(const CodecSpec& spec, std::unique_ptr<Codec> codec) {
  return spec.is_none() ? nullptr : std::move(codec);
}

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
  row_bytes_ = static_cast<std::size_t>(spec_.width) * SizeOf(spec_.dtype);
  auto push_codec = MakeCodec(spec_.push_codec, spec_.dtype);
  PS_RETURN_IF_ERROR(push_codec.status());
  auto pull_codec = MakeCodec(spec_.pull_codec, spec_.dtype);
  PS_RETURN_IF_ERROR(pull_codec.status());
  push_codec_ = UnlessNone(spec_.push_codec, std::move(push_codec).value());
  pull_codec_ = UnlessNone(spec_.pull_codec, std::move(pull_codec).value());
  auto slots = TableSlots::Make(spec_, place);
  PS_RETURN_IF_ERROR(slots.status());
  slots_ = std::move(slots).value();
  work_ = std::make_unique<TableWork>(&spec_, slots_.get(), executors_, pull_codec_.get());
  if (restored == nullptr) {
    gate_ = std::make_unique<Gate>(place.num_workers, spec_.consistency);
  } else {
    gate_ = std::make_unique<Gate>(place.num_workers, spec_.consistency, restored->gate);
    work_->GoOnFrom(restored->version, static_cast<std::int64_t>(restored->num_updates));
  }
  return Status::Ok();
}

ServerTable::~ServerTable() { Close("erased"); }

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
    case OpCode::kOption: return HandleOption(std::move(request));
    case OpCode::kStat: return HandleStat(request);
    case OpCode::kClose:
    case OpCode::kLeave: return TellGate(request);
    default:
      return Status::InvalidArgument("operation " + Text(static_cast<int>(request.op.code)) +
                                     " is not for a table");
  }
}

Status ServerTable::Join(int worker, bool is_new_life, std::uint64_t round, OpReply* reply) {
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

// The rows of an operation, as the shards take them.
Result<RowSet> ServerTable::RowsOf(const Request& request) const {
  const bool is_hash = spec_.kind == TableSpec::kHash;
  if (request.op.whole()) {
    if (is_hash) return Status::InvalidArgument("table '" + spec_.name + "' is a hash table: name the keys");
    return slots_->all();
  }
  const RowSet rows = RowSet::List(request.keys.data(), request.keys.size());
  if (is_hash) return rows;
  for (std::size_t i = 0; i < rows.count; ++i) {
    if (rows[i] - where_.range.begin() >= where_.range.size())
      return Status::InvalidArgument("table '" + spec_.name + "': row " + Text(rows[i]) +
                                     " is not on this server, which has rows " + Text(where_.range.begin()) +
                                     " to " + Text(where_.range.end()) + " (exclusive)");
  }
  return rows;
}

// Values as the table has them.
Status ServerTable::Decode(Request* request, std::size_t num_rows) const {
  const std::size_t bytes = num_rows * row_bytes_;
  if (push_codec_ == nullptr || request->op.code == OpCode::kSet) {
    if (request->vals.size() == bytes) return Status::Ok();
    return Status::InvalidArgument("table '" + spec_.name + "': " + Text(request->vals.size()) +
                                   " bytes for " + Text(num_rows) + " rows of " + Text(row_bytes_));
  }
  SArray<char> decoded = SArray<char>::Uninitialized(bytes);
  PS_RETURN_IF_ERROR(push_codec_->Decode(request->vals.data(), request->vals.size(),
                                         num_rows * static_cast<std::size_t>(spec_.width), decoded.data()));
  request->vals = std::move(decoded);
  request->is_borrowed = false;
  return Status::Ok();
}

Status ServerTable::HandleAdd(Request&& request) {
  PS_RETURN_IF_ERROR(lost_);
  const Result<RowSet> rows = RowsOf(request);
  PS_RETURN_IF_ERROR(rows.status());
  PS_RETURN_IF_ERROR(Decode(&request, rows.value().count));
  auto contribution = std::make_shared<Contribution>(request.reply, request.index, request.keys,
                                                     std::move(request.vals), request.is_borrowed);
  contribution->worker = request.worker;
  contribution->round = request.op.round;
  actions_.clear();
  current_token_ = next_token_++;
  PS_RETURN_IF_ERROR(gate_->Part(request.worker, request.op.round, current_token_, &actions_));
  // From here on the contribution answers.
  current_ = contribution;
  if (request.op.reads()) request.reply->Expect(1);
  contribution->ShareOut(*slots_, rows.value(), row_bytes_);
  if ((request.op.flags & Op::kAuto) != 0) {
    const Status closed = gate_->Close(request.worker, request.op.round, 1, &actions_);
    if (!closed.ok()) request.reply->Fail(request.index, closed);
  }
  CarryOut(actions_);
  Stage();
  if (!request.op.reads()) return Status::Ok();
  Request read = std::move(request);
  const std::shared_ptr<Reply> reply = read.reply;
  const std::size_t index = read.index;
  const Status asked = HandleRead(std::move(read));
  if (asked.ok()) return asked;
  reply->Fail(index, asked);
  reply->Finish();
  return Status::Ok();
}

Status ServerTable::HandleRead(Request&& request) {
  PS_RETURN_IF_ERROR(lost_);
  if (request.op.code != OpCode::kSave) PS_RETURN_IF_ERROR(RowsOf(request).status());
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
  const Result<RowSet> rows = RowsOf(request);
  PS_RETURN_IF_ERROR(rows.status());
  PS_RETURN_IF_ERROR(Decode(&request, rows.value().count));
  auto contribution = std::make_shared<Contribution>(request.reply, request.index, request.keys,
                                                     std::move(request.vals), request.is_borrowed);
  contribution->ShareOut(*slots_, rows.value(), row_bytes_);
  work_->Set(contribution);
  AnswerFirstReads();
  return Status::Ok();
}

Status ServerTable::HandleErase(Request&& request) {
  const Result<RowSet> rows = RowsOf(request);
  PS_RETURN_IF_ERROR(rows.status());
  work_->Erase(request.reply, request.keys, rows.value());
  return Status::Ok();
}

Status ServerTable::HandleOption(Request&& request) {
  Result<UpdaterChoice> choice = ParseUpdater(spec_.updater + " " + request.op.text);
  PS_RETURN_IF_ERROR(choice.status());
  const UpdaterOptions options = std::move(choice.value().options);
  // On a trial: the updater of a lane is not to be touched here.
  PS_RETURN_IF_ERROR(
      MakeUpdater(spec_.updater, options, {MasterOf(spec_.dtype), where_.num_workers}).status());
  const bool is_later =
      spec_.consistency.mode == Consistency::kBsp && request.op.round > gate_->state().version + 1;
  if (is_later) {
    late_options_.push_back({request.op.round, options});
  } else {
    work_->Configure(options);
  }
  request.reply->Finish();
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
  if (is_merged()) {
    round_.push_back(std::move(contribution));
  } else {
    work_->Update(contribution);
    AnswerFirstReads();
  }
}

void ServerTable::OnDrop(const Gate::Action& action) { work_->Drop(TakeContribution(action)); }

void ServerTable::OnAnswer(const Gate::Action& action) {
  const auto found = reads_.find(action.token);
  if (found == reads_.end()) return;  // it has failed with the loss of a worker
  Request read = std::move(found->second);
  reads_.erase(found);
  Answer(std::move(read));
}

void ServerTable::OnCancel(const Gate::Action& action) {
  const auto found = reads_.find(action.token);
  if (found == reads_.end()) return;
  const Status why = Status::Cancelled("the reader has gone");
  if (found->second.job != nullptr) found->second.job->Abandon(why);
  found->second.reply->Fail(found->second.index, why);
  found->second.reply->Finish();
  reads_.erase(found);
}

void ServerTable::OnClose(std::uint64_t round) {
  if (!round_.empty()) ApplyRound();
  const auto is_due = [round](const LateOptions& late) { return late.from_round <= round + 1; };
  for (const LateOptions& late : late_options_) {
    if (is_due(late)) work_->Configure(late.options);
  }
  late_options_.erase(std::remove_if(late_options_.begin(), late_options_.end(), is_due),
                      late_options_.end());
}

// One contribution is its own sum, and needs no memory of its own.
void ServerTable::ApplyRound() {
  if (round_.size() == 1 && !round_[0]->is_folded) {
    work_->Update(round_[0]);
  } else {
    for (const auto& contribution : round_) {
      if (!contribution->is_folded) work_->Fold(contribution);
    }
    work_->UpdateBySum(NumWorkers(round_));
  }
  round_.clear();
  AnswerFirstReads();
}

// What came and has to wait.
void ServerTable::Stage() {
  const std::shared_ptr<Contribution> waiting = std::move(current_);
  current_ = nullptr;
  const std::uint64_t token = std::exchange(current_token_, 0);
  if (waiting != nullptr) staging_.Put(token, waiting);
  if (is_merged()) FoldEarly();
  if (waiting != nullptr && !waiting->is_folded) work_->Keep(waiting);
}

// The sum of a round is made in order of the workers: what is next in that order is added as soon as it is
// there, so that only what came too early is kept.
void ServerTable::FoldEarly() {
  for (const auto& next : staging_.TakeNextInSum(gate_->state().version + 1, gate_->FirstMissing())) {
    work_->Fold(next);
    next->is_folded = true;
  }
}

// It is cut where a read would be answered.
void ServerTable::Save(const Request& request) {
  TableRecord record;
  record.spec = spec_;
  record.num_states = (*slots_)[0].updater->NumStates();
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
  now.rows = RowsOf(read).value();
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
