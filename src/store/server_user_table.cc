#include "store/server_user_table.h"

#include <dmlc/memory_io.h>

#include <utility>

#include "base/guarded.h"
#include "store/piece_stream.h"
#include "store/spec_bytes.h"
#include "store/user_blocks.h"

namespace ps {
namespace {

// Runs the program's code; what escapes from it is said to be its.
template <typename Code>
Status RunCode(const std::string& table, Code code) {
  const Status done = Guarded([&code] {
    code();
    return Status::Ok();
  });
  return done.ok() ? done : Status(done.code(), "table '" + table + "': its code threw: " + done.message());
}

// Blocks that the program may keep.
Result<UserBlocks> BlocksOf(const ServedTable::Request& request) {
  SArray<char> bytes = request.vals;
  if (request.is_borrowed) bytes = PackBlocks({request.vals}).bytes;
  return UnpackBlocks(request.keys, bytes);
}

Status Answer(const ServedTable::Request& request, const std::string& table, const UserBlocks& blocks) {
  PS_RETURN_IF_ERROR(request.reply->Claim(PackedBytesOf(blocks) + blocks.size() * sizeof(Key),
                                          "a Get of table '" + table + "'"));
  PackedBlocks packed = PackBlocks(blocks);
  Reply::Part& part = request.reply->part(request.index);
  part.keys = std::move(packed.sizes);
  part.vals = std::move(packed.bytes);
  return Status::Ok();
}

Status Call(UserShard* shard, const std::string& table, const ServedTable::Request& request) {
  const Result<UserBlocks> blocks = BlocksOf(request);
  PS_RETURN_IF_ERROR(blocks.status());
  if (request.op.code == OpCode::kAdd)
    return RunCode(table, [&] { shard->Add(request.worker, blocks.value()); });
  UserBlocks answer;
  PS_RETURN_IF_ERROR(RunCode(table, [&] { shard->Get(request.worker, blocks.value(), &answer); }));
  return Answer(request, table, answer);
}

// Where there are no threads, the lane apart has one.
int LaneOf(const std::string& table, Executors* executors) {
  const int lane = static_cast<int>(TableId(table) % static_cast<std::uint64_t>(executors->num_lanes()));
  return executors->IsInline(lane) ? executors->LaneApart() : lane;
}

}  // namespace

ServerUserTable::ServerUserTable(const Plan& plan, std::shared_ptr<UserShard> shard)
    : plan_(plan), lane_(LaneOf(plan.spec.name, plan.executors)), shard_(std::move(shard)) {}

Result<std::shared_ptr<ServerUserTable>> ServerUserTable::Make(const Plan& plan) {
  std::shared_ptr<UserShard> shard;
  PS_RETURN_IF_ERROR(RunCode(plan.spec.name, [&] { shard = plan.make(plan.place); }));
  if (shard == nullptr)
    return Status::InvalidArgument("table '" + plan.spec.name + "': no shard was made for it");
  return std::shared_ptr<ServerUserTable>(new ServerUserTable(plan, std::move(shard)));
}

void ServerUserTable::Post(std::function<void()> code) { plan_.executors->Post(lane_, std::move(code)); }

// What is posted has its own hold on the shard, and ends with it.
void ServerUserTable::Close(const std::string&) {
  if (shard_ != nullptr) Post([shard = std::move(shard_)] {});
}

Status ServerUserTable::Handle(Request&& request) {
  switch (request.op.code) {
    case OpCode::kAdd:
    case OpCode::kGet:
      Post([shard = shard_, name = plan_.spec.name, call = std::make_shared<Request>(std::move(request))] {
        const Status done = Guarded([&] { return Call(shard.get(), name, *call); });
        if (!done.ok()) call->reply->Fail(call->index, done);
        call->reply->Finish();
      });
      return Status::Ok();
    case OpCode::kSave: Save(request); return Status::Ok();
    default:
      return Status::InvalidArgument("operation " + std::to_string(static_cast<int>(request.op.code)) +
                                     " is not for table '" + plan_.spec.name + "', which is of kind " +
                                     "user: it has Add and Get");
  }
}

// It is cut where its lane comes to it, after the calls before.
void ServerUserTable::Save(const Request& request) {
  TableRecord record;
  record.spec = plan_.spec;
  const auto server = static_cast<std::uint64_t>(plan_.place.server);
  record.range = Range(server, server + 1);
  const std::size_t table = request.job->Cut(record, 1);
  Post([shard = shard_, name = plan_.spec.name, job = request.job, table] {
    job->AddPieces(table, [&](const SaveJob::Take& take) {
      PieceStream stream(take);
      const Status saved = RunCode(name, [&] { shard->Save(&stream); });
      // Where a piece was not taken, that is why the program's code has failed.
      const Status taken = stream.Finish();
      return taken.ok() ? saved : taken;
    });
  });
  request.reply->Finish();
}

Status ServerUserTable::Load(std::string* bytes) {
  return RunCode(plan_.spec.name, [&] {
    dmlc::MemoryStringStream stream(bytes);
    shard_->Load(&stream);
  });
}

}  // namespace ps
