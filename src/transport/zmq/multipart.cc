#include "transport/zmq/multipart.h"

#include <cstring>
#include <utility>

namespace ps {
namespace {

// Header and payload in one message.
ZmqMessage InlineMessage(const Frame& frame, size_t payload_bytes) {
  ZmqMessage message(kHeaderBytes + payload_bytes);
  char* at = message.data();
  std::memcpy(at, frame.head.data(), kHeaderBytes);
  at += kHeaderBytes;
  for (const SArray<char>& part : frame.parts) {
    if (!part.empty()) std::memcpy(at, part.data(), part.size());
    at += part.size();
  }
  return message;
}

ZmqMessage PieceMessage(const SArray<char>& piece, const std::shared_ptr<SendClaim>& claim) {
  return claim == nullptr ? ZmqMessage(piece.data(), piece.size()) : ZmqMessage(piece, claim);
}

IoResult WritePieces(ZmqSocket* socket, const Frame& frame, const std::shared_ptr<SendClaim>& claim) {
  size_t left = 0;
  for (const SArray<char>& part : frame.parts) left += part.empty() ? 0 : 1;
  for (const SArray<char>& part : frame.parts) {
    if (part.empty()) continue;
    ZmqMessage message = PieceMessage(part, claim);
    --left;
    // Once the first part is taken the library takes the others too; all else means that the socket is
    // closed.
    if (socket->Send(&message, left > 0) != IoResult::kDone) return IoResult::kFailed;
  }
  return IoResult::kDone;
}

// With what the library's protocol puts in front.
uint64_t WireBytes(const ZmqMessage& part) { return part.size() + (part.size() > 255 ? 9 : 2); }

// Appends the frame that begins with `head`, or the batch it is, and takes the parts behind it; false if this
// is no frame. Reads to the end in any case. Counts what it read in *wire_bytes.
bool ReadParts(ZmqSocket* socket, ZmqMessage head, std::vector<Frame>* frames, uint64_t* wire_bytes) {
  *wire_bytes = WireBytes(head);
  bool more = head.more();
  if (!more && IsBatch(head.data(), head.size())) return CutBatch(ArrayOf(std::move(head)), frames);
  Frame frame;
  bool well_formed = head.size() >= kHeaderBytes;
  size_t used = 0;
  if (well_formed) {
    std::memcpy(frame.head.data(), head.data(), kHeaderBytes);
    // Copied: it is small, and a small message may hold on to the library's whole receive buffer.
    if (head.size() > kHeaderBytes)
      frame.parts[used++].CopyFrom(head.data() + kHeaderBytes, head.size() - kHeaderBytes);
  }
  while (more) {
    ZmqMessage part;
    if (socket->Receive(&part) != IoResult::kDone) return false;
    *wire_bytes += WireBytes(part);
    more = part.more();
    well_formed = well_formed && used < kNumBlocks;
    if (well_formed) frame.parts[used++] = ArrayOf(std::move(part));
  }
  if (well_formed) frames->push_back(std::move(frame));
  return well_formed;
}

}  // namespace

bool IsLent(const Frame& frame) { return frame.payload_bytes() > kMaxInlinePayload; }

IoResult WriteFrame(ZmqSocket* socket, const std::string* route, const Frame& frame,
                    const std::shared_ptr<SendClaim>& claim) {
  if (route != nullptr) {
    ZmqMessage id(route->data(), route->size());
    const IoResult result = socket->Send(&id, true);
    if (result != IoResult::kDone) return result;
  }
  const bool apart = IsLent(frame);
  ZmqMessage head =
      apart ? ZmqMessage(frame.head.data(), kHeaderBytes) : InlineMessage(frame, frame.payload_bytes());
  const IoResult result = socket->Send(&head, apart);
  if (result != IoResult::kDone) return route == nullptr ? result : IoResult::kFailed;
  return apart ? WritePieces(socket, frame, claim) : IoResult::kDone;
}

ReadResult ReadFrames(ZmqSocket* socket, RouterPeer* from, std::vector<Frame>* frames) {
  ZmqMessage first;
  const IoResult result = socket->Receive(&first);
  if (result != IoResult::kDone)
    return result == IoResult::kNothing ? ReadResult::kNothing : ReadResult::kFailed;
  uint64_t wire_bytes = 0;
  if (from == nullptr)
    return ReadParts(socket, std::move(first), frames, &wire_bytes) ? ReadResult::kFrames
                                                                    : ReadResult::kMalformed;
  from->route.assign(first.data(), first.size());
  from->fd = first.source_fd();
  if (!first.more()) return ReadResult::kMalformed;
  ZmqMessage head;
  if (socket->Receive(&head) != IoResult::kDone) return ReadResult::kFailed;
  return ReadParts(socket, std::move(head), frames, &from->wire_bytes) ? ReadResult::kFrames
                                                                       : ReadResult::kMalformed;
}

}  // namespace ps
