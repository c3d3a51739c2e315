// The half of CollectiveNode that hears what comes, on threads of the runtime.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

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
    SendAnswer(Asked::By(meta), Status::Cancelled("the collective was closed"));
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
  const Asked asked = Asked::By(message.meta);
  postoffice_->ReturnCredit(message.meta);
  Result<Packet> packet = DecodePacket(message.meta.body);
  if (!packet.ok()) return SendAnswer(asked, packet.status());
  ArrivedPacket arrived{asked.sender, std::move(packet).value(), {}, asked};
  if (message.data.size() == 2) arrived.values = Aligned(message.data[1]);
  table->OnPacket(std::move(arrived));
}

void CollectiveNode::OnUndelivered(const Meta& meta, const Status& why) {
  if (!meta.request) return;
  PutDown([token = meta.timestamp, why](OperationTable* table) { table->OnRefused(token, why); });
}

void CollectiveNode::OnNodeGone(int /*node_id*/, uint64_t incarnation, const Status& why) {
  {
    MutexLock lock(mutex_);
    lost_.insert(incarnation);
  }
  PutDown([incarnation, why](OperationTable* table) { table->OnLost(incarnation, why); });
  OnRoster();
}

void CollectiveNode::OnRoster() {
  SeeWhoIsThere();
  PutDown([this](OperationTable* table) { table->SetGroup(group()); });
}

void CollectiveNode::OnClose(const Status& why) {
  {
    MutexLock lock(mutex_);
    has_ended_ = true;
  }
  PutDown([why](OperationTable* table) { table->EndAll(why); });
}

int64_t CollectiveNode::OnTimer(int64_t now_ms) {
  const std::int64_t next_ms = next_ms_.load();
  alarm_ms_.store(std::max(next_ms, next_ms == kNever ? kNever : now_ms + kAskAgainMs));
  if (next_ms <= now_ms) PutDown([now_ms](OperationTable* table) { table->OnTime(now_ms); });
  return alarm_ms_.load();
}

void CollectiveNode::WaitIdle() {
  if (IsThread()) return;
  MutexLock lock(mutex_);
  while (!open_.empty()) idle_.Wait(mutex_);
}

}  // namespace ps
