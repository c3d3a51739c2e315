#ifndef PS_MESSAGE_CODEC_H_
#define PS_MESSAGE_CODEC_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "ps/message.h"
#include "ps/status.h"

namespace ps {

constexpr size_t kHeaderBytes = 128;
constexpr uint32_t kWireMagic = 0x4e565243;  // "CRVN" in memory order
constexpr int kNumBlocks = 4;                // keys, vals, lens, body
constexpr int kMaxDataBlocks = 3;            // how many blocks Message::data may have
enum Block { kBlockKeys = 0, kBlockVals = 1, kBlockLens = 2, kBlockBody = 3 };

using HeaderBytes = std::array<uint8_t, kHeaderBytes>;
using Blocks = std::array<SArray<char>, kNumBlocks>;  // in the order of Block; unused ones are empty

constexpr uint8_t kWireVersion = 1;

// What a frame is. Sequenced kinds go through delivery; the others are one small frame each and may be lost.
enum class FrameKind : uint8_t {
  kData = 1,       // sequenced: a data message or a chunk of one
  kControl = 2,    // sequenced: `head` is a Control::Command, the body block a protobuf
  kHandshake = 3,  // not sequenced: `head` is a HandshakeStep, the body block a protobuf
  kAck = 4,        // not sequenced: carries acknowledgement and credits only
  kAsk = 5,        // not sequenced: "what have you up to `sequence`?"
  kHave = 6,  // not sequenced: the answer; the body block holds pairs of u64 (first, last) held beyond the
              // acknowledgement
  kHeartbeat = 7,  // not sequenced: sign of life
};

// Bits of Header::flags. How many blocks Message::data has (0 to 3) is told by flags, because a block may be
// empty.
enum HeaderFlag : uint16_t {
  kFlagRequest = 1,
  kFlagPush = 2,
  kFlagPull = 4,
  kFlagSimpleApp = 8,
  kFlagHasBlocks = 16,  // data has (possibly empty) keys and vals blocks
  kFlagHasLens = 32,    // data has a third block as well; only with kFlagHasBlocks
  kFlagReply = 64,      // answer of a handshake or heartbeat
  kFlagOneBlock =
      128,  // data has one block, which is no pair of keys and vals (hand-built); not with kFlagHasBlocks
};
constexpr uint16_t kAllFlags = 255;

// True for the kinds that have a sequence number of their own.
constexpr bool IsSequenced(FrameKind kind) { return kind == FrameKind::kData || kind == FrameKind::kControl; }

// The fixed header of every frame, in host form. On the wire: 128 bytes, little-endian, fields in this order
// without padding. Large messages travel as chunks: `block_bytes` are the sizes of the whole message, the
// frame's payload are the bytes [chunk_offset, chunk_offset + chunk_length) of its blocks laid end to end.
struct Header {
  uint32_t magic = kWireMagic;
  uint8_t version = kWireVersion;
  FrameKind kind = FrameKind::kData;
  uint16_t flags = 0;
  uint32_t sender = 0;    // node id, 0 while unknown
  uint32_t receiver = 0;  // node id intended, 0 while unknown
  uint64_t sender_incarnation = 0;
  uint64_t receiver_incarnation = 0;  // 0 only in a handshake
  int32_t app_id = 0;
  int32_t customer_id = 0;
  int32_t timestamp = 0;
  int32_t head = 0;
  int32_t priority = 0;
  std::array<uint8_t, 3> data_type{};  // DataType of keys, vals, lens
  uint8_t status = 0;                  // StatusCode of a response
  uint64_t sequence = 0;               // 1, 2, ... per pair of incarnations; 0 when not sequenced
  uint64_t ack = 0;                    // everything up to this sequence number has been received
  uint32_t credit_requests = 0;        // running total of requests taken by handlers, modulo 2^32
  uint32_t chunk_length = 0;
  uint64_t credit_bytes = 0;  // running total of their bytes
  std::array<uint64_t, kNumBlocks> block_bytes{};
  uint64_t chunk_offset = 0;

  // Bytes of the whole message; the greatest number there is when the sum overflows.
  uint64_t total_bytes() const {
    const auto& [keys, vals, lens, body] = block_bytes;
    if ((keys | vals | lens | body) >> 61 == 0) return keys + vals + lens + body;  // four such sizes fit
    uint64_t total = 0;
    for (const uint64_t bytes : block_bytes) {
      if (__builtin_add_overflow(total, bytes, &total)) return std::numeric_limits<uint64_t>::max();
    }
    return total;
  }
  bool operator==(const Header& other) const;
};
static_assert(sizeof(Header) == kHeaderBytes && std::is_trivially_copyable<Header>::value,
              "in memory as on the wire, the order of bytes aside");

HeaderBytes EncodeHeader(const Header& header);
// The same, to where the bytes belong.
void EncodeHeader(const Header& header, HeaderBytes* bytes);

// What is wrong with a header. A chunk is outside of its message or empty although the message is not; sizes
// have a sum that does not fit 63 bits; a sequence number is where none belongs (only kData and kControl have
// one, and kAsk speaks of one) or not where one does; what is not sequenced comes in chunks; kAck and kAsk
// have a payload.
enum class HeaderFault : uint8_t {
  kNone,
  kTooShort,
  kMagic,
  kVersion,
  kKind,
  kFlags,
  kNodeId,
  kDataType,
  kStatus,
  kSequence,
  kOverflow,
  kChunk,
  kInChunks,
  kPayload,
};
// A short fixed word for the counter: "magic", "version", "size", "kind", "field"; "" for kNone.
const char* ReasonOf(HeaderFault fault);

// Reads a header into `*header`, which is sound if this returns kNone and else what the bytes say.
HeaderFault ReadHeader(const HeaderBytes& bytes, Header* header);

// The same for `size` bytes (what follows the first 128 is not looked at), with an error in words
// (kInvalidArgument). `reason`, if given, receives ReasonOf the fault.
Result<Header> DecodeHeader(const uint8_t* bytes, size_t size, const char** reason = nullptr);

// Ok if the wire can carry the data message: at most kMaxDataBlocks blocks, each of a size that fits its
// element type, lens only with keys. kInvalidArgument otherwise. Hand-built messages are checked with it
// before anything is sent.
Status CheckSendable(const Message& message);

// The header fields that come from a data message that CheckSendable accepts; ids, sequence, credits and
// chunk are left to the sender's van. Blocks without an entry in data_type travel as OTHER.
Header HeaderOf(const Message& message);

// The blocks of a data message in wire order; they share memory with it (the body is copied).
Blocks BlocksOf(const Message& message);
// The same; those of the message go over to `*blocks`, which are empty.
void TakeBlocks(Message* message, Blocks* blocks);

// Puts a data message together again in `*message`, a fresh one, with as many data blocks as were sent. The
// header is sound and `*blocks` have its sizes; they are the message's afterwards. Ids of 0 become kEmpty.
// Errors (kInvalidArgument): blocks that do not fit the element type, lens without keys, bytes in a block
// that the flags say is not there.
Status FillMessage(const Header& header, Blocks* blocks, Message* message);
// Whether a data message is a BareAnswer; if so, it is in `*answer`.
bool FillBareAnswer(const Header& header, BareAnswer* answer);
// The same as a value, of any header and blocks: further errors for those that are not so.
Result<Message> MessageOf(const Header& header, Blocks blocks);

}  // namespace ps
#endif  // PS_MESSAGE_CODEC_H_
