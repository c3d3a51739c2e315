#ifndef PS_TRANSPORT_ZMQ_MULTIPART_H_
#define PS_TRANSPORT_ZMQ_MULTIPART_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "transport/send_window.h"
#include "transport/transport.h"
#include "transport/zmq/batch.h"
#include "transport/zmq/socket.h"

namespace ps {

// A frame as a ZeroMQ multipart message. Part 0 is the header, followed by the payload if that is small; a
// larger payload follows as one part per piece that is not empty, and there are at most kNumBlocks of these.
// Small frames may also travel together in one part (transport/zmq/batch). A ROUTER has the peer's routing id
// in front.
constexpr size_t kMaxInlinePayload = 4096;

// True if WriteFrame would refer to the payload instead of copying it, given a claim.
bool IsLent(const Frame& frame);

// Sends the frame; with `route` (not null) to that routing id. Pieces of a large payload are lent to ZeroMQ
// together with `claim`, or copied when there is none. All or nothing: unless kDone, nothing was sent
// (kFailed: the socket is of no use any more).
IoResult WriteFrame(ZmqSocket* socket, const std::string* route, const Frame& frame,
                    const std::shared_ptr<SendClaim>& claim);

enum class ReadResult { kFrames, kNothing, kMalformed, kFailed };

// Who a ROUTER has a message from.
struct RouterPeer {
  std::string route;        // the routing id
  int fd = -1;              // of the connection, see ZmqMessage::source_fd
  uint64_t wire_bytes = 0;  // that the message took on the connection
};

// Takes one multipart message; with `from` (not null) its first part is the routing id. Appends its frames,
// which may be the library's memory. kMalformed: there was one that holds no frame (first part shorter than a
// header, too many parts, a batch in disorder); all of it is gone.
ReadResult ReadFrames(ZmqSocket* socket, RouterPeer* from, std::vector<Frame>* frames);

}  // namespace ps
#endif  // PS_TRANSPORT_ZMQ_MULTIPART_H_
