// The half of CollectiveNode that hears what comes, on threads of the runtime.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "base/guarded.h"
#include "collective/collective_node.h"
#include "ps/postoffice.h"

namespace ps {
namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kAskAgainMs = 20;  // while what is due waits to be carried out

// Aligned for any element; blocks of a message follow each other without gaps.
SArray<char> Aligned(const SArray<char>& values) {
  if (reinterpret_cast<std::uintptr_t>(values.data()) % alignof(double) == 0) return values;
  SArray<char> aligned = SArray<char>::Uninitialized(values.size());
  std::copy(values.begin(), values.end(), aligned.begin());
  return aligned;
}

}  // namespace

void CollectiveNode::Deliver(Message&& message) {
  const Meta& meta = message.meta;
  if (is_closing()) {
    if (!meta.request) return;
    postoffice_->ReturnCredit(meta);
    SendAnswer(Asked::By(meta), Closed());
  } else if (meta.request) {
    PutDown([this, message = std::move(message)](OperationTable* table) mutable {
      OnRequest(table, std::move(message));
    });
  } else if (meta.status == StatusCode::kOk) {
    PutDown([token = meta.timestamp, node = meta.sender](OperationTable* table) {
      table->OnAnswer(token, node);
    });
  } else {
    const Status why(meta.status, postoffice_->Describe(meta.sender) + " answered: " + meta.body);
    PutDown([token = meta.timestamp, why](OperationTable* table) { table->OnRefused(token, why); });
  }
}

void CollectiveNode::OnRequest(OperationTable* table, Message&& message) {
  ArrivedPacket arrived{message.meta.sender, {}, {}, Asked::By(message.meta)};
  postoffice_->ReturnCredit(message.meta);
  const Status read = Guarded([&] {
    Result<Packet> packet = DecodePacket(message.meta.body);
    PS_RETURN_IF_ERROR(packet.status());
    arrived.packet = std::move(packet).value();
    if (message.data.size() == 2) arrived.values = Aligned(message.data[1]);
    return Status::Ok();
  });
  if (read.ok()) return table->OnPacket(std::move(arrived));
  table->Abandon(arrived.packet.id, read);
  SendAnswer(arrived.asked, read);
}

void CollectiveNode::OnUndelivered(const Meta& meta, const Status& why) {
  if (!meta.request) return;
  PutDown([token = meta.timestamp, why](OperationTable* table) { table->OnRefused(token, why); });
}

void CollectiveNode::OnNodeGone(int /*node_id*/, uint64_t incarnation, const Status& why) {
  PutDown([incarnation, why](OperationTable* table) { table->OnLost(incarnation, why); });
  MutexLock lock(mutex_);
  lost_.insert(incarnation);
  SeeWhoIsThere();
}

void CollectiveNode::OnOwnLoss(const Status& why) {
  PutDown([why](OperationTable* table) { table->OnOwnLoss(why); });
  MutexLock lock(mutex_);
  is_lost_ = true;
}

void CollectiveNode::OnRoster() {
  MutexLock lock(mutex_);
  SeeWhoIsThere();
}

void CollectiveNode::OnClose(const Status& why) {
  {
    MutexLock lock(mutex_);
    has_ended_ = true;
  }
  PutDown([why](OperationTable* table) { table->EndAll(why); });
}

int64_t CollectiveNode::OnTimer(int64_t now_ms) {
  // In this order: who drives either sees that nothing is asked for, or its time is seen here.
  alarm_ms_.store(kNever);
  const std::int64_t next_ms = next_ms_.load();
  if (next_ms == kNever) return kNever;
  const std::int64_t alarm_ms = std::max(next_ms, now_ms + kAskAgainMs);
  alarm_ms_.store(alarm_ms);
  if (next_ms <= now_ms) PutDown([now_ms](OperationTable* table) { table->OnTime(now_ms); });
  return alarm_ms;
}

void CollectiveNode::WaitIdle() {
  if (IsThread()) return;
  const auto counts = [](const auto& open) { return !open.second->is_let_go(); };
  MutexLock lock(mutex_);
  while (std::any_of(open_.begin(), open_.end(), counts)) idle_.Wait(mutex_);
}

}  // namespace ps
