#include "store/rule_work.h"

#include <utility>

#include "base/guarded.h"

namespace ps {

void RuleWork::Change(std::shared_ptr<TableSlots> next, const std::shared_ptr<Reply>& reply, std::size_t op) {
  if (reply != nullptr) reply->Expect(static_cast<int>(slots_.size()));
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    lanes_.Post(slots_[i], [next, reply, op, i, slot = &slots_[i]] {
      TableSlots::Slot& fresh = (*next)[i];
      const Status done = Guarded([&] { return TakeValues(*slot->shard, fresh.shard.get()); });
      if (done.ok()) {
        slot->shard.swap(fresh.shard);
        slot->updater.swap(fresh.updater);
        std::swap(slot->is_builtin, fresh.is_builtin);
        if (slot->is_builtin) slot->broken = Status::Ok();  // first values are not its affair
      } else {
        slot->error = done;
      }
      fresh.shard = nullptr;
      fresh.updater = nullptr;
      if (reply == nullptr) return;
      if (!done.ok()) reply->Fail(op, done);
      reply->Finish();
    });
  }
  if (reply != nullptr) reply->Finish();
}

void RuleWork::AskRoom(std::shared_ptr<TableSlots> next, const std::shared_ptr<Reply>& reply,
                       std::size_t op) {
  reply->Expect(static_cast<int>(slots_.size()));
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    lanes_.Post(slots_[i], [next, reply, op, i, slot = &slots_[i]] {
      const Status room = Guarded([&] { return MakeRoom(*slot->shard, (*next)[i].shard.get()); });
      if (!room.ok()) reply->Fail(op, room);
      (*next)[i].shard = nullptr;  // before the answer, so that whoever has it finds the memory free
      reply->Finish();
    });
  }
  reply->Finish();
}

void RuleWork::Configure(const UpdaterOptions& options) {
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    lanes_.Post(slots_[i], [options, slot = &slots_[i]] {
      const Status done = slot->updater->Configure(options);
      if (!done.ok()) slot->error = done;
    });
  }
}

}  // namespace ps
