#include "van/control.h"

#include <algorithm>
#include <climits>
#include <limits>
#include <set>
#include <utility>

#include "message/node_id.h"
#include "van/delivery.h"
#include "wire.pb.h"

namespace ps {
namespace {

constexpr size_t kMostText = 4096;
constexpr size_t kMostHost = 255;
constexpr int kMostNodesPerRole = 65535;
constexpr size_t kMostNodes = 2 * kMostNodesPerRole + 1;
constexpr size_t kMostBytes = 64 << 20;  // a roster of all nodes with the longest names

template <typename Proto>
SArray<char> Serialize(const Proto& proto) {
  SArray<char> bytes = SArray<char>::Uninitialized(proto.ByteSizeLong());
  proto.SerializeToArray(bytes.data(), static_cast<int>(bytes.size()));
  return bytes;
}

template <typename Proto>
Status Parse(const SArray<char>& bytes, const char* what, Proto* proto) {
  if (bytes.size() > kMostBytes) {
    return Status::InvalidArgument(std::string(what) + " of " + std::to_string(bytes.size()) + " bytes");
  }
  // The parser wants an address even for no bytes.
  const char* data = bytes.empty() ? "" : bytes.data();
  if (proto->ParseFromArray(data, static_cast<int>(bytes.size()))) return Status::Ok();
  return Status::InvalidArgument(std::string(what) + " does not parse");
}

std::string Cut(const std::string& text) { return text.substr(0, kMostText); }

// `value` lies in [low, high]; else an error that names `field`.
Status InRange(const char* field, int64_t value, int64_t low, int64_t high) {
  if (value >= low && value <= high) return Status::Ok();
  return Status::InvalidArgument(std::string(field) + " " + std::to_string(value) + " is not in " +
                                 std::to_string(low) + " to " + std::to_string(high));
}

Status CheckHost(const std::string& host) {
  const bool printable = std::all_of(host.begin(), host.end(), [](char c) { return c > ' ' && c < 127; });
  if (!host.empty() && host.size() <= kMostHost && printable) return Status::Ok();
  return Status::InvalidArgument("a host name of " + std::to_string(host.size()) + " bytes is none");
}

Result<StatusCode> CodeOf(int32_t value) {
  PS_RETURN_IF_ERROR(InRange("status code", value, 0, static_cast<int>(StatusCode::kInternal)));
  return static_cast<StatusCode>(value);
}

Status CheckNodeId(int id) {
  if (id == kSchedulerId) return Status::Ok();
  return InRange("node id", id, kFirstNodeId, WorkerIdOfRank(kMostNodesPerRole - 1));
}

void ToProto(const Node& node, wire::Node* proto) {
  proto->set_role(node.role);
  proto->set_id(node.id == Node::kEmpty ? 0 : node.id);
  proto->set_customer_id(node.customer_id);
  proto->set_hostname(node.hostname);
  proto->set_port(node.port == Node::kEmpty ? 0 : node.port);
  proto->set_is_recovery(node.is_recovery);
  proto->set_incarnation(node.incarnation);
}

// All of a node but its id.
Result<Node> FromProto(const wire::Node& proto) {
  PS_RETURN_IF_ERROR(InRange("role", proto.role(), Node::SERVER, Node::SCHEDULER));
  PS_RETURN_IF_ERROR(InRange("port", proto.port(), 1, 65535));
  PS_RETURN_IF_ERROR(CheckHost(proto.hostname()));
  if (proto.incarnation() == 0) return Status::InvalidArgument("a node without incarnation");
  Node node;
  node.role = static_cast<Node::Role>(proto.role());
  node.customer_id = proto.customer_id();
  node.hostname = proto.hostname();
  node.port = proto.port();
  node.is_recovery = proto.is_recovery();
  node.incarnation = proto.incarnation();
  return node;
}

Result<ClusterSettings> FromProto(const wire::Settings& proto) {
  constexpr int64_t kLongest = std::numeric_limits<int64_t>::max();
  PS_RETURN_IF_ERROR(InRange("heartbeat interval", proto.heartbeat_interval_ms(), 0, kLongest));
  PS_RETURN_IF_ERROR(InRange("heartbeat time-out", proto.heartbeat_timeout_ms(), 0, kLongest));
  PS_RETURN_IF_ERROR(InRange("loss policy", proto.on_node_lost(), 0, static_cast<int>(OnNodeLost::kShrink)));
  ClusterSettings settings;
  settings.heartbeat_interval_ms = proto.heartbeat_interval_ms();
  settings.heartbeat_timeout_ms = proto.heartbeat_timeout_ms();
  settings.on_node_lost = static_cast<OnNodeLost>(proto.on_node_lost());
  settings.chunk_bytes = proto.chunk_bytes();
  PS_RETURN_IF_ERROR(InRange("barrier time-out", proto.barrier_timeout_ms(), 0, kLongest));
  settings.barrier_timeout_ms = proto.barrier_timeout_ms();
  return settings;
}

Result<Node> MemberFromProto(const wire::Node& proto) {
  Result<Node> node = FromProto(proto);
  if (!node.ok()) return node;
  PS_RETURN_IF_ERROR(CheckNodeId(proto.id()));
  if (RoleOfId(proto.id()) != node.value().role) {
    return Status::InvalidArgument("id " + std::to_string(proto.id()) + " does not belong to a " +
                                   RoleName(node.value().role));
  }
  node.value().id = proto.id();
  return node;
}

uint64_t ReadU64(const char* bytes) {
  uint64_t value = 0;
  for (int i = 7; i >= 0; --i) value = value << 8 | static_cast<uint8_t>(bytes[i]);
  return value;
}

void WriteU64(uint64_t value, char* bytes) {
  for (int i = 0; i < 8; ++i) bytes[i] = static_cast<char>(value >> (8 * i) & 0xff);
}

}  // namespace

SArray<char> EncodeRegistration(const Registration& value) {
  wire::Registration proto;
  ToProto(value.node, proto.mutable_node());
  proto.set_num_workers(value.num_workers);
  proto.set_num_servers(value.num_servers);
  proto.set_key_bits(value.key_bits);
  proto.set_protocol(value.protocol);
  proto.set_rank_wish(value.rank_wish);
  proto.set_previous_rank(value.previous_rank);
  proto.set_node_key(Cut(value.node_key));
  proto.set_fixed_port(value.fixed_port);
  proto.set_chunk_bytes(value.chunk_bytes);
  proto.set_start_barrier(value.start_barrier);
  return Serialize(proto);
}

Result<Registration> DecodeRegistration(const SArray<char>& bytes) {
  wire::Registration proto;
  PS_RETURN_IF_ERROR(Parse(bytes, "a registration", &proto));
  PS_RETURN_IF_ERROR(InRange("role of an applicant", proto.node().role(), Node::SERVER, Node::WORKER));
  PS_RETURN_IF_ERROR(InRange("DMLC_NUM_WORKER", proto.num_workers(), 0, kMostNodesPerRole));
  PS_RETURN_IF_ERROR(InRange("DMLC_NUM_SERVER", proto.num_servers(), 0, kMostNodesPerRole));
  Result<Node> node = FromProto(proto.node());
  PS_RETURN_IF_ERROR(node.status());
  Registration value;
  value.node = std::move(node).value();
  value.node.is_recovery = false;
  value.num_workers = proto.num_workers();
  value.num_servers = proto.num_servers();
  value.key_bits = proto.key_bits();
  value.protocol = proto.protocol();
  value.rank_wish = proto.rank_wish();
  value.previous_rank = proto.previous_rank();
  value.node_key = Cut(proto.node_key());
  value.fixed_port = proto.fixed_port();
  value.chunk_bytes = proto.chunk_bytes();
  value.start_barrier = proto.start_barrier();
  return value;
}

SArray<char> EncodeRoster(const Roster& value) {
  wire::Roster proto;
  proto.set_epoch(value.epoch);
  proto.set_job_id(value.job_id);
  wire::Settings* settings = proto.mutable_settings();
  settings->set_heartbeat_interval_ms(value.settings.heartbeat_interval_ms);
  settings->set_heartbeat_timeout_ms(value.settings.heartbeat_timeout_ms);
  settings->set_on_node_lost(static_cast<int>(value.settings.on_node_lost));
  settings->set_chunk_bytes(value.settings.chunk_bytes);
  settings->set_barrier_timeout_ms(value.settings.barrier_timeout_ms);
  for (const Node& node : value.nodes) ToProto(node, proto.add_nodes());
  return Serialize(proto);
}

Result<Roster> DecodeRoster(const SArray<char>& bytes) {
  wire::Roster proto;
  PS_RETURN_IF_ERROR(Parse(bytes, "a roster", &proto));
  PS_RETURN_IF_ERROR(InRange("number of nodes", proto.nodes_size(), 1, kMostNodes));
  Result<ClusterSettings> settings = FromProto(proto.settings());
  PS_RETURN_IF_ERROR(settings.status());
  Roster value;
  value.epoch = proto.epoch();
  value.job_id = proto.job_id();
  value.settings = settings.value();
  std::set<int> ids;
  std::set<uint64_t> incarnations;
  for (const wire::Node& member : proto.nodes()) {
    Result<Node> node = MemberFromProto(member);
    PS_RETURN_IF_ERROR(node.status());
    const bool is_new =
        ids.insert(node.value().id).second && incarnations.insert(node.value().incarnation).second;
    if (!is_new) return Status::InvalidArgument("a roster has " + DescribeNodeId(node.value().id) + " twice");
    value.nodes.push_back(std::move(node).value());
  }
  if (ids.count(kSchedulerId) == 0) return Status::InvalidArgument("a roster without scheduler");
  return value;
}

SArray<char> EncodeNotice(const Notice& value) {
  wire::Notice proto;
  proto.set_code(static_cast<int>(value.code));
  proto.set_text(Cut(value.text));
  proto.set_scheduler_incarnation(value.scheduler_incarnation);
  return Serialize(proto);
}

Result<Notice> DecodeNotice(const SArray<char>& bytes) {
  wire::Notice proto;
  PS_RETURN_IF_ERROR(Parse(bytes, "a notice", &proto));
  const Result<StatusCode> code = CodeOf(proto.code());
  PS_RETURN_IF_ERROR(code.status());
  return Notice{code.value(), Cut(proto.text()), proto.scheduler_incarnation()};
}

SArray<char> EncodeBarrier(const BarrierNotice& value) {
  wire::Barrier proto;
  proto.set_group(value.group);
  proto.set_round(value.round);
  proto.set_timeout_ms(value.timeout_ms);
  proto.set_is_final(value.is_final);
  proto.set_code(static_cast<int>(value.code));
  proto.set_text(Cut(value.text));
  return Serialize(proto);
}

Result<BarrierNotice> DecodeBarrier(const SArray<char>& bytes) {
  wire::Barrier proto;
  PS_RETURN_IF_ERROR(Parse(bytes, "a barrier notice", &proto));
  PS_RETURN_IF_ERROR(InRange("barrier group", proto.group(), 1, 7));
  PS_RETURN_IF_ERROR(InRange("barrier time-out", proto.timeout_ms(), 0, std::numeric_limits<int64_t>::max()));
  if (proto.round() == 0) return Status::InvalidArgument("a barrier without round");
  const Result<StatusCode> code = CodeOf(proto.code());
  PS_RETURN_IF_ERROR(code.status());
  return BarrierNotice{proto.group(),    proto.round(), proto.timeout_ms(),
                       proto.is_final(), code.value(),  Cut(proto.text())};
}

SArray<char> EncodeDeparture(const Departure& value) {
  wire::Departure proto;
  proto.set_node_id(value.node_id);
  proto.set_incarnation(value.incarnation);
  proto.set_reason(Cut(value.reason));
  return Serialize(proto);
}

Result<Departure> DecodeDeparture(const SArray<char>& bytes) {
  wire::Departure proto;
  PS_RETURN_IF_ERROR(Parse(bytes, "a departure", &proto));
  PS_RETURN_IF_ERROR(CheckNodeId(proto.node_id()));
  if (proto.incarnation() == 0) return Status::InvalidArgument("a departure without incarnation");
  return Departure{proto.node_id(), proto.incarnation(), Cut(proto.reason())};
}

SArray<char> EncodeHave(const std::vector<SeqRange>& held) {
  const size_t count = std::min(held.size(), kMaxHaveRanges);
  SArray<char> bytes = SArray<char>::Uninitialized(count * 16);
  for (size_t i = 0; i < count; ++i) {
    WriteU64(held[i].first, bytes.data() + 16 * i);
    WriteU64(held[i].last, bytes.data() + 16 * i + 8);
  }
  return bytes;
}

Result<std::vector<SeqRange>> DecodeHave(const SArray<char>& bytes) {
  if (bytes.size() % 16 != 0 || bytes.size() / 16 > kMaxHaveRanges) {
    return Status::InvalidArgument("an answer of " + std::to_string(bytes.size()) +
                                   " bytes is no list of ranges");
  }
  std::vector<SeqRange> held;
  for (size_t at = 0; at < bytes.size(); at += 16) {
    const SeqRange range{ReadU64(bytes.data() + at), ReadU64(bytes.data() + at + 8)};
    const bool follows =
        range.first <= range.last && (held.empty() ? range.first > 0 : range.first > held.back().last);
    if (!follows) return Status::InvalidArgument("an answer with ranges out of order");
    held.push_back(range);
  }
  return held;
}

}  // namespace ps
