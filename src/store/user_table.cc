#include "ps/user_table.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "store/client_table.h"
#include "store/followed_ticket.h"
#include "store/user_blocks.h"

namespace ps {
namespace {

// The answers to one call: copied as they come, one at a time, and handed on when all are there.
class Answers {
 public:
  explicit Answers(const std::vector<ServerLink::Addressed>& requests) {
    for (const ServerLink::Addressed& to : requests) answers_.push_back({to.server, {}});
  }

  Status Put(int server, const StoreAnswer& answer) {
    const auto place = std::find_if(answers_.begin(), answers_.end(),
                                    [server](const UserTable::Part& part) { return part.server == server; });
    if (place == answers_.end()) return Status::Internal("an answer of a server that was not asked");
    SArray<char> bytes = SArray<char>::Uninitialized(answer.vals.size());
    if (!bytes.empty()) std::memcpy(bytes.data(), answer.vals.data(), bytes.size());
    Result<UserBlocks> blocks = UnpackBlocks(answer.keys, bytes);
    PS_RETURN_IF_ERROR(blocks.status());
    place->blocks = std::move(blocks).value();
    return Status::Ok();
  }
  void HandOn(const UserTable::Take& take) {
    for (UserTable::Part& part : answers_) take(part.server, part.blocks);
  }

 private:
  std::vector<UserTable::Part> answers_;  // by server
};

Status Wrong(const std::string& table, const std::string& what) {
  return Status::InvalidArgument("table '" + table + "': " + what);
}

// One operation for each server, in their order.
Result<std::vector<ServerLink::Addressed>> Address(const ClientTable& table, OpCode code,
                                                   const std::vector<UserTable::Part>& parts) {
  const auto num_servers = static_cast<int>(table.spec().rows);
  std::vector<ServerLink::Addressed> requests;
  requests.reserve(parts.size());
  for (const UserTable::Part& part : parts) {
    if (part.server < 0 || part.server >= num_servers)
      return Wrong(table.spec().name, "there is no server " + std::to_string(part.server) +
                                          ": they are 0 to " + std::to_string(num_servers - 1) +
                                          ", whatever the ranks of their processes");
    PackedBlocks packed = PackBlocks(part.blocks);
    Op op;
    op.code = code;
    op.flags = Op::kUser;
    op.table = table.id();
    op.num_keys = packed.sizes.size();
    op.num_bytes = packed.bytes.size();
    ServerLink::Addressed to;
    to.server = part.server;
    to.request.ops = {std::move(op)};
    to.request.keys = std::move(packed.sizes);
    to.request.vals = std::move(packed.bytes);
    requests.push_back(std::move(to));
  }
  const auto is_before = [](const auto& a, const auto& b) { return a.server < b.server; };
  std::sort(requests.begin(), requests.end(), is_before);
  const auto twice = std::adjacent_find(requests.begin(), requests.end(),
                                        [](const auto& a, const auto& b) { return a.server == b.server; });
  if (twice != requests.end())
    return Wrong(table.spec().name, "server " + std::to_string(twice->server) + " is named twice in a call");
  return requests;
}

Status CheckSizes(const std::vector<ServerLink::Addressed>& requests, const std::string& table,
                  const MessageLimit& limit) {
  for (const ServerLink::Addressed& to : requests) {
    if (limit.Allows(to.request.bytes())) continue;
    return limit.Check(to.request.bytes(),
                       "table '" + table + "': what goes to server " + std::to_string(to.server));
  }
  return Status::Ok();
}

}  // namespace

UserTable::UserTable(Store& store, const std::string& name, const std::string& code, std::int64_t timeout_ms)
    : client_(store.Open(TableSpec::User(name, code, store.num_servers()), timeout_ms)),
      num_servers_(store.num_servers()),
      worker_(store.rank()) {}

UserTable::~UserTable() = default;
const std::string& UserTable::name() const { return client_->spec().name; }
Status UserTable::CheckMayWait() const { return client_->CheckMayWait(); }

Ticket UserTable::AddAsync(const std::vector<Part>& parts) {
  if (parts.empty()) return Ticket();
  std::vector<ServerLink::Addressed> requests = Address(*client_, OpCode::kAdd, parts).value();
  ThrowIfError(CheckSizes(requests, client_->spec().name, client_->host_.link->message_limit()));
  return client_->Send(std::move(requests), {}, {}, nullptr, {true, 0});
}

Ticket UserTable::GetAsync(const std::vector<Part>& parts, Take take) {
  if (parts.empty()) return Ticket();
  std::vector<ServerLink::Addressed> requests = Address(*client_, OpCode::kGet, parts).value();
  ThrowIfError(CheckSizes(requests, client_->spec().name, client_->host_.link->message_limit()));
  const auto answers = std::make_shared<Answers>(requests);
  ClientOp::Destination destination;
  destination.take = [answers](int server, const StoreAnswer& answer) {
    return answers->Put(server, answer);
  };
  const Ticket came = client_->Send(std::move(requests), destination, {}, nullptr, {false, 0});
  return Followed(came, [answers, take = std::move(take)] {
    answers->HandOn(take);
    return Status::Ok();
  });
}

}  // namespace ps
