#include "collective/packet.h"

#include <cstring>
#include <tuple>
#include <utility>

namespace ps {
namespace {

constexpr std::uint8_t kVersion = 1;

// What is in front of the name, without gaps, least significant byte first.
struct Front {
  std::uint8_t version;
  std::uint8_t kind;
  std::uint8_t answered;
  std::uint8_t status;
  std::uint8_t collective;
  std::uint8_t op;
  std::uint8_t dtype;
  std::uint8_t zero;
  std::uint32_t root;
  std::uint32_t round;
  std::uint32_t name_bytes;
  std::uint32_t text_bytes;
  std::uint64_t count;
  std::uint64_t group;
  std::uint64_t number;
  std::uint64_t begin;
};
static_assert(sizeof(Front) == 56 && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);

Status Refuse(const std::string& why) {
  return Status::InvalidArgument("not a packet of a collective: " + why);
}

Status Check(const Front& front, std::size_t bytes) {
  if (front.version != kVersion) return Refuse("version " + std::to_string(front.version));
  if (front.kind > Packet::kEnd) return Refuse("kind " + std::to_string(front.kind));
  if (front.collective >= kNumCollectiveKinds) return Refuse("operation " + std::to_string(front.collective));
  if (front.op > static_cast<std::uint8_t>(ReduceOp::kMax))
    return Refuse("reduction " + std::to_string(front.op));
  if (!IsDType(front.dtype)) return Refuse("element type " + std::to_string(front.dtype));
  if (front.answered > 1 || front.zero != 0) return Refuse("bits that nobody sets");
  if (front.name_bytes > kMostNameBytes)
    return Refuse("a name of " + std::to_string(front.name_bytes) + " bytes");
  if (std::uint64_t{front.name_bytes} + front.text_bytes != bytes - sizeof(Front))
    return Refuse(std::to_string(bytes) + " bytes do not fit what they say");
  const bool is_end = front.kind == Packet::kEnd;
  if (is_end == (front.status == 0) || (!is_end && front.text_bytes != 0))
    return Refuse("an outcome that does not fit");
  return Status::Ok();
}

}  // namespace

std::string OperationId::ToString() const {
  return name.empty() ? "number " + std::to_string(number) : "\"" + name + "\"";
}

bool operator<(const OperationId& a, const OperationId& b) {
  return std::tie(a.group, a.number, a.name) < std::tie(b.group, b.number, b.name);
}
bool operator==(const OperationId& a, const OperationId& b) {
  return a.group == b.group && a.number == b.number && a.name == b.name;
}

std::string EncodePacket(const Packet& packet) {
  const std::string& text = packet.status.message();
  Front front{};
  front.version = kVersion;
  front.kind = packet.kind;
  front.answered = static_cast<std::uint8_t>(packet.answered);
  front.status = static_cast<std::uint8_t>(packet.status.code());
  front.collective = static_cast<std::uint8_t>(packet.signature.kind);
  front.op = static_cast<std::uint8_t>(packet.signature.op);
  front.dtype = static_cast<std::uint8_t>(packet.signature.dtype);
  front.root = packet.signature.root;
  front.round = packet.round;
  front.name_bytes = static_cast<std::uint32_t>(packet.id.name.size());
  front.text_bytes = static_cast<std::uint32_t>(text.size());
  front.count = packet.signature.count;
  front.group = packet.id.group;
  front.number = packet.id.number;
  front.begin = packet.begin;
  std::string bytes(sizeof front, '\0');
  std::memcpy(bytes.data(), &front, sizeof front);
  return bytes + packet.id.name + text;
}

Result<Packet> DecodePacket(std::string_view bytes) {
  Front front{};
  if (bytes.size() < sizeof front) return Refuse(std::to_string(bytes.size()) + " bytes are too few");
  std::memcpy(&front, bytes.data(), sizeof front);
  PS_RETURN_IF_ERROR(Check(front, bytes.size()));
  const std::string_view rest = bytes.substr(sizeof front);
  Packet packet;
  packet.kind = static_cast<Packet::Kind>(front.kind);
  packet.id = {front.group, std::string(rest.substr(0, front.name_bytes)), front.number};
  packet.signature.kind = static_cast<CollectiveKind>(front.collective);
  packet.signature.op = static_cast<ReduceOp>(front.op);
  packet.signature.dtype = static_cast<DType>(front.dtype);
  packet.signature.root = front.root;
  packet.signature.count = front.count;
  packet.round = front.round;
  packet.begin = front.begin;
  packet.answered = front.answered != 0;
  if (packet.kind == Packet::kEnd)
    packet.status = Status(static_cast<StatusCode>(front.status), std::string(rest.substr(front.name_bytes)));
  return packet;
}

}  // namespace ps
