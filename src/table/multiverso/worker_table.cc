#include "ps/multiverso/worker_table.h"

#include <utility>

#include "ps/multiverso/create_user_table.h"
#include "ps/user_table.h"
#include "store/one_at_a_time.h"
#include "table/multiverso/request_ids.h"

namespace multiverso {

// What answers find, also after the table is gone.
class WorkerTable::Impl {
 public:
  explicit Impl(WorkerTable* owner) : owner_(owner) {}

  void Bind(std::unique_ptr<ps::UserTable> table) { table_ = std::move(table); }
  // Throws Error: it has no servers yet.
  ps::UserTable& table() const {
    if (table_ != nullptr) return *table_;
    throw ps::Error(
        ps::Status::FailedPrecondition("a WorkerTable has no servers before MV_CreateTable has returned it"));
  }
  // Code of the subclass: one thread at a time.
  template <typename Code>
  void RunUserCode(Code code) {
    turn_.Run([&] {
      if (owner_ != nullptr) code(owner_);
    });
  }
  // Throws Error in code of the subclass, which runs in its turn.
  void CheckIsNotInUserCode() {
    if (turn_.IsMine())
      throw ps::Error(ps::Status::FailedPrecondition(
          "waiting inside Partition or ProcessReplyGet of the same table could never end"));
  }
  // Throws Error where a wait would be refused: before anything is sent.
  void CheckMayWait() {
    CheckIsNotInUserCode();
    ps::ThrowIfError(table().CheckMayWait());
  }
  void Forget() {
    turn_.Run([this] { owner_ = nullptr; });
  }
  RequestIds& ids() { return ids_; }

 private:
  std::unique_ptr<ps::UserTable> table_;  // null: not yet
  ps::OneAtATime turn_;
  WorkerTable* owner_;  // in a turn; null: it is gone
  RequestIds ids_;
};

WorkerTable::WorkerTable() : impl_(std::make_shared<Impl>(this)) {}
WorkerTable::~WorkerTable() { impl_->Forget(); }
int WorkerTable::num_servers() const { return impl_->table().num_servers(); }
int WorkerTable::worker_id() const { return impl_->table().worker(); }

void WorkerTable::Get(Blob keys, const GetOption* option) {
  impl_->CheckMayWait();
  Wait(GetAsync(std::move(keys), option));
}

void WorkerTable::Add(Blob keys, Blob values, const AddOption* option) {
  impl_->CheckMayWait();
  Wait(AddAsync(std::move(keys), std::move(values), option));
}

int WorkerTable::GetAsync(Blob keys, const GetOption* option) {
  std::vector<Blob> kv = {std::move(keys)};
  if (option != nullptr) kv.emplace_back(option->data(), option->size());
  return Send(Request_Get, kv);
}

int WorkerTable::AddAsync(Blob keys, Blob values, const AddOption* option) {
  std::vector<Blob> kv = {std::move(keys), std::move(values)};
  if (option != nullptr) kv.emplace_back(option->data(), option->size());
  return Send(Request_Add, kv);
}

int WorkerTable::Send(MsgType type, const std::vector<Blob>& kv) {
  ps::UserTable& table = impl_->table();
  std::unordered_map<int, std::vector<Blob>> out;
  impl_->RunUserCode([&](WorkerTable* self) { self->Partition(kv, type, &out); });
  std::vector<ps::UserTable::Part> parts;
  parts.reserve(out.size());
  for (const auto& [server, blobs] : out) {
    ps::UserTable::Part part{server, {}};
    for (const Blob& blob : blobs) part.blocks.push_back(blob.bytes());
    parts.push_back(std::move(part));
  }
  if (type == Request_Add) return impl_->ids().Add(table.AddAsync(parts));
  const auto take = [impl = impl_](int, ps::UserBlocks& answer) {
    std::vector<Blob> reply;
    reply.reserve(answer.size());
    for (ps::SArray<char>& block : answer) reply.emplace_back(std::move(block));
    impl->RunUserCode([&reply](WorkerTable* self) { self->ProcessReplyGet(reply); });
  };
  return impl_->ids().Add(table.GetAsync(parts, take));
}

void WorkerTable::Wait(int id) {
  impl_->CheckIsNotInUserCode();
  impl_->ids().Wait(id);
}

void BindWorkerTable(const UserTableContext& context, const std::string& code, WorkerTable* table) {
  table->impl_->Bind(std::make_unique<ps::UserTable>(*context.store, TableName(context.table_id), code));
}

}  // namespace multiverso
