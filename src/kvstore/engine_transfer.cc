// Pushes and pulls of EngineStore.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/log.h"
#include "device/devices.h"
#include "kvstore/engine_store.h"
#include "kvstore/row_ids.h"
#include "store/codec/finite.h"
#include "store/followed_ticket.h"

namespace ps {
namespace {

std::string TextOf(const Shape& shape) {
  std::string text = "(";
  for (const std::int64_t length : shape) text += (text.size() > 1 ? "," : "") + std::to_string(length);
  return text + ")";
}

// A tensor that is read while an operation writes it waits for the ticket.
class WriteOfTicket final : public PendingWrite {
 public:
  explicit WriteOfTicket(Ticket ticket) : ticket_(std::move(ticket)) {}
  Status Wait(const std::chrono::milliseconds* timeout) override {
    if (timeout != nullptr) return ticket_.WaitFor(*timeout);
    try {
      ticket_.Wait();
      return Status::Ok();
    } catch (const Error& error) {
      return error.status();
    }
  }

 private:
  const Ticket ticket_;
};

void Announce(const Ticket& ticket, const std::vector<Tensor>& outs) {
  const auto write = std::make_shared<WriteOfTicket>(ticket);
  for (Tensor out : outs) out.SetWrite(write);
}

bool IsOnProcessor(const Tensor& tensor) { return tensor.view().device.kind == DeviceId::kCpu; }

// Dense, in the processor's memory, where the store takes it; done when it returns.
Tensor OnProcessor(const Tensor& tensor) {
  static_cast<void>(tensor.Data());  // what writes it has ended
  if (IsOnProcessor(tensor)) return tensor;
  Tensor copy = Tensor::Empty(tensor.view().shape, tensor.view().dtype);
  tensor.CopyTo(copy.view().data);
  return copy;
}

// All rows of a row-sparse tensor, the others as zeros.
Tensor Densified(const Tensor& sparse) {
  Tensor dense = Tensor::Empty(sparse.view().shape, sparse.view().dtype);
  sparse.CopyTo(dense.view().data);
  return dense;
}

std::vector<std::uint64_t> RowsOf(const Tensor& sparse) {
  std::vector<std::uint64_t> rows(static_cast<std::size_t>(sparse.ids().view().size()));
  sparse.ids().CopyTo(rows.data());  // from 0 on, as Tensor::RowSparse checks
  return rows;
}

template <typename T>
std::vector<T> Chosen(const std::vector<T>& all, const std::vector<std::size_t>& places) {
  std::vector<T> chosen;
  chosen.reserve(places.size());
  for (const std::size_t place : places) chosen.push_back(all[place]);
  return chosen;
}

Status Wrong(const KVKey& key, const std::string& what) {
  return Status::InvalidArgument("key " + key.ToString() + ": " + what);
}

// Small messages of a call travel together, where there are several.
class Gathering {
 public:
  Gathering(Store* store, std::size_t num_keys) {
    if (num_keys > 1) batch_.emplace(*store);
  }

 private:
  std::optional<StoreBatch> batch_;
};

}  // namespace

// --- what is handed in ---

void EngineStore::CheckShape(const Entry& entry, const Tensor& tensor, Way way) const {
  const char* const what = way == Way::kIn ? "value" : "tensor to pull into";
  if (tensor.is_none()) ThrowIfError(Wrong(entry.key, std::string("there is no ") + what));
  if (tensor.view().shape == entry.layout().shape) return;
  const std::string its = TextOf(tensor.view().shape);
  const std::string own = TextOf(entry.layout().shape);
  ThrowIfError(Wrong(entry.key, "operands shape mismatch from.shape = " + (way == Way::kIn ? its : own) +
                                    " to.shape=" + (way == Way::kIn ? own : its)));
}

void EngineStore::CheckValues(const Entry& entry, const std::vector<Tensor>& values) const {
  for (const Tensor& value : values) {
    CheckShape(entry, value, Way::kIn);
    if (value.is_row_sparse() != values.front().is_row_sparse())
      ThrowIfError(Wrong(entry.key, "some of its values are row-sparse, and others dense"));
    if (value.is_row_sparse() && !entry.layout().is_row_sparse)
      ThrowIfError(Wrong(entry.key, "a row-sparse value for a dense key"));
    if (value.view().dtype != entry.layout().dtype)
      ThrowIfError(Wrong(entry.key, std::string("a value of ") + NameOf(value.view().dtype) +
                                        " for a key of " + NameOf(entry.layout().dtype)));
  }
}

// What else would be found only when other keys of the call, or other slices of this one, are on their way.
void EngineStore::CheckContent(const Entry& entry, const std::vector<Tensor>& values) const {
  const std::string& codec = plan_.compression.push.name;
  const bool takes_finite = codec == "2bit" || codec == "1bit" || codec == "topk";
  for (const Tensor& value : values) {
    static_cast<void>(value.Data());
    if (!takes_finite || !IsOnProcessor(value)) continue;
    const Status finite =
        CheckFinite(value.view().dtype, value.view().data, static_cast<std::size_t>(value.view().size()));
    if (!finite.ok()) ThrowIfError(Wrong(entry.key, "can not be compressed: " + finite.message()));
  }
}

// All keys there are, the first time that several devices have values: the reducer spreads them.
void EngineStore::PlaceKeys(const std::vector<Tensor>& values) {
  std::vector<DeviceId> devices;
  for (const Tensor& value : values) devices.push_back(value.view().device);
  ThrowIfError(EnablePeers(devices));
  for (auto& [key, entry] : entries_) {
    if (entry.is_placed) continue;
    std::size_t bytes = SizeOf(entry.layout().dtype);
    for (const std::int64_t length : entry.layout().shape) bytes *= static_cast<std::size_t>(length);
    reducer_->Place(entry.id, bytes, devices);
    entry.is_placed = true;
  }
}

EngineStore::Parcel EngineStore::Pack(const Entry& entry, const std::vector<Tensor>& values,
                                      const KVPushOptions& options) {
  const bool is_alone = values.size() == 1 && !compresses_here();
  if (type_.on_device && values.size() > 1 && !entry.is_placed) PlaceKeys(values);
  Parcel parcel = PackOne(is_alone ? values.front() : reducer_->Sum(entry.id, values),
                          optimizer_ && optimizer_->is_exact);
  parcel.options.priority = options.priority;
  // What nobody else writes need not be copied again.
  parcel.options.borrow |= !is_alone || options.borrow;
  if (parcel.options.borrow) parcel.options.keep = std::make_shared<Tensor>(parcel.array);
  return parcel;
}

// One value as it is; `is_whole`: rows that it has not are zeros, instead of being left alone.
EngineStore::Parcel EngineStore::PackOne(const Tensor& value, bool is_whole) {
  Parcel parcel;
  if (value.is_row_sparse() && !is_whole) {
    parcel.is_sparse = true;
    parcel.ids = RowsOf(value);
    parcel.array = OnProcessor(value.values());
  } else {
    parcel.array = value.is_row_sparse() ? Densified(value) : OnProcessor(value);
  }
  parcel.options.borrow = parcel.array.view().data != value.view().data;  // a copy already
  return parcel;
}

// --- push ---

Ticket EngineStore::Push(const KVKeys& keys, const std::vector<Tensor>& values,
                         const KVPushOptions& options) {
  const std::vector<KeyGroup> groups = GroupOf(keys, values.size(), "values");
  for (const KeyGroup& group : groups) CheckValues(Find(group.key), Chosen(values, group.places));
  for (const KeyGroup& group : groups) CheckContent(Find(group.key), Chosen(values, group.places));
  const Gathering gathering(store_, groups.size());
  std::vector<Ticket> tickets;
  for (const KeyGroup& group : groups)
    tickets.push_back(PushOne(&Find(group.key), Chosen(values, group.places), options));
  return AllOf(tickets);
}

Ticket EngineStore::PushOne(Entry* entry, const std::vector<Tensor>& values, const KVPushOptions& options) {
  if (updater_) return RunUpdater(entry, values);
  const Parcel parcel = Pack(*entry, values, options);
  return entry->table->Push(parcel.rows(), parcel.values(), parcel.options);
}

// The program's own rule, on the calling thread: reads, lets it change what was read, writes.
Ticket EngineStore::RunUpdater(Entry* entry, const std::vector<Tensor>& values) {
  const bool is_alone = values.size() == 1 && !compresses_here();
  const Tensor received = is_alone ? values.front() : reducer_->Sum(entry->id, values);
  Tensor stored = Tensor::Empty(entry->layout().shape, entry->layout().dtype);
  entry->table->Pull(Rows::All(), stored.view().data, {}).Wait();
  updater_(entry->key, received, &stored);
  CheckValues(*entry, {stored});
  const Tensor written = OnProcessor(stored.is_row_sparse() ? Densified(stored) : stored);
  return entry->table->Set(Rows::All(), written.view().data);
}

// --- pull ---

// Those of `outs` that a pull of the whole can fill.
std::vector<Tensor> EngineStore::DenseOuts(Entry* entry, const std::vector<Tensor>& outs,
                                           bool ignore_sparse) const {
  std::vector<Tensor> dense;
  for (const Tensor& out : outs) {
    CheckShape(*entry, out, Way::kOut);
    if (!out.is_row_sparse()) {
      dense.push_back(out);
      continue;
    }
    if (!ignore_sparse)
      ThrowIfError(Wrong(entry->key, is_local()
                                         ? "a row-sparse tensor has no place for the whole: use RowSparsePull"
                                         : "dist kvstore pull doesn't support ignore_sparse=False"));
    if (!std::exchange(entry->has_warned, true))
      PS_LOG(kInfo, "",
             "key " << entry->key.ToString()
                    << ": non-default weights detected during kvstore pull. This call has been ignored. "
                       "Please make sure to use RowSparsePull with row ids.");
  }
  return dense;
}

Ticket EngineStore::Pull(const KVKeys& keys, const std::vector<Tensor>& outs, int priority,
                         bool ignore_sparse) {
  const std::vector<KeyGroup> groups = GroupOf(keys, outs.size(), "tensors to pull into");
  std::vector<std::vector<Tensor>> dense;
  for (const KeyGroup& group : groups)
    dense.push_back(DenseOuts(&Find(group.key), Chosen(outs, group.places), ignore_sparse));
  const Gathering gathering(store_, groups.size());
  std::vector<Ticket> tickets;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (!dense[i].empty()) tickets.push_back(PullOne(&Find(groups[i].key), dense[i], priority));
  }
  return AllOf(tickets);
}

// Whether a tensor can be filled by the store itself.
bool EngineStore::IsDirect(const Entry& entry, const std::vector<Tensor>& outs) {
  return outs.size() == 1 && IsOnProcessor(outs.front()) && outs.front().view().dtype == entry.layout().dtype;
}

// Hands what has come to every device.
Ticket EngineStore::Distribute(const Entry& entry, const Ticket& read, const Tensor& from,
                               const std::vector<Tensor>& outs) {
  // The copies are of the same memory; what writes them now is this.
  const Ticket ticket = Followed(read, [reducer = reducer_, id = entry.id, from, outs] {
    reducer->Broadcast(id, from, outs);
    return Status::Ok();
  });
  Announce(ticket, outs);
  return ticket;
}

Ticket EngineStore::PullOne(Entry* entry, const std::vector<Tensor>& outs, int priority) {
  GetOptions options;
  options.priority = priority;
  const bool is_direct = IsDirect(*entry, outs);
  const Tensor to = is_direct ? outs.front() : Tensor::Empty(entry->layout().shape, entry->layout().dtype);
  options.keep = std::make_shared<Tensor>(to);
  const Ticket ticket = entry->table->Pull(Rows::All(), to.view().data, options);
  if (!is_direct) return Distribute(*entry, ticket, to, outs);
  Announce(ticket, outs);
  return ticket;
}

// --- both ---

void EngineStore::CheckPushPull(const Entry& entry, const std::vector<Tensor>& values,
                                const std::vector<Tensor>& outs) const {
  CheckValues(entry, values);
  for (const Tensor& out : outs) {
    CheckShape(entry, out, Way::kOut);
    if (out.is_row_sparse())
      ThrowIfError(Wrong(entry.key, "Expected pull_stype of value to be kDefaultStorage"));
    if (!is_local() && out.view().dtype != entry.layout().dtype)
      ThrowIfError(Wrong(entry.key, "Output buffer dtype is different"));
  }
  for (const Tensor& value : values) {
    if (value.is_row_sparse())
      ThrowIfError(Wrong(entry.key, "Expected push_stype of value to be kDefaultStorage"));
  }
  if (!is_local() && !plan_.compression.is_none())
    ThrowIfError(Wrong(entry.key, "Compression not supported with PushPull"));
}

Ticket EngineStore::PushPull(const KVKeys& keys, const std::vector<Tensor>& values, const KVKeys& out_keys,
                             const std::vector<Tensor>& outs, const KVPushOptions& options) {
  // What is known of a key is looked up once: there may be many, and small.
  struct Exchange {
    Entry* entry;
    std::vector<Tensor> values;
    std::vector<Tensor> outs;
  };
  const std::vector<KeyGroup> pushed = GroupOf(keys, values.size(), "values");
  const bool is_same = &keys == &out_keys && values.size() == outs.size();
  const std::vector<KeyGroup> others =
      is_same ? std::vector<KeyGroup>() : GroupOf(out_keys, outs.size(), "tensors to pull into");
  const std::vector<KeyGroup>& pulled = is_same ? pushed : others;
  if (pushed.size() != pulled.size())
    ThrowIfError(Status::InvalidArgument("List of push and pull keys are different"));
  std::vector<Exchange> exchanges;
  exchanges.reserve(pushed.size());
  for (std::size_t i = 0; i < pushed.size(); ++i) {
    if (!(pushed[i].key == pulled[i].key))
      ThrowIfError(Status::InvalidArgument("Mismatch in push and pull key: " + pushed[i].key.ToString() +
                                           " and " + pulled[i].key.ToString()));
    exchanges.push_back(
        {&Find(pushed[i].key), Chosen(values, pushed[i].places), Chosen(outs, pulled[i].places)});
    CheckPushPull(*exchanges.back().entry, exchanges.back().values, exchanges.back().outs);
  }
  for (const Exchange& exchange : exchanges) CheckContent(*exchange.entry, exchange.values);
  const Gathering gathering(store_, exchanges.size());
  std::vector<Ticket> tickets;
  for (const Exchange& exchange : exchanges)
    tickets.push_back(PushPullOne(exchange.entry, exchange.values, exchange.outs, options));
  return AllOf(tickets);
}

Ticket EngineStore::PushPullOne(Entry* entry, const std::vector<Tensor>& values,
                                const std::vector<Tensor>& outs, const KVPushOptions& options) {
  if (updater_) {
    const Ticket pushed = PushOne(entry, values, options);
    return AllOf({pushed, PullOne(entry, outs, options.priority)});
  }
  Parcel parcel = Pack(*entry, values, options);
  const bool is_direct = IsDirect(*entry, outs);
  const Tensor to = is_direct ? outs.front() : Tensor::Empty(entry->layout().shape, entry->layout().dtype);
  parcel.options.keep = std::make_shared<std::vector<Tensor>>(std::vector<Tensor>{parcel.array, to});
  const Ticket ticket = entry->table->PushPull(parcel.values(), to.view().data, parcel.options);
  if (!is_direct) return Distribute(*entry, ticket, to, outs);
  Announce(ticket, outs);
  return ticket;
}

// --- rows ---

Ticket EngineStore::RowSparsePull(const KVKeys& keys, const std::vector<Tensor*>& outs,
                                  const std::vector<Tensor>& row_ids, int priority) {
  const std::vector<KeyGroup> groups = GroupOf(keys, outs.size(), "tensors to pull into");
  if (row_ids.size() != outs.size() && row_ids.size() != 1)
    ThrowIfError(Status::InvalidArgument(
        "the number of row_ids doesn't match the number of values: " + std::to_string(row_ids.size()) +
        " and " + std::to_string(outs.size())));
  std::vector<std::vector<std::uint64_t>> rows(outs.size());
  for (const KeyGroup& group : groups) {
    const Entry& entry = Find(group.key);
    if (!is_local() && group.places.size() > 1)
      ThrowIfError(Wrong(group.key, "RowSparsePull with multiple values is not supported yet"));
    for (const std::size_t place : group.places) {
      if (outs[place] == nullptr) ThrowIfError(Wrong(group.key, "there is no tensor to pull into"));
      if (!outs[place]->is_none() && !outs[place]->is_row_sparse())
        ThrowIfError(Wrong(
            group.key,
            "Expected row_sparse storage type for row_sparse_pull values, but detected storage type 0"));
      if (!entry.layout().is_row_sparse)
        ThrowIfError(Wrong(group.key, "PullRowSparse expects row_sparse src NDArray"));
      rows[place] = ReadRowIds(row_ids[row_ids.size() == 1 ? 0 : place], entry.layout().num_rows()).value();
    }
  }
  const Gathering gathering(store_, groups.size());
  std::vector<Ticket> tickets;
  for (const KeyGroup& group : groups) {
    for (const std::size_t place : group.places)
      tickets.push_back(PullRows(Find(group.key), rows[place], outs[place], priority));
  }
  return AllOf(tickets);
}

Ticket EngineStore::PullRows(const Entry& entry, const std::vector<std::uint64_t>& rows, Tensor* out,
                             int priority) {
  Shape shape = entry.layout().shape;
  shape.front() = static_cast<std::int64_t>(rows.size());
  const DeviceId device = out->is_none() ? DeviceId() : out->view().device;
  const bool is_direct = device.kind == DeviceId::kCpu;
  Tensor ids = Tensor::Empty({shape.front()}, DType::kI64, device);
  ids.CopyFrom(rows.data());
  const Tensor to = Tensor::Empty(shape, entry.layout().dtype, is_direct ? device : DeviceId());
  const Tensor values = is_direct ? to : Tensor::Empty(shape, entry.layout().dtype, device);
  GetOptions options;
  options.priority = priority;
  options.keep = std::make_shared<Tensor>(to);
  Ticket ticket = entry.table->Pull(Rows::Of(rows), to.view().data, options);
  if (is_direct) {
    Announce(ticket, {values});
  } else {
    ticket = Distribute(entry, ticket, to, {values});
  }
  *out = Tensor::RowSparse(entry.layout().shape, ids, values);
  return ticket;
}

}  // namespace ps
