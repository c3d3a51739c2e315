#include "model/table_sink.h"

#include <string>
#include <utility>
#include <vector>

namespace ps {
namespace {

// A ticket's outcome, with what has come.
void Tell(const Ticket& ticket, const Tensor& result, ResultSink::Done done) {
  ticket.Then([result, done = std::move(done)](const Status& outcome) {
    outcome.ok() ? done(result) : done(outcome);
  });
}

}  // namespace

TableSink::TableSink() : local_(std::move(Store::Local().front())) {}
TableSink::TableSink(std::shared_ptr<SharedStore> shared) : shared_(std::move(shared)) {}
TableSink::~TableSink() { TableSink::Close(); }

void TableSink::Add(int key, const TableSpec& spec, const Shape& shape, bool reads) {
  Store& store = shared_ != nullptr ? shared_->store() : *local_;
  KeyTable made{store.Create(spec), shape};
  if (reads) static_cast<void>(Get(made));
  // Nobody is to wait for rounds of a worker that has ended.
  if (shared_ != nullptr && spec.consistency.mode != Consistency::kAsp)
    shared_->LeaveAtEnd(spec.name, [table = made.table] { return table->Leave(); });
  MutexLock lock(mutex_);
  tables_[key] = std::move(made);
}

TableSink::KeyTable& TableSink::Find(int key) {
  MutexLock lock(mutex_);
  const auto found = tables_.find(key);
  if (found == tables_.end())
    ThrowIfError(Status::NotFound("key " + std::to_string(key) + " has no table; InitKey comes first"));
  return found->second;
}

Tensor TableSink::NewResult(const KeyTable& at) {
  return scratch_->TakeTensor(at.shape, at.table->spec().dtype, DeviceId::Cpu());
}

Tensor TableSink::Get(const KeyTable& at) {
  Tensor values = NewResult(at);
  at.table->Get(Rows::All(), values.view().data);
  return values;
}

Tensor TableSink::Get(int key) { return Get(Find(key)); }

void TableSink::Set(int key, const void* values) { Find(key).table->SetAsync(Rows::All(), values).Wait(); }

void TableSink::TrackLoan(const Ticket& ticket) {
  {
    MutexLock lock(loans_->mutex);
    ++loans_->count;
  }
  ticket.Then([loans = loans_](const Status&) {
    MutexLock lock(loans->mutex);
    if (--loans->count == 0) loans->none.NotifyAll();
  });
}

void TableSink::CheckRound(const KeyTable& at, const Merged& merged) {
  const std::uint64_t next = at.taken + 1;
  if (merged.round != next)
    ThrowIfError(Status::FailedPrecondition(
        "key " + std::to_string(merged.key) + ", round " + std::to_string(merged.round) + ": round " +
        std::to_string(next) +
        " of this worker has failed and was not sent, so with mode=bsp its later ones " +
        "would be added to others' earlier ones: the key is of no use any more, here and to them"));
}

// Calls for one key come one after the other. A round counts when it was sent: one for which there was no
// memory, say, is missing like one whose merge has failed.
void TableSink::Take(Merged&& merged, Done done) {
  KeyTable& at = Find(merged.key);
  if (shared_ != nullptr && at.table->spec().consistency.mode == Consistency::kBsp) CheckRound(at, merged);
  const Tensor result = NewResult(at);
  AddOptions options;
  options.borrow = true;
  options.priority = merged.priority;
  options.keep = std::make_shared<std::vector<Tensor>>(std::vector<Tensor>{merged.values, result});
  const void* const values = merged.values.view().data;
  const bool waits_for_others = shared_ != nullptr && at.table->spec().consistency.mode != Consistency::kAsp;
  if (!merged.is_lent || !waits_for_others) {
    const Ticket ticket = at.table->AddGetAsync(Rows::All(), values, result.view().data, options);
    at.taken = merged.round;
    if (merged.is_lent) TrackLoan(ticket);
    return Tell(ticket, result, std::move(done));
  }
  // What a device has lent is taken soon, however long the result takes: then Close need not wait for others.
  GetOptions get;
  get.priority = merged.priority;
  get.keep = options.keep;
  const Ticket added = at.table->AddAsync(Rows::All(), values, options);
  at.taken = merged.round;
  TrackLoan(added);
  const Ticket got = at.table->GetAsync(Rows::All(), result.view().data, get);
  Tell(AllOf({added, got}), result, std::move(done));
}

void TableSink::Read(int key, int priority, Done done) {
  const KeyTable& at = Find(key);
  const Tensor result = NewResult(at);
  GetOptions options;
  options.priority = priority;
  options.keep = std::make_shared<Tensor>(result);
  Tell(at.table->GetAsync(Rows::All(), result.view().data, options), result, std::move(done));
}

void TableSink::Close() {
  if (local_ != nullptr) local_->Close();
  MutexLock lock(loans_->mutex);
  while (loans_->count > 0) loans_->none.Wait(loans_->mutex);
}

}  // namespace ps
