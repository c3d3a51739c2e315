// The half of CollectiveNode that hears what comes, on threads of the runtime, and says what is to go.
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
    PutDown([this, message = std::move(message)](OperationTable* table)
                PS_NO_THREAD_SAFETY_ANALYSIS mutable { OnRequest(table, std::move(message)); });
  } else if (meta.status == StatusCode::kOk) {
    PutDown([this, token = meta.timestamp, node = meta.sender](OperationTable* table)
                PS_NO_THREAD_SAFETY_ANALYSIS {
                  Meet(node);
                  table->OnAnswer(token, node);
                });
  } else {
    const Status why(meta.status, postoffice_->Describe(meta.sender) + " answered: " + meta.body);
    OnRefused(meta.timestamp, meta.sender, why);
  }
}

void CollectiveNode::OnRefused(int token, int node, const Status& why) {
  PutDown([this, token, node, why](OperationTable* table) PS_NO_THREAD_SAFETY_ANALYSIS {
    if (token == kQuestion) return OnUnanswered(node, why);
    table->OnRefused(token, why);
  });
}

void CollectiveNode::OnRequest(OperationTable* table, Message&& message) {
  const Asked asked = Asked::By(message.meta);
  postoffice_->ReturnCredit(message.meta);
  Result<Packet> packet = DecodePacket(message.meta.body);
  if (!packet.ok()) return SendAnswer(asked, packet.status());
  Meet(asked.sender);
  if (packet.value().kind == Packet::kAsk) return SendAnswer(asked, Status::Ok());
  ArrivedPacket arrived{asked.sender, std::move(packet).value(), {}, asked};
  if (message.data.size() == 2) arrived.values = Aligned(message.data[1]);
  table->OnPacket(std::move(arrived));
}

void CollectiveNode::OnUndelivered(const Meta& meta, const Status& why) {
  if (meta.request) OnRefused(meta.timestamp, meta.recver, why);
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
  PutDown([this](OperationTable* table) PS_NO_THREAD_SAFETY_ANALYSIS {
    const GroupMembers now = group();
    if (now.tag() == table->group().tag()) return;
    table->SetGroup(now);
    peers_.Forget();
  });
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

// --- what it says, called by who drives ---

void CollectiveNode::Send(Packed&& packed) {
  const int node = packed.node;
  switch (peers_.Offer(&packed)) {
    case Acquaintances::Next::kSend: return SendNow(std::move(packed));
    case Acquaintances::Next::kAsk: return Ask(node);
    case Acquaintances::Next::kNothing: return;
  }
}

void CollectiveNode::Ask(int node) {
  Packet question;
  question.kind = Packet::kAsk;
  SendNow({node, kQuestion, EncodePacket(question), {}});
}

void CollectiveNode::Meet(int node) {
  if (peers_.Knows(node)) return;
  for (Packed& kept : peers_.Meet(node)) SendNow(std::move(kept));
}

// Nobody has been there for PS_REQUEST_TIMEOUT: it may still come. Operations have deadlines of their own.
void CollectiveNode::OnUnanswered(int node, const Status& why) {
  if (peers_.Knows(node)) return;
  if (why.code() == StatusCode::kDeadlineExceeded) return Ask(node);
  for (const Packed& kept : peers_.GiveUp(node)) table_.OnRefused(kept.token, why);
}

void CollectiveNode::SendNow(Packed&& packed) {
  Message message;
  message.meta.app_id = kCollectiveApp;
  message.meta.customer_id = kCollectiveApp;
  message.meta.request = true;
  message.meta.push = !packed.values.empty();
  message.meta.head = 0;
  message.meta.timestamp = packed.token;
  message.meta.recver = packed.node;
  message.meta.body = std::move(packed.packet);
  if (!packed.values.empty()) {
    message.AddData(SArray<char>());
    message.AddData(packed.values);
  }
  const Status sent = postoffice_->Send(std::move(message), Postoffice::SentFrom::kInlineHandle);
  if (sent.ok() || packed.token == OperationTable::kNoToken) return;
  OnRefused(packed.token, packed.node, sent);
}

void CollectiveNode::SendAnswer(const Asked& asked, const Status& outcome) {
  Message message;
  Meta& meta = message.meta;
  meta.app_id = kCollectiveApp;
  meta.customer_id = asked.customer_id;
  meta.timestamp = asked.timestamp;
  meta.recver = asked.sender;
  meta.sender_incarnation = asked.sender_incarnation;
  meta.head = asked.head;
  meta.push = asked.push;
  meta.pull = asked.pull;
  meta.simple_app = asked.simple_app;
  meta.status = outcome.code();
  meta.body = outcome.message();
  // Where it does not arrive nobody waits for it.
  const Status sent = postoffice_->Send(std::move(message), Postoffice::SentFrom::kInlineHandle);
  if (!sent.ok()) PS_VLOG(2) << "answer to " << asked.sender << " not sent: " << sent;
}

}  // namespace ps
