#include "van/message_log.h"

#include <utility>

#include "base/log.h"
#include "message/node_id.h"
#include "van/control.h"

namespace ps {
namespace {

// What is shown of a body; empty fields where it does not parse.
Control Shown(Control::Command command, const SArray<char>& body, bool request) {
  Control shown;
  shown.cmd = command;
  if (command == Control::ADD_NODE) {
    const Result<Roster> roster = DecodeRoster(body);
    if (roster.ok()) shown.node = roster.value().nodes;
  } else if (command == Control::BARRIER) {
    const Result<BarrierNotice> notice = DecodeBarrier(body);
    if (notice.ok() && request) shown.barrier_group = notice.value().group;
  } else {
    const Result<Departure> departure = DecodeDeparture(body);
    if (!departure.ok()) return shown;
    Node node;
    node.id = departure.value().node_id;
    node.role = RoleOfId(node.id);
    shown.node.push_back(node);
  }
  return shown;
}

}  // namespace

void MessageLog::PrintData(const Message& message, int sender, int receiver) {
  Message shown = message;
  shown.meta.sender = sender;
  shown.meta.recver = receiver;
  PS_LOG(kInfo, "", shown.DebugString());
}

void MessageLog::Print(Meta meta) {
  meta.timestamp = next_timestamp_.fetch_add(1);
  PS_LOG(kInfo, "", meta.DebugString());
}

void MessageLog::Control(Control::Command command, const SArray<char>& body, int sender, int receiver,
                         bool request) {
  if (!on_) return;
  Meta meta;
  meta.sender = sender;
  meta.recver = receiver;
  meta.request = request;
  meta.control = Shown(command, body, request);
  Print(std::move(meta));
}

void MessageLog::Registering(const Node& node) {
  if (!on_) return;
  Meta meta;
  meta.recver = kSchedulerId;
  meta.control.cmd = Control::ADD_NODE;
  meta.control.node.push_back(node);
  Print(std::move(meta));
}

}  // namespace ps
