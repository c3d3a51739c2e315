#include "tests/support/frame_forge.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/version.h"
#include "van/control.h"
#include "van/delivery.h"

namespace ps {

uint64_t FrameForge::Extreme() {
  constexpr int kBits[] = {0, 8, 16, 31, 32, 63, 64};
  if (Chance(20)) return random_();
  const int bits = kBits[Below(std::size(kBits))];
  const uint64_t end = bits == 64 ? 0 : uint64_t{1} << bits;
  return end + Below(5) - 2;
}

SArray<char> FrameForge::Bytes(size_t size) {
  SArray<char> bytes = SArray<char>::Uninitialized(size);
  for (char& byte : bytes) byte = static_cast<char>(random_());
  return bytes;
}

Header FrameForge::Begin(FrameKind kind) {
  Header header;
  header.kind = kind;
  header.sender = parties_.sender;
  header.sender_incarnation = parties_.sender_incarnation;
  header.receiver = parties_.receiver;
  header.receiver_incarnation = parties_.receiver_incarnation;
  if (IsSequenced(kind)) header.sequence = ++sequence_;
  return header;
}

Frame FrameForge::WithBody(Header header, const SArray<char>& body) {
  Frame frame;
  header.block_bytes[kBlockBody] = body.size();
  header.chunk_length = static_cast<uint32_t>(body.size());
  frame.head = EncodeHeader(header);
  frame.parts[0] = body;
  return frame;
}

// A push, pull or answer of up to eight keys; now and then the first chunk of something larger.
Frame FrameForge::Data() {
  Header header = Begin(FrameKind::kData);
  const size_t num_keys = Below(9);
  header.flags = static_cast<uint16_t>(kFlagHasBlocks | (Chance(80) ? kFlagRequest : 0) |
                                       (Chance(60) ? kFlagPush : 0) | (Chance(40) ? kFlagPull : 0));
  if (Chance(20)) header.flags = static_cast<uint16_t>(kFlagRequest | kFlagSimpleApp);
  header.data_type = {UINT64, static_cast<uint8_t>(Chance(70) ? FLOAT : DOUBLE), INT32};
  header.app_id = static_cast<int32_t>(Below(3));
  header.customer_id = static_cast<int32_t>(Below(2));
  header.timestamp = static_cast<int32_t>(Below(1000));
  Frame frame;
  if ((header.flags & kFlagHasBlocks) != 0) {
    frame.parts[kBlockKeys] = Bytes(8 * num_keys);
    frame.parts[kBlockVals] = Bytes(8 * num_keys);
    if (Chance(30)) {
      header.flags |= kFlagHasLens;
      frame.parts[kBlockLens] = Bytes(4 * num_keys);
    }
  }
  frame.parts[kBlockBody] = Bytes(Below(20));
  for (size_t i = 0; i < kNumBlocks; ++i) header.block_bytes[i] = frame.parts[i].size();
  header.chunk_length = static_cast<uint32_t>(frame.payload_bytes());
  if (Chance(5) && header.chunk_length > 0) {
    header.block_bytes[kBlockBody] += Chance(50) ? Below(1 << 20) : Extreme() >> 1;
    header.priority = static_cast<int32_t>(Below(100000));
  }
  frame.head = EncodeHeader(header);
  return frame;
}

Frame FrameForge::Control() {
  Header header = Begin(FrameKind::kControl);
  header.head = static_cast<int32_t>(Below(Control::NODE_LOST + 2));
  switch (Below(3)) {
    case 0: {
      Roster roster;
      roster.epoch = Extreme();
      for (size_t i = 0; i < Below(4); ++i) {
        Node node;
        node.role = Node::WORKER;
        node.id = static_cast<int>(9 + 2 * i);
        node.hostname = "127.0.0.1";
        node.port = 1 + static_cast<int>(Below(65535));
        node.incarnation = 1 + random_() / 2;
        roster.nodes.push_back(node);
      }
      return WithBody(header, EncodeRoster(roster));
    }
    case 1: {
      BarrierNotice notice;
      notice.group = static_cast<int>(Below(9));
      notice.round = Extreme();
      return WithBody(header, EncodeBarrier(notice));
    }
    default: {
      // Never its own: that would be an honest farewell.
      const Departure departure{static_cast<int>(Below(14)), random_(), "forged"};
      return WithBody(header, EncodeDeparture(departure));
    }
  }
}

Frame FrameForge::Handshake() {
  Header header = Begin(FrameKind::kHandshake);
  header.head = static_cast<int32_t>(Below(5));
  if (Chance(50)) {
    header.flags = kFlagReply;
    Notice notice;
    notice.code = static_cast<StatusCode>(Below(5));
    notice.text = std::string(Below(100), 'x');
    notice.scheduler_incarnation = random_();
    return WithBody(header, EncodeNotice(notice));
  }
  Registration registration;
  registration.node.role = Chance(50) ? Node::WORKER : Node::SERVER;
  registration.node.hostname = "127.0.0.1";
  registration.node.port = 1 + static_cast<int>(Below(65535));
  registration.node.incarnation = header.sender_incarnation;
  registration.protocol = Chance(90) ? kProtocolVersion : static_cast<int>(Below(4));
  // Of a job of another size: one that fits would be an honest node's.
  registration.num_workers = 100 + static_cast<int>(Below(4));
  registration.num_servers = 100 + static_cast<int>(Below(4));
  registration.rank_wish = static_cast<int>(Below(5)) - 1;
  return WithBody(header, EncodeRegistration(registration));
}

Frame FrameForge::Have() {
  Header header = Begin(FrameKind::kHave);
  header.timestamp = static_cast<int32_t>(Extreme());
  header.ack = Extreme();
  std::vector<SeqRange> held;
  uint64_t next = 1 + Below(1000);
  for (uint64_t ranges = Below(6); ranges > 0; --ranges) {
    held.push_back({next, next + Below(10)});
    next = held.back().last + 2 + Below(10);
  }
  return WithBody(header, EncodeHave(held));
}

Frame FrameForge::Proper() {
  switch (Below(10)) {
    case 0:
    case 1: return Control();
    case 2: return Handshake();
    case 3: return Have();
    case 4: {
      Header header = Begin(Chance(50) ? FrameKind::kAsk : FrameKind::kAck);
      header.timestamp = static_cast<int32_t>(Extreme());
      header.head = static_cast<int32_t>(Below(2));
      header.ack = Extreme();
      return WithBody(header, SArray<char>());
    }
    case 5: return WithBody(Begin(FrameKind::kHeartbeat), SArray<char>());
    default: return Data();
  }
}

void FrameForge::MutateSizes(Header* header) {
  switch (Below(4)) {
    case 0: header->block_bytes[Below(kNumBlocks)] = Extreme(); break;
    case 1: header->chunk_offset = Extreme(); break;
    case 2: header->chunk_length = static_cast<uint32_t>(Extreme()); break;
    default: header->block_bytes.fill(Extreme()); break;
  }
}

void FrameForge::MutateNumbers(Header* header) {
  switch (Below(9)) {
    case 0: header->sequence = Chance(50) ? sequence_ + Below(2000) : Extreme(); break;
    case 1: header->ack = Extreme(); break;
    case 2: header->credit_requests = static_cast<uint32_t>(Extreme()); break;
    case 3: header->credit_bytes = Extreme(); break;
    case 4: header->timestamp = static_cast<int32_t>(Extreme()); break;
    case 5: header->head = static_cast<int32_t>(Extreme()); break;
    case 6: header->priority = static_cast<int32_t>(Extreme()); break;
    case 7: header->app_id = static_cast<int32_t>(Extreme()); break;
    default: header->customer_id = static_cast<int32_t>(Extreme()); break;
  }
}

void FrameForge::MutateParties(Header* header) {
  switch (Below(4)) {
    case 0: header->sender = static_cast<uint32_t>(Chance(50) ? Below(16) : Extreme()); break;
    case 1: header->receiver = static_cast<uint32_t>(Extreme()); break;
    case 2: header->sender_incarnation = Extreme(); break;
    default: header->receiver_incarnation = Extreme(); break;
  }
}

// Through the header's fields where it has one, else through its bytes.
void FrameForge::MutateHeader(Frame* frame) {
  const Result<Header> decoded = DecodeHeader(frame->head.data(), frame->head.size());
  if (!decoded.ok() || Chance(25)) {
    frame->head[Below(kHeaderBytes)] ^= static_cast<uint8_t>(1u << Below(8));
    return;
  }
  Header header = decoded.value();
  switch (Below(6)) {
    case 0: header.kind = static_cast<FrameKind>(Below(12)); break;
    case 1: header.flags = static_cast<uint16_t>(Chance(80) ? Below(kAllFlags + 1) : Extreme()); break;
    case 2: MutateSizes(&header); break;
    case 3: MutateNumbers(&header); break;
    case 4: MutateParties(&header); break;
    default:
      header.data_type[Below(3)] = static_cast<uint8_t>(Below(16));
      header.status = static_cast<uint8_t>(Extreme());
      break;
  }
  frame->head = EncodeHeader(header);
}

void FrameForge::MutatePayload(Frame* frame) {
  SArray<char>& part = frame->parts[Below(kNumBlocks)];
  const size_t old_size = part.size();
  if (old_size > 0 && Chance(60)) {
    part[Below(old_size)] ^= static_cast<char>(1u << Below(8));
  } else if (old_size > 0 && Chance(50)) {
    part = part.segment(0, Below(old_size));
  } else {
    part = Bytes(Chance(95) ? Below(64) : Below(8192));
  }
}

void FrameForge::Mutate(Frame* frame) {
  for (uint64_t edits = 1 + Below(3); edits > 0; --edits) {
    if (Chance(70)) {
      MutateHeader(frame);
    } else {
      MutatePayload(frame);
    }
  }
}

Frame FrameForge::Next() {
  Frame frame = Proper();
  if (!Chance(20)) Mutate(&frame);
  return frame;
}

}  // namespace ps
