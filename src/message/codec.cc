#include "message/codec.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

namespace ps {
namespace {

constexpr uint64_t kMaxTotalBytes = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
constexpr uint32_t kMaxNodeId = static_cast<uint32_t>(std::numeric_limits<int32_t>::max());

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
template <typename T>
T LittleEndian(T value) {
  return value;
}
#else
template <typename T>
T LittleEndian(T value) {
  uint8_t bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  std::reverse(bytes, bytes + sizeof(T));
  std::memcpy(&value, bytes, sizeof(T));
  return value;
}
#endif

// Writes integers one after the other, lowest byte first on every machine.
class Writer {
 public:
  explicit Writer(uint8_t* at) : at_(at) {}

  template <typename T>
  void Put(T value) {
    value = LittleEndian(value);
    std::memcpy(at_, &value, sizeof(T));
    at_ += sizeof(T);
  }

 private:
  uint8_t* at_;
};

// The reverse of Writer.
class Reader {
 public:
  explicit Reader(const uint8_t* at) : at_(at) {}

  template <typename T>
  void Get(T* value) {
    std::memcpy(value, at_, sizeof(T));
    *value = LittleEndian(*value);
    at_ += sizeof(T);
  }

 private:
  const uint8_t* at_;
};

// The first bytes, which decide how the others are to be read.
struct Preamble {
  uint32_t magic = 0;
  uint8_t version = 0;
  uint8_t kind = 0;
};

Preamble ReadPreamble(Reader* reader) {
  Preamble preamble;
  reader->Get(&preamble.magic);
  reader->Get(&preamble.version);
  reader->Get(&preamble.kind);
  return preamble;
}

Header ReadFields(FrameKind kind, Reader* reader) {
  Header header;
  header.kind = kind;
  reader->Get(&header.flags);
  reader->Get(&header.sender);
  reader->Get(&header.receiver);
  reader->Get(&header.sender_incarnation);
  reader->Get(&header.receiver_incarnation);
  reader->Get(&header.app_id);
  reader->Get(&header.customer_id);
  reader->Get(&header.timestamp);
  reader->Get(&header.head);
  reader->Get(&header.priority);
  for (uint8_t& type : header.data_type) reader->Get(&type);
  reader->Get(&header.status);
  reader->Get(&header.sequence);
  reader->Get(&header.ack);
  reader->Get(&header.credit_requests);
  reader->Get(&header.chunk_length);
  reader->Get(&header.credit_bytes);
  for (uint64_t& bytes : header.block_bytes) reader->Get(&bytes);
  reader->Get(&header.chunk_offset);
  return header;
}

Status Refuse(const std::string& what) { return Status::InvalidArgument("frame header: " + what); }

Status CheckPreamble(const Preamble& preamble, const char** reason) {
  *reason = "magic";
  if (preamble.magic != kWireMagic) return Refuse("the magic number is not ours");
  *reason = "version";
  if (preamble.version != kWireVersion) {
    return Refuse("version " + std::to_string(preamble.version) + ", this build speaks version " +
                  std::to_string(kWireVersion));
  }
  *reason = "kind";
  if (preamble.kind < static_cast<uint8_t>(FrameKind::kData) ||
      preamble.kind > static_cast<uint8_t>(FrameKind::kHeartbeat)) {
    return Refuse("kind " + std::to_string(preamble.kind) + " is unknown");
  }
  return Status::Ok();
}

Status CheckFlags(uint16_t flags) {
  if ((flags & ~kAllFlags) != 0) return Refuse("flags " + std::to_string(flags) + " are unknown");
  const bool blocks = (flags & kFlagHasBlocks) != 0;
  if ((flags & kFlagHasLens) != 0 && !blocks) return Refuse("flags announce lens without keys");
  if ((flags & kFlagOneBlock) != 0 && blocks) return Refuse("flags announce both one block and two");
  return Status::Ok();
}

Status CheckRanges(const Header& header) {
  PS_RETURN_IF_ERROR(CheckFlags(header.flags));
  if (header.sender > kMaxNodeId) return Refuse("sender " + std::to_string(header.sender) + " is no node id");
  if (header.receiver > kMaxNodeId)
    return Refuse("receiver " + std::to_string(header.receiver) + " is no node id");
  for (const uint8_t type : header.data_type) {
    if (type > OTHER) return Refuse("data type " + std::to_string(type) + " is unknown");
  }
  if (header.status > static_cast<uint8_t>(StatusCode::kInternal)) {
    return Refuse("status " + std::to_string(header.status) + " is unknown");
  }
  return Status::Ok();
}

Status CheckSequence(const Header& header) {
  if (IsSequenced(header.kind)) {
    return header.sequence != 0 ? Status::Ok() : Refuse("sequence number 0 in a sequenced frame");
  }
  if (header.sequence != 0 && header.kind != FrameKind::kAsk)
    return Refuse("a sequence number in a frame that is not sequenced");
  return Status::Ok();
}

Status CheckSizes(const Header& header) {
  const uint64_t total = header.total_bytes();
  if (total > kMaxTotalBytes) return Refuse("the sum of the block sizes overflows");
  if (header.chunk_offset > total || header.chunk_length > total - header.chunk_offset) {
    return Refuse("chunk of " + std::to_string(header.chunk_length) + " bytes at " +
                  std::to_string(header.chunk_offset) + " lies outside of its message of " +
                  std::to_string(total) + " bytes");
  }
  if (header.chunk_length == 0 && total != 0) return Refuse("an empty chunk of a message that is not empty");
  if (!IsSequenced(header.kind) && header.chunk_length != total)
    return Refuse("a frame that is not sequenced comes in chunks");
  const bool header_only = header.kind == FrameKind::kAck || header.kind == FrameKind::kAsk;
  if (header_only && total != 0) return Refuse("a payload in a frame that has none");
  return Status::Ok();
}

size_t DataBlocksOf(uint16_t flags) {
  if ((flags & kFlagHasBlocks) != 0) return (flags & kFlagHasLens) != 0 ? 3 : 2;
  return (flags & kFlagOneBlock) != 0 ? 1 : 0;
}

uint16_t FlagsOfDataBlocks(size_t count) {
  static constexpr std::array<uint16_t, kMaxDataBlocks + 1> kFlags = {0, kFlagOneBlock, kFlagHasBlocks,
                                                                      kFlagHasBlocks | kFlagHasLens};
  return count < kFlags.size() ? kFlags[count] : kFlags.back();
}

size_t WidthOf(DataType type) {
  switch (type) {
    case INT16:
    case UINT16: return 2;
    case INT32:
    case UINT32:
    case FLOAT: return 4;
    case INT64:
    case UINT64:
    case DOUBLE: return 8;
    default: return 1;
  }
}

DataType TypeOfBlock(const Message& message, size_t index) {
  return index < message.meta.data_type.size() ? message.meta.data_type[index] : OTHER;
}

Status CheckBlock(size_t index, DataType type, uint64_t bytes) {
  static constexpr std::array<const char*, kMaxDataBlocks> kNames = {"keys", "vals", "lens"};
  if (static_cast<size_t>(type) > OTHER) {
    return Status::InvalidArgument(std::string(kNames[index]) + " of unknown data type " +
                                   std::to_string(type));
  }
  if (bytes % WidthOf(type) == 0) return Status::Ok();
  return Status::InvalidArgument(std::string(kNames[index]) + " of " + std::to_string(bytes) +
                                 " bytes do not divide into elements of type " + DataTypeName(type));
}

Status CheckLens(uint64_t keys_bytes, uint64_t lens_bytes) {
  if (lens_bytes == 0 || keys_bytes != 0) return Status::Ok();
  return Status::InvalidArgument("lens of " + std::to_string(lens_bytes) + " bytes without keys");
}

Status CheckBlocks(const Header& header, const std::array<SArray<char>, kNumBlocks>& blocks) {
  PS_RETURN_IF_ERROR(CheckRanges(header));
  for (size_t i = 0; i < kNumBlocks; ++i) {
    if (blocks[i].size() == header.block_bytes[i]) continue;
    return Status::InvalidArgument("block " + std::to_string(i) + " has " + std::to_string(blocks[i].size()) +
                                   " bytes, the header says " + std::to_string(header.block_bytes[i]));
  }
  const size_t present = DataBlocksOf(header.flags);
  for (size_t i = 0; i < kMaxDataBlocks; ++i) {
    if (i >= present && !blocks[i].empty()) {
      return Status::InvalidArgument("block " + std::to_string(i) + " has bytes, but the message has " +
                                     std::to_string(present) + " blocks");
    }
    PS_RETURN_IF_ERROR(CheckBlock(i, static_cast<DataType>(header.data_type[i]), blocks[i].size()));
  }
  return CheckLens(blocks[kBlockKeys].size(), blocks[kBlockLens].size());
}

Meta MetaOf(const Header& header, const SArray<char>& body) {
  Meta meta;
  meta.head = header.head;
  meta.app_id = header.app_id;
  meta.customer_id = header.customer_id;
  meta.timestamp = header.timestamp;
  meta.sender = header.sender == 0 ? Meta::kEmpty : static_cast<int>(header.sender);
  meta.recver = header.receiver == 0 ? Meta::kEmpty : static_cast<int>(header.receiver);
  meta.request = (header.flags & kFlagRequest) != 0;
  meta.push = (header.flags & kFlagPush) != 0;
  meta.pull = (header.flags & kFlagPull) != 0;
  meta.simple_app = (header.flags & kFlagSimpleApp) != 0;
  meta.priority = header.priority;
  meta.sender_incarnation = header.sender_incarnation;
  meta.status = static_cast<StatusCode>(header.status);
  if (!body.empty()) meta.body.assign(body.data(), body.size());
  return meta;
}

}  // namespace

uint64_t Header::total_bytes() const {
  uint64_t total = 0;
  for (const uint64_t bytes : block_bytes) {
    if (bytes > std::numeric_limits<uint64_t>::max() - total) return std::numeric_limits<uint64_t>::max();
    total += bytes;
  }
  return total;
}

bool Header::operator==(const Header& other) const { return EncodeHeader(*this) == EncodeHeader(other); }

HeaderBytes EncodeHeader(const Header& header) {
  HeaderBytes bytes{};
  Writer writer(bytes.data());
  writer.Put(kWireMagic);
  writer.Put(kWireVersion);
  writer.Put(static_cast<uint8_t>(header.kind));
  writer.Put(header.flags);
  writer.Put(header.sender);
  writer.Put(header.receiver);
  writer.Put(header.sender_incarnation);
  writer.Put(header.receiver_incarnation);
  writer.Put(header.app_id);
  writer.Put(header.customer_id);
  writer.Put(header.timestamp);
  writer.Put(header.head);
  writer.Put(header.priority);
  for (const uint8_t type : header.data_type) writer.Put(type);
  writer.Put(header.status);
  writer.Put(header.sequence);
  writer.Put(header.ack);
  writer.Put(header.credit_requests);
  writer.Put(header.chunk_length);
  writer.Put(header.credit_bytes);
  for (const uint64_t block : header.block_bytes) writer.Put(block);
  writer.Put(header.chunk_offset);
  return bytes;
}

Result<Header> DecodeHeader(const uint8_t* bytes, size_t size, const char** reason) {
  const char* unused = nullptr;
  const char** why = reason == nullptr ? &unused : reason;
  *why = "size";
  if (size < kHeaderBytes)
    return Refuse(std::to_string(size) + " bytes, it has " + std::to_string(kHeaderBytes));
  Reader reader(bytes);
  const Preamble preamble = ReadPreamble(&reader);
  PS_RETURN_IF_ERROR(CheckPreamble(preamble, why));
  const Header header = ReadFields(static_cast<FrameKind>(preamble.kind), &reader);
  *why = "field";
  PS_RETURN_IF_ERROR(CheckRanges(header));
  PS_RETURN_IF_ERROR(CheckSequence(header));
  *why = "size";
  PS_RETURN_IF_ERROR(CheckSizes(header));
  return header;
}

Status CheckSendable(const Message& message) {
  const size_t count = message.data.size();
  if (count > kMaxDataBlocks) {
    return Status::InvalidArgument("a message of " + std::to_string(count) + " data blocks; it can have " +
                                   std::to_string(kMaxDataBlocks));
  }
  for (size_t i = 0; i < count; ++i)
    PS_RETURN_IF_ERROR(CheckBlock(i, TypeOfBlock(message, i), message.data[i].size()));
  return count == 3 ? CheckLens(message.data[kBlockKeys].size(), message.data[kBlockLens].size())
                    : Status::Ok();
}

Header HeaderOf(const Message& message) {
  const Meta& meta = message.meta;
  Header header;
  header.kind = FrameKind::kData;
  header.flags = FlagsOfDataBlocks(message.data.size());
  if (meta.request) header.flags |= kFlagRequest;
  if (meta.push) header.flags |= kFlagPush;
  if (meta.pull) header.flags |= kFlagPull;
  if (meta.simple_app) header.flags |= kFlagSimpleApp;
  header.app_id = meta.app_id;
  header.customer_id = meta.customer_id;
  header.timestamp = meta.timestamp;
  header.head = meta.head;
  header.priority = meta.priority;
  header.status = static_cast<uint8_t>(meta.status);
  header.data_type.fill(OTHER);
  for (size_t i = 0; i < message.data.size() && i < kMaxDataBlocks; ++i) {
    header.data_type[i] = static_cast<uint8_t>(TypeOfBlock(message, i));
    header.block_bytes[i] = message.data[i].size();
  }
  header.block_bytes[kBlockBody] = meta.body.size();
  return header;
}

std::array<SArray<char>, kNumBlocks> BlocksOf(const Message& message) {
  std::array<SArray<char>, kNumBlocks> blocks;
  for (size_t i = 0; i < message.data.size() && i < kMaxDataBlocks; ++i) blocks[i] = message.data[i];
  blocks[kBlockBody].CopyFrom(message.meta.body.data(), message.meta.body.size());
  return blocks;
}

Result<Message> MessageOf(const Header& header, std::array<SArray<char>, kNumBlocks> blocks) {
  PS_RETURN_IF_ERROR(CheckBlocks(header, blocks));
  Message message;
  message.meta = MetaOf(header, blocks[kBlockBody]);
  const size_t num_blocks = DataBlocksOf(header.flags);
  message.meta.data_type.reserve(num_blocks);
  message.data.reserve(num_blocks);
  for (size_t i = 0; i < num_blocks; ++i) {
    message.meta.data_type.push_back(static_cast<DataType>(header.data_type[i]));
    message.meta.data_size += static_cast<int64_t>(blocks[i].size());
    message.data.push_back(std::move(blocks[i]));
  }
  return message;
}

}  // namespace ps
