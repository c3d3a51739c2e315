#ifndef PS_TRANSPORT_ZMQ_ZMQ_TRANSPORT_H_
#define PS_TRANSPORT_ZMQ_ZMQ_TRANSPORT_H_

#include <cstdint>
#include <memory>
#include <optional>

#include "transport/key_files.h"
#include "transport/transport.h"

namespace ps {

struct ZmqOptions {
  // The largest part of a frame that is received: one chunk and a header. A peer that sends more is
  // disconnected by the library.
  int64_t max_message_bytes = (1 << 20) + static_cast<int64_t>(kHeaderBytes);
  int io_threads = 1;
  // Large frames (over 4 KiB of payload) that a link may have unreleased; beyond it TrySend answers kFull.
  // Smaller ones are copied.
  size_t max_lent_frames = 8;
  // Set: everything is encrypted, and only who has the same pair can connect (transport/zmq/curve.h).
  std::optional<KeyPair> keys;
};

// TCP through ZeroMQ: a context of its own, one ROUTER that is bound and receives, one DEALER per link.
// Hosts are names or numeric, v4 or v6, or "@name", a Unix socket in the abstract name space. No identities:
// a peer is known by its connection, never by what it calls itself. Errors: kResourceExhausted when
// descriptors are used up.
//
// Memory is bounded by the caller's credits: nothing blocks or is lost silently. Of a peer that keeps no
// credits the library reads 2048 messages ahead; of one that has not proved to be a member
// (FrameSink::IsFromMember) it holds two messages' worth of bytes that do not end, then the connection is cut
// off. Links that are closed drop what was not sent; frames under way to a peer that dies may be lost.
Result<std::unique_ptr<Transport>> MakeZmqTransport(const ZmqOptions& options);

}  // namespace ps
#endif  // PS_TRANSPORT_ZMQ_ZMQ_TRANSPORT_H_
