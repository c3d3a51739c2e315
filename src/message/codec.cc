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

constexpr bool kIsLittleEndian = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;

template <typename T>
T LittleEndian(T value) {
  if (kIsLittleEndian) return value;
  uint8_t bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  std::reverse(bytes, bytes + sizeof(T));
  std::memcpy(&value, bytes, sizeof(T));
  return value;
}

// From the machine's order of bytes to the wire's, and back.
void SwapBytes(Header* header) {
  const auto swap = [](auto* field) { *field = LittleEndian(*field); };
  swap(&header->magic);
  swap(&header->flags);
  swap(&header->sender);
  swap(&header->receiver);
  swap(&header->sender_incarnation);
  swap(&header->receiver_incarnation);
  swap(&header->app_id);
  swap(&header->customer_id);
  swap(&header->timestamp);
  swap(&header->head);
  swap(&header->priority);
  swap(&header->sequence);
  swap(&header->ack);
  swap(&header->credit_requests);
  swap(&header->chunk_length);
  swap(&header->credit_bytes);
  for (uint64_t& bytes : header->block_bytes) swap(&bytes);
  swap(&header->chunk_offset);
}

HeaderFault CheckPreamble(const Header& header) {
  if (header.magic != kWireMagic) return HeaderFault::kMagic;
  if (header.version != kWireVersion) return HeaderFault::kVersion;
  const bool is_known = header.kind >= FrameKind::kData && header.kind <= FrameKind::kHeartbeat;
  return is_known ? HeaderFault::kNone : HeaderFault::kKind;
}

inline HeaderFault CheckRanges(const Header& header) {
  const bool blocks = (header.flags & kFlagHasBlocks) != 0;
  if ((header.flags & ~kAllFlags) != 0) return HeaderFault::kFlags;
  if ((header.flags & kFlagHasLens) != 0 && !blocks) return HeaderFault::kFlags;
  if ((header.flags & kFlagOneBlock) != 0 && blocks) return HeaderFault::kFlags;
  if (header.sender > kMaxNodeId || header.receiver > kMaxNodeId) return HeaderFault::kNodeId;
  for (const uint8_t type : header.data_type) {
    if (type > OTHER) return HeaderFault::kDataType;
  }
  if (header.status > static_cast<uint8_t>(StatusCode::kInternal)) return HeaderFault::kStatus;
  return HeaderFault::kNone;
}

HeaderFault CheckSequence(const Header& header) {
  const bool may_have_one = IsSequenced(header.kind) || header.kind == FrameKind::kAsk;
  const bool is_wrong = header.sequence == 0 ? IsSequenced(header.kind) : !may_have_one;
  return is_wrong ? HeaderFault::kSequence : HeaderFault::kNone;
}

HeaderFault CheckSizes(const Header& header) {
  const uint64_t total = header.total_bytes();
  if (total > kMaxTotalBytes) return HeaderFault::kOverflow;
  if (header.chunk_offset > total || header.chunk_length > total - header.chunk_offset)
    return HeaderFault::kChunk;
  if (header.chunk_length == 0 && total != 0) return HeaderFault::kChunk;
  if (IsSequenced(header.kind)) return HeaderFault::kNone;
  if (header.chunk_length != total) return HeaderFault::kInChunks;
  const bool header_only = header.kind == FrameKind::kAck || header.kind == FrameKind::kAsk;
  return header_only && total != 0 ? HeaderFault::kPayload : HeaderFault::kNone;
}

std::string TextOf(HeaderFault fault, const Header& header) {
  switch (fault) {
    case HeaderFault::kNone: return "";
    case HeaderFault::kTooShort: return "it has " + std::to_string(kHeaderBytes) + " bytes";
    case HeaderFault::kMagic: return "the magic number is not ours";
    case HeaderFault::kVersion:
      return "version " + std::to_string(header.version) + ", this build speaks version " +
             std::to_string(kWireVersion);
    case HeaderFault::kKind: return "kind " + std::to_string(static_cast<int>(header.kind)) + " is unknown";
    case HeaderFault::kFlags:
      return "flags " + std::to_string(header.flags) + " are unknown or exclude each other";
    case HeaderFault::kNodeId:
      return "sender " + std::to_string(header.sender) + " or receiver " + std::to_string(header.receiver) +
             " is no node id";
    case HeaderFault::kDataType: return "a data type is unknown";
    case HeaderFault::kStatus: return "status " + std::to_string(header.status) + " is unknown";
    case HeaderFault::kSequence:
      return "sequence number " + std::to_string(header.sequence) + " in a frame of kind " +
             std::to_string(static_cast<int>(header.kind));
    case HeaderFault::kOverflow: return "the sum of the block sizes overflows";
    case HeaderFault::kChunk:
      return "chunk of " + std::to_string(header.chunk_length) + " bytes at " +
             std::to_string(header.chunk_offset) + " lies outside of its message of " +
             std::to_string(header.total_bytes()) + " bytes, or is empty";
    case HeaderFault::kInChunks: return "a frame that is not sequenced comes in chunks";
    case HeaderFault::kPayload: return "a payload in a frame that has none";
  }
  return "";
}

Status Refuse(HeaderFault fault, const Header& header) {
  return Status::InvalidArgument("frame header: " + TextOf(fault, header));
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

// Whether so many bytes divide into elements of that type, which is known.
bool Divides(uint64_t bytes, DataType type) {
  // Widths are powers of two: less one, they are the bits that must not be set.
  static constexpr std::array<uint8_t, OTHER + 1> kBitsBelow = {0, 0, 1, 3, 7, 0, 1, 3, 7, 3, 7, 0};
  return (bytes & kBitsBelow[static_cast<size_t>(type)]) == 0;
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
  if (Divides(bytes, type)) return Status::Ok();
  return Status::InvalidArgument(std::string(kNames[index]) + " of " + std::to_string(bytes) +
                                 " bytes do not divide into elements of type " + DataTypeName(type));
}

Status CheckLens(uint64_t keys_bytes, uint64_t lens_bytes) {
  if (lens_bytes == 0 || keys_bytes != 0) return Status::Ok();
  return Status::InvalidArgument("lens of " + std::to_string(lens_bytes) + " bytes without keys");
}

Status CheckSizesOf(const Header& header, const Blocks& blocks) {
  for (size_t i = 0; i < kNumBlocks; ++i) {
    if (blocks[i].size() == header.block_bytes[i]) continue;
    return Status::InvalidArgument("block " + std::to_string(i) + " has " + std::to_string(blocks[i].size()) +
                                   " bytes, the header says " + std::to_string(header.block_bytes[i]));
  }
  return Status::Ok();
}

// Whether CheckBlocks has nothing to say.
bool FitBlocks(const Header& header, const Blocks& blocks) {
  const size_t present = DataBlocksOf(header.flags);
  for (size_t i = 0; i < kMaxDataBlocks; ++i) {
    const uint64_t bytes = blocks[i].size();
    if (bytes != 0 && (i >= present || !Divides(bytes, static_cast<DataType>(header.data_type[i]))))
      return false;
  }
  return blocks[kBlockLens].empty() || !blocks[kBlockKeys].empty();
}

// What is wrong with them, in words.
Status CheckBlocks(const Header& header, const Blocks& blocks) {
  const size_t present = DataBlocksOf(header.flags);
  for (size_t i = 0; i < kMaxDataBlocks; ++i) {
    if (blocks[i].empty()) continue;
    if (i >= present) {
      return Status::InvalidArgument("block " + std::to_string(i) + " has bytes, but the message has " +
                                     std::to_string(present) + " blocks");
    }
    const auto type = static_cast<DataType>(header.data_type[i]);
    if (!Divides(blocks[i].size(), type)) return CheckBlock(i, type, blocks[i].size());
  }
  return CheckLens(blocks[kBlockKeys].size(), blocks[kBlockLens].size());
}

int IdOrEmpty(uint32_t id) { return id == 0 ? Meta::kEmpty : static_cast<int>(id); }

void FillMeta(const Header& header, const SArray<char>& body, Meta* meta) {
  meta->head = header.head;
  meta->app_id = header.app_id;
  meta->customer_id = header.customer_id;
  meta->timestamp = header.timestamp;
  meta->sender = IdOrEmpty(header.sender);
  meta->recver = IdOrEmpty(header.receiver);
  meta->request = (header.flags & kFlagRequest) != 0;
  meta->push = (header.flags & kFlagPush) != 0;
  meta->pull = (header.flags & kFlagPull) != 0;
  meta->simple_app = (header.flags & kFlagSimpleApp) != 0;
  meta->priority = header.priority;
  meta->sender_incarnation = header.sender_incarnation;
  meta->status = static_cast<StatusCode>(header.status);
  if (!body.empty()) meta->body.assign(body.data(), body.size());
}

}  // namespace

bool Header::operator==(const Header& other) const { return EncodeHeader(*this) == EncodeHeader(other); }

void EncodeHeader(const Header& header, HeaderBytes* bytes) {
  if (kIsLittleEndian) {
    std::memcpy(bytes->data(), &header, kHeaderBytes);
    return;
  }
  Header wire = header;
  SwapBytes(&wire);
  std::memcpy(bytes->data(), &wire, kHeaderBytes);
}

HeaderBytes EncodeHeader(const Header& header) {
  HeaderBytes bytes;
  EncodeHeader(header, &bytes);
  return bytes;
}

const char* ReasonOf(HeaderFault fault) {
  switch (fault) {
    case HeaderFault::kNone: return "";
    case HeaderFault::kMagic: return "magic";
    case HeaderFault::kVersion: return "version";
    case HeaderFault::kKind: return "kind";
    case HeaderFault::kFlags:
    case HeaderFault::kNodeId:
    case HeaderFault::kDataType:
    case HeaderFault::kStatus:
    case HeaderFault::kSequence: return "field";
    case HeaderFault::kTooShort:
    case HeaderFault::kOverflow:
    case HeaderFault::kChunk:
    case HeaderFault::kInChunks:
    case HeaderFault::kPayload: return "size";
  }
  return "";
}

HeaderFault ReadHeader(const HeaderBytes& bytes, Header* header) {
  std::memcpy(header, bytes.data(), kHeaderBytes);
  SwapBytes(header);
  HeaderFault fault = CheckPreamble(*header);
  if (fault == HeaderFault::kNone) fault = CheckRanges(*header);
  if (fault == HeaderFault::kNone) fault = CheckSequence(*header);
  if (fault == HeaderFault::kNone) fault = CheckSizes(*header);
  return fault;
}

Result<Header> DecodeHeader(const uint8_t* bytes, size_t size, const char** reason) {
  Header header;
  HeaderFault fault = HeaderFault::kTooShort;
  if (size >= kHeaderBytes) {
    HeaderBytes head;
    std::memcpy(head.data(), bytes, kHeaderBytes);
    fault = ReadHeader(head, &header);
  }
  if (reason != nullptr) *reason = ReasonOf(fault);
  if (fault != HeaderFault::kNone) return Refuse(fault, header);
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
  header.flags = static_cast<uint16_t>(FlagsOfDataBlocks(message.data.size()) |
                                       (meta.request ? kFlagRequest : 0) | (meta.push ? kFlagPush : 0) |
                                       (meta.pull ? kFlagPull : 0) | (meta.simple_app ? kFlagSimpleApp : 0));
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

Blocks BlocksOf(const Message& message) {
  Blocks blocks;
  for (size_t i = 0; i < message.data.size() && i < kMaxDataBlocks; ++i) blocks[i] = message.data[i];
  blocks[kBlockBody].CopyFrom(message.meta.body.data(), message.meta.body.size());
  return blocks;
}

void TakeBlocks(Message* message, Blocks* blocks) {
  const size_t count = std::min<size_t>(message->data.size(), kMaxDataBlocks);
  for (size_t i = 0; i < count; ++i) (*blocks)[i] = std::move(message->data[i]);
  const std::string& body = message->meta.body;
  if (!body.empty()) (*blocks)[kBlockBody].CopyFrom(body.data(), body.size());
}

Status FillMessage(const Header& header, Blocks* blocks, Message* message) {
  if (!FitBlocks(header, *blocks)) return CheckBlocks(header, *blocks);
  FillMeta(header, (*blocks)[kBlockBody], &message->meta);
  const size_t num_blocks = DataBlocksOf(header.flags);
  for (size_t i = 0; i < num_blocks; ++i) {
    SArray<char>& block = (*blocks)[i];
    message->meta.data_type.push_back(static_cast<DataType>(header.data_type[i]));
    message->meta.data_size += static_cast<int64_t>(block.size());
    message->data.push_back(std::move(block));
  }
  return Status::Ok();
}

bool FillBareAnswer(const Header& header, BareAnswer* answer) {
  constexpr uint16_t kOthers = kFlagRequest | kFlagSimpleApp | kFlagHasBlocks | kFlagHasLens | kFlagOneBlock;
  if ((header.flags & kOthers) != 0 || header.status != 0 || header.total_bytes() != 0) return false;
  answer->head = header.head;
  answer->app_id = header.app_id;
  answer->customer_id = header.customer_id;
  answer->timestamp = header.timestamp;
  answer->sender = IdOrEmpty(header.sender);
  answer->recver = IdOrEmpty(header.receiver);
  answer->priority = header.priority;
  answer->push = (header.flags & kFlagPush) != 0;
  answer->pull = (header.flags & kFlagPull) != 0;
  answer->sender_incarnation = header.sender_incarnation;
  return true;
}

Result<Message> MessageOf(const Header& header, Blocks blocks) {
  const HeaderFault fault = CheckRanges(header);
  if (fault != HeaderFault::kNone) return Refuse(fault, header);
  PS_RETURN_IF_ERROR(CheckSizesOf(header, blocks));
  Message message;
  PS_RETURN_IF_ERROR(FillMessage(header, &blocks, &message));
  return message;
}

}  // namespace ps
