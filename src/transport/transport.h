#ifndef PS_TRANSPORT_TRANSPORT_H_
#define PS_TRANSPORT_TRANSPORT_H_

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>

#include "base/counters.h"
#include "base/network.h"
#include "base/receive_token.h"
#include "message/codec.h"
#include "ps/sarray.h"
#include "ps/status.h"

namespace ps {

// What a transport moves: an encoded header and a payload in up to kNumBlocks pieces that are read as one
// stream of bytes.
struct Frame {
  HeaderBytes head{};
  std::array<SArray<char>, kNumBlocks>
      parts;  // unused entries are empty; how the payload is cut carries no meaning
  // Bit i: parts[i] may be kept. It is memory of the sender's, only to be read, which stays as it is until
  // nothing refers to it here, unless the sender breaks the rules.
  uint8_t lent = 0;

  size_t payload_bytes() const {
    size_t total = 0;
    for (const SArray<char>& part : parts) total += part.size();
    return total;
  }
  // The same frame in memory of its own.
  Frame DeepCopy() const;
};

// How to answer the sender of a frame before there is a Link to it. Opaque; names one connection (a peer that
// connects again gets another one); valid while both ends are up.
using ReturnPath = std::string;

// For the return paths of a transport that numbers its connections, from 1 on; `mark` tells them from others.
ReturnPath NumberedPath(char mark, uint64_t number);
// 0 if it is none of these.
uint64_t NumberOfPath(char mark, const ReturnPath& path);

// Receives what a transport polled. Called on the polling thread, one frame at a time; must not block.
class FrameSink {
 public:
  virtual ~FrameSink() = default;
  // `frame.parts` may be shared with the sender (read only) or be the library's memory; copy before keeping.
  virtual void OnFrame(Frame&& frame, const ReturnPath& from) = 0;
  // The connection over which frames with this return path came has closed: its link, its transport or its
  // process is gone. Comes after those frames, usually once. A hint to look, not a verdict: the same peer may
  // be back already, and nothing is said of a machine that vanished without a word. Frames that came as
  // replies have no such connection of their own.
  virtual void OnPeerClosed(const ReturnPath& /*from*/) {}
  // Something came that is dropped: no frame, nothing that speaks our protocol at all, more than is allowed.
  virtual void OnDropped(Counter /*why*/) {}
  // Whether the frame of the last OnFrame came from a member of the job. A peer that has sent no such frame
  // may be cut off when it makes the transport hold too much.
  virtual bool IsFromMember() const { return true; }
  // Frames between these come right after each other: what they bring may be handed on with the last of them.
  // EndBatch does not throw.
  virtual void BeginBatch() {}
  virtual void EndBatch() {}
};

enum class SendResult {
  kSent,    // taken; the parts stay referenced until the transport has released them
  kFull,    // not taken: the release callback of the transport is called when it is worth trying again
  kClosed,  // not taken: the link or its transport is closed
};

// The sending half of a connection to one peer. Frames arrive in the order sent, each at most once while the
// connection lives; a reconnect may lose some (delivery repairs that). A peer that is not there, not yet or
// not any more, is no error: frames wait inside and go to whoever binds the address next. Thread-compatible:
// the owner serialises calls (the route's lock).
class Link {
 public:
  virtual ~Link() = default;  // = Close()
  // Never blocks. May be called before the peer is up: frames then wait inside. Memory of `frame.parts` must
  // not change until released.
  virtual SendResult TrySend(const Frame& frame) = 0;
  // A large payload goes fastest in pieces of so many bytes, because the ways in and out of what lies between
  // overlap. Does not change.
  virtual uint64_t piece_bytes() const { return std::numeric_limits<uint64_t>::max(); }
  // Frames whose parts the transport still refers to; what it has copied does not count.
  virtual size_t unreleased() const = 0;
  // Idempotent. Drops what was not sent; no part is referenced by the transport soon after: when the last one
  // is released, after this call, the release callback of the transport is called.
  virtual void Close() = 0;
};

// A question to an address, on its way: does anybody listen there? One thread.
class ReachCheck {
 public:
  enum class State {
    kPending,  // no answer yet; without one it may take minutes, so the asker has a deadline of its own
    kRefused,  // its machine answers, and nobody listens there
    kAccepts,  // somebody does, which need not be the one that did before
    kUnknown,  // not to be found out: unreachable, no answer, no such address. Says nothing about the peer
  };
  virtual ~ReachCheck() = default;  // ends the question
  // Never blocks. Does not change any more once it is not kPending.
  virtual State Look() = 0;
};

// Of a transport where a thread that waits may receive itself, beside the one in Poll (ReceiveToken).
class SharedReception {
 public:
  virtual ~SharedReception() = default;
  // Frames are handed over under this token, and Transport::Reply is called with it.
  virtual ReceiveToken& token() = 0;
  // Takes frames on the calling thread until what it wishes for is done. Nobody may be in it during
  // Transport::Close.
  virtual HelpOutcome Help(FrameSink* sink, const HelpWish& wish) = 0;
};

// Moves frames between endpoints. One per Van. Life: construct, Bind, Connect / Poll, Close.
//
// Threads: Poll by one thread at a time (the receiver), Reply by whoever was handed a frame; Connect, Wake,
// Close from any thread. No call blocks but Poll (up to its time-out or Wake), Probe and Close (up to its
// linger).
class Transport {
 public:
  virtual ~Transport() = default;  // = Close(0)

  // "zmq", "shm", "inproc".
  virtual const char* name() const = 0;

  // Listens at `where` (port 0 = any free one; how hosts are written is the transport's) and returns the
  // address that was bound. Once per transport. Errors: kUnavailable with address, the system's text and a
  // hint.
  virtual Result<Address> Bind(const Address& where) = 0;

  // Opens a link; returns at once, the connection is made (and made again) behind it. `incarnation` is the
  // peer's, for transports that have faster ways to some peers; 0: the ordinary way. Errors: kInvalidArgument
  // for what is no address.
  virtual Result<std::unique_ptr<Link>> Connect(const Address& peer, uint64_t incarnation = 0) = 0;

  // Answers the sender of a frame on its own connection, without a link; the frame (copied) comes out of
  // *its* Poll. May be called from OnFrame. Best effort: it may be dropped when the peer is gone. Works
  // before and after Connect. Errors: kInvalidArgument for what is no return path of this transport,
  // kUnavailable when the peer is known to be gone, kCancelled after Close.
  virtual Status Reply(const ReturnPath& to, const Frame& frame) = 0;

  // Hands some waiting frames (at most 32, and those that came together with the last) to `sink`; waits up to
  // `timeout_ms` (-1 = for ever) for the first. Returns how many; 0 on time-out, on Wake, after Close, and
  // now and then for no reason a caller can see (what came was no frame).
  virtual int Poll(FrameSink* sink, int timeout_ms) = 0;

  // Null: only the thread in Poll receives.
  virtual SharedReception* shared_reception() { return nullptr; }

  // Readable when Poll may have something to do: then call it until it returns 0. -1: only Poll can tell.
  virtual int poll_fd() const { return -1; }

  // What can be seen at `peer`, for the text of an error: "Connection refused", or that something accepts but
  // has not answered. May block for some 100 ms. Any thread.
  virtual std::string Probe(const Address& peer) const = 0;

  // Begins to ask whether anybody listens at `peer`, without waiting: for numeric hosts and what needs no
  // resolver (a name is resolved first, which may block). Nothing is sent but the attempt to connect. Any
  // thread; independent of this transport's life.
  virtual std::unique_ptr<ReachCheck> StartCheck(const Address& peer) const = 0;

  // Makes the current Poll, or the next one, return soon.
  virtual void Wake() = 0;

  // Called (on any thread but never inside TrySend, no lock of the transport held but the receive token) when
  // links that answered kFull may have room, and when a closed link has released its last frame. It must not
  // block and must not call Close. Set before Bind and before Connect.
  virtual void set_release_callback(std::function<void()> callback) = 0;

  // Idempotent. Refuses new frames, gives what was sent up to `linger_ms` to leave, closes all links. Nobody
  // may be in Poll. When it returns the release callback is not running and will not run. Links may outlive
  // the transport; they answer kClosed.
  virtual void Close(int linger_ms) = 0;
};

// What Probe says when somebody listens at the address.
constexpr const char* kAcceptsButDoesNotAnswer =
    "something accepts connections there but does not answer as a scheduler";

// Makes the transport of a node of this incarnation; a Van calls it once per Start.
using TransportFactory = std::function<Result<std::unique_ptr<Transport>>(uint64_t incarnation)>;

}  // namespace ps
#endif  // PS_TRANSPORT_TRANSPORT_H_
