#include "store/table_work.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <numeric>
#include <utility>

#include "base/guarded.h"
#include "store/shown_memory.h"

namespace ps {

// One read while its slots fill it in.
struct TableWork::ReadTask {
  TableWork* work = nullptr;
  TableRead read;
  std::vector<Portion> portions;
  std::vector<Shard::Changed> changed;  // by slot, of a delta read
  std::vector<SArray<char>> found;      // by slot, where a slot can not write in place
  SArray<char> values;
  std::atomic<int> open{0};
};

TableWork::TableWork(const TableSpec* spec, TableSlots* slots, TableLanes* lanes, const Codec* pull_codec)
    : spec_(*spec),
      slots_(*slots),
      lanes_(*lanes),
      pull_codec_(pull_codec),
      row_bytes_(static_cast<std::size_t>(spec->width) * SizeOf(spec->dtype)) {
  state_.epoch = slots->epoch();
}

template <typename Code>
void TableWork::ForEachShare(const Shared& contribution, Code code) {
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    if (!contribution->HasShare(i)) continue;
    lanes_.Post(slots_[i], [contribution, code, i, slot = &slots_[i]] {
      const Status done =
          slot->broken.ok() ? Guarded([&] { return code(contribution.get(), slot, i); }) : slot->broken;
      if (!done.ok()) contribution->Fail(done);
      contribution->Acknowledge(i);
    });
  }
}

template <typename Code>
void TableWork::OnEverySlot(Code code) {
  for (std::size_t i = 0; i < slots_.size(); ++i)
    lanes_.Post(slots_[i], [code, slot = &slots_[i]] { code(slot); });
}

UpdateContext TableWork::NextUpdate(int worker) {
  ++state_.version;
  UpdateContext context;
  context.count = ++state_.num_updates;
  context.worker = worker;
  return context;
}

double TableWork::Scale(int num_workers) const {
  return spec_.mean && num_workers > 0 ? 1.0 / num_workers : 1.0;
}

void TableWork::Update(const Shared& contribution) {
  const bool is_first = spec_.init.kind == Init::kFirstWrite && !state_.is_written;
  state_.is_written = true;
  const UpdateContext context = NextUpdate(contribution->worker);
  ForEachShare(contribution, [is_first, context, version = state_.version](
                                 Contribution* from, TableSlots::Slot* slot, std::size_t i) {
    slot->shard->GoOnAfter(version - 1);
    if (is_first) return slot->shard->Set(from->rows(i), from->values(i));
    return slot->shard->Update(from->rows(i), from->values(i), context);
  });
}

void TableWork::Fold(const Shared& contribution) {
  ForEachShare(contribution, [](Contribution* from, TableSlots::Slot* slot, std::size_t i) {
    return slot->sum->Fold(from->rows(i), from->values(i));
  });
}

void TableWork::UpdateBySum(int num_workers) {
  const bool is_first = spec_.init.kind == Init::kFirstWrite && !state_.is_written;
  state_.is_written = true;
  const UpdateContext context = NextUpdate(0);
  const double scale = Scale(num_workers);
  OnEverySlot([is_first, context, scale, version = state_.version](TableSlots::Slot* slot) {
    slot->shard->GoOnAfter(version - 1);
    const Status done =
        Guarded([&] { return slot->sum->Apply(slot->shard.get(), scale, is_first, context); });
    if (!done.ok()) slot->error = done;
  });
}

void TableWork::Keep(const Shared& contribution) {
  ForEachShare(contribution, [](Contribution* from, TableSlots::Slot*, std::size_t i) {
    from->Keep(i);
    return Status::Ok();
  });
}

void TableWork::Drop(const Shared& contribution) {
  ForEachShare(contribution, [](Contribution*, TableSlots::Slot*, std::size_t) { return Status::Ok(); });
}

void TableWork::Set(const Shared& contribution) {
  state_.is_written = true;
  ++state_.version;
  ForEachShare(contribution,
               [version = state_.version](Contribution* from, TableSlots::Slot* slot, std::size_t i) {
                 slot->shard->GoOnAfter(version - 1);
                 return slot->shard->Set(from->rows(i), from->values(i));
               });
}

void TableWork::Erase(std::shared_ptr<Reply> reply, std::size_t op, SArray<Key> keys, const RowSet& rows) {
  ++state_.version;
  std::vector<Portion> portions = slots_.Split(rows);
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    if (portions[i].rows.count == 0) continue;
    reply->Expect(1);
    lanes_.Post(slots_[i], [reply, op, keys, portion = std::move(portions[i]), slot = &slots_[i],
                            version = state_.version] {
      const Status done = Guarded([&, &portion = portion] {
        slot->shard->GoOnAfter(version - 1);
        RowSet rows_here = portion.rows;
        if (!portion.keys.empty()) rows_here.keys = portion.keys.data();
        slot->shard->Erase(rows_here);
        return Status::Ok();
      });
      if (!done.ok()) reply->Fail(op, done);
      reply->Finish();
    });
  }
  reply->Finish();
}

void TableWork::Save(std::shared_ptr<SaveJob> job, const TableRecord& record) {
  const std::size_t table = job->Cut(record, slots_.size());
  for (std::size_t i = 0; i < slots_.size(); ++i)
    lanes_.PostApart(slots_[i], [job, table, name = spec_.name, slot = &slots_[i]] {
      if (slot->broken.ok()) return job->AddShard(table, *slot->shard);
      job->AddPieces(table, [&](const SaveJob::Take&) {
        return Status(slot->broken.code(),
                      "table '" + name + "' has no first values to save: " + slot->broken.message());
      });
    });
}

// What was written before is not known to be all zeros.
void TableWork::GoOnFrom(std::uint64_t version, std::int64_t num_updates) {
  state_.version = std::max(state_.version, version);
  state_.num_updates = num_updates;
  state_.is_written = true;
}

// --- reads ---

void TableWork::Read(TableRead&& read) {
  auto task = std::make_shared<ReadTask>();
  task->work = this;
  task->portions = slots_.Split(read.rows);
  task->read = std::move(read);
  task->changed.resize(slots_.size());
  task->found.resize(slots_.size());
  const Status room = Guarded([&] {
    // What a codec makes of it, and what has changed, is not known yet.
    const std::size_t bytes = task->read.rows.count * row_bytes_;
    if (pull_codec_ == nullptr && !task->read.is_delta)
      PS_RETURN_IF_ERROR(task->read.reply->Claim(bytes, "a read of table '" + spec_.name + "'"));
    task->values = ShownMemory(bytes);
    return Status::Ok();
  });
  if (!room.ok()) {
    task->read.reply->Fail(task->read.op, room);
    return task->read.reply->Finish();
  }
  OpReply& reply = task->read.reply->part(task->read.op).reply;
  reply.version = state_.version;
  reply.epoch = state_.epoch;
  int open = 0;
  for (const Portion& portion : task->portions) open += portion.rows.count != 0 ? 1 : 0;
  task->open.store(open);
  if (open == 0) return FinishRead(task.get());
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    if (task->portions[i].rows.count == 0) continue;
    lanes_.Post(slots_[i], [task, i] {
      const Status done = Guarded([&] {
        ReadSlot(task.get(), i);
        return Status::Ok();
      });
      if (!done.ok()) task->read.reply->Fail(task->read.op, done);
      if (task->open.fetch_sub(1) == 1) FinishRead(task.get());
    });
  }
}

void TableWork::ReadSlot(ReadTask* task, std::size_t slot) {
  TableSlots::Slot& here = task->work->slots_[slot];
  const Shard& shard = *here.shard;
  ThrowIfError(here.broken);
  ThrowIfError(std::exchange(here.error, Status::Ok()));
  const Portion& portion = task->portions[slot];
  const std::size_t row_bytes = task->work->row_bytes_;
  char* to = task->values.data() + portion.first * row_bytes;
  if (!portion.is_run() || (task->read.is_delta && task->portions.size() > 1)) {
    task->found[slot] = SArray<char>::Uninitialized(portion.rows.count * row_bytes);
    to = task->found[slot].data();
  }
  if (task->read.is_delta) return shard.ReadSince(portion.rows, task->read.since, to, &task->changed[slot]);
  shard.Read(portion.rows, to);
  for (std::size_t i = 0; i < portion.places.size(); ++i)
    std::memcpy(task->values.data() + portion.places[i] * row_bytes, to + i * row_bytes, row_bytes);
}

// Of a delta read: what the slots found, one after the other, with the places in the operation.
void TableWork::GatherChanged(ReadTask* task) {
  const std::size_t row_bytes = task->work->row_bytes_;
  std::size_t count = 0;
  for (const Shard::Changed& changed : task->changed) count += changed.places.size();
  SArray<Key> places = SArray<Key>::Uninitialized(count);
  std::size_t at = 0;
  for (std::size_t slot = 0; slot < task->changed.size(); ++slot) {
    const Portion& portion = task->portions[slot];
    const std::vector<std::uint32_t>& found = task->changed[slot].places;
    if (!task->found[slot].empty())
      std::memcpy(task->values.data() + at * row_bytes, task->found[slot].data(), found.size() * row_bytes);
    for (const std::uint32_t place : found)
      places[at++] = portion.is_run() ? portion.first + place : portion.places[place];
  }
  task->values = count == 0 ? SArray<char>() : task->values.segment(0, count * row_bytes);
  task->read.reply->part(task->read.op).keys = std::move(places);
}

void TableWork::ListAll(ReadTask* task) {
  SArray<Key> places = SArray<Key>::Uninitialized(task->read.rows.count);
  std::iota(places.begin(), places.end(), Key{0});
  task->read.reply->part(task->read.op).keys = std::move(places);
}

void TableWork::FinishRead(ReadTask* task) {
  Reply& reply = *task->read.reply;
  const std::size_t op = task->read.op;
  const Status done = Guarded([&] {
    if (task->read.is_delta) GatherChanged(task);
    if (task->read.lists_all) ListAll(task);
    return task->work->Encode(&task->values);
  });
  if (!done.ok()) reply.Fail(op, done);
  reply.part(op).vals = std::move(task->values);
  reply.Finish();
}

Status TableWork::Encode(SArray<char>* values) const {
  if (pull_codec_ == nullptr || values->empty()) return Status::Ok();
  const std::size_t count = values->size() / SizeOf(spec_.dtype);
  SArray<char> encoded = ShownMemory(pull_codec_->MaxBytes(count));
  const Result<std::size_t> size = pull_codec_->Encode(values->data(), count, nullptr, encoded.data());
  PS_RETURN_IF_ERROR(size.status());
  *values = encoded.segment(0, size.value());
  return Status::Ok();
}

}  // namespace ps
