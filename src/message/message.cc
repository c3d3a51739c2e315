#include "ps/message.h"

#include <array>
#include <cstdio>

#include "message/node_id.h"

namespace ps {
namespace {

constexpr size_t kMaxShownBytes = 64;

// `text` cut at kMaxShownBytes, so that no body can flood a log; what is not printable ASCII is escaped.
std::string Shown(const std::string& text) {
  std::string shown;
  for (size_t i = 0; i < text.size() && i < kMaxShownBytes; ++i) {
    const unsigned char c = static_cast<unsigned char>(text[i]);
    if (c == '\\') {
      shown += "\\\\";
    } else if (c >= 0x20 && c < 0x7f) {
      shown += static_cast<char>(c);
    } else {
      char escaped[8];
      std::snprintf(escaped, sizeof(escaped), "\\x%02x", c);
      shown += escaped;
    }
  }
  return text.size() > kMaxShownBytes ? shown + "..." : shown;
}

std::string IdOrMark(int id) { return id == Meta::kEmpty ? "?" : std::to_string(id); }

// Hand-built messages may hold any number: an unknown command is shown as one.
std::string CommandName(Control::Command cmd) {
  static constexpr std::array<const char*, 9> kNames = {
      "EMPTY", "TERMINATE", "ADD_NODE", "BARRIER", "ACK", "HEARTBEAT", "REJECT", "LEAVE", "NODE_LOST"};
  const auto index = static_cast<size_t>(cmd);
  return index < kNames.size() ? kNames[index] : "UNKNOWN(" + std::to_string(static_cast<int>(cmd)) + ")";
}

std::string AppFields(const Meta& meta) {
  std::string text = ", app_id=" + IdOrMark(meta.app_id) + ", customer_id=" + IdOrMark(meta.customer_id);
  text += ", simple_app=" + std::to_string(meta.simple_app);
  text += ", push=" + std::to_string(meta.push) + ", pull=" + std::to_string(meta.pull);
  return text;
}

}  // namespace

const char* DataTypeName(DataType type) {
  static constexpr std::array<const char*, OTHER + 1> kNames = {"CHAR",   "INT8",  "INT16",  "INT32",
                                                                "INT64",  "UINT8", "UINT16", "UINT32",
                                                                "UINT64", "FLOAT", "DOUBLE", "OTHER"};
  const auto index = static_cast<size_t>(type);
  return index < kNames.size() ? kNames[index] : "OTHER";
}

std::string Node::DebugString() const {
  std::string text = std::string("role=") + RoleName(role);
  if (id != kEmpty) text += ", id=" + std::to_string(id);
  text += ", ip=" + hostname;
  if (port != kEmpty) text += ", port=" + std::to_string(port);
  return text + ", is_recovery=" + std::to_string(is_recovery);
}

std::string Node::ShortDebugString() const {
  const std::string letter = role == SCHEDULER ? "H" : role == SERVER ? "S" : "W";
  return id == kEmpty ? letter : letter + "[" + std::to_string(id) + "]";
}

std::string Control::DebugString() const {
  if (empty()) return "";
  std::string text = "cmd=" + CommandName(cmd);
  if (!node.empty()) {
    text += ", node={";
    for (const Node& one : node) text += " " + one.DebugString();
    text += " }";
  }
  if (cmd == BARRIER) text += ", barrier_group=" + std::to_string(barrier_group);
  if (cmd == ACK) text += ", msg_sig=" + std::to_string(msg_sig);
  return text;
}

std::string Meta::DebugString() const {
  std::string text =
      IdOrMark(sender) + " => " + IdOrMark(recver) + ". Meta: request=" + std::to_string(request);
  if (timestamp != kEmpty) text += ", timestamp=" + std::to_string(timestamp);
  if (!control.empty()) {
    text += ", control={ " + control.DebugString() + " }";
  } else {
    text += AppFields(*this);
  }
  if (head != kEmpty) text += ", head=" + std::to_string(head);
  if (status != StatusCode::kOk) text += std::string(", status=") + StatusCodeName(status);
  if (!body.empty()) text += ", body=" + Shown(body);
  if (!data_type.empty()) {
    text += ", data_type={";
    for (const DataType type : data_type) text += std::string(" ") + DataTypeName(type);
    text += " }";
  }
  return text;
}

Message BareAnswer::AsMessage() const {
  Message message;
  Meta& meta = message.meta;
  meta.head = head;
  meta.app_id = app_id;
  meta.customer_id = customer_id;
  meta.timestamp = timestamp;
  meta.sender = sender;
  meta.recver = recver;
  meta.priority = priority;
  meta.push = push;
  meta.pull = pull;
  meta.sender_incarnation = sender_incarnation;
  return message;
}

std::string Message::DebugString() const {
  std::string text = meta.DebugString();
  if (data.empty()) return text;
  text += " Body:";
  for (const SArray<char>& block : data) text += " data_size=" + std::to_string(block.size());
  return text;
}

}  // namespace ps
