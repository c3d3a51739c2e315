#ifndef PS_STORE_SERVER_USER_TABLE_H_
#define PS_STORE_SERVER_USER_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "ps/status.h"
#include "ps/user_shard.h"
#include "store/executors.h"
#include "store/served_table.h"

namespace ps {

// A table of a program's own code on one server: its calls run on one lane, in the order in which they came.
// That is a lane with a thread, also where built-in rules run inline.
class ServerUserTable : public ServedTable {
 public:
  struct Plan {
    TableSpec spec;
    UserShardPlace place;
    MakeUserShard make;
    Executors* executors = nullptr;  // outlives it
  };

  // Makes the shard: what the program throws is the error.
  static Result<std::shared_ptr<ServerUserTable>> Make(const Plan& plan);
  ~ServerUserTable() override { ServerUserTable::Close("erased"); }

  const TableSpec& spec() const override { return plan_.spec; }
  Status Handle(Request&& request) override;
  // There are no rounds.
  Status Join(int, bool, std::uint64_t, OpReply*) override { return Status::Ok(); }
  // The shard ends on its lane, after what was posted.
  void Close(const std::string& was) override;
  void OnWorkerGone(int, bool, const Status&) override {}

  // Another one, with a shard that nobody has used.
  Result<std::shared_ptr<ServerUserTable>> MakeAnother() const { return Make(plan_); }
  // Before anybody uses it: puts back what one server has saved. Any thread.
  Status Load(std::string* bytes);
  bool TakesPartsOfOthers() const { return shard_->TakesPartsOfOthers(); }

 private:
  ServerUserTable(const Plan& plan, std::shared_ptr<UserShard> shard);

  void Post(std::function<void()> code);
  void Save(const Request& request);

  const Plan plan_;
  const int lane_;
  std::shared_ptr<UserShard> shard_;  // of the lane, and of who loads it before; null: closed
};

}  // namespace ps
#endif  // PS_STORE_SERVER_USER_TABLE_H_
