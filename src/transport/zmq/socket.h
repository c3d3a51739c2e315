#ifndef PS_TRANSPORT_ZMQ_SOCKET_H_
#define PS_TRANSPORT_ZMQ_SOCKET_H_

#include <zmq.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "ps/sarray.h"
#include "ps/status.h"

namespace ps {

// What a send or receive that never waits came to.
enum class IoResult {
  kDone,
  kNothing,  // nothing to receive; nobody to send to
  kGone,     // the peer of a routing id is not connected (any more)
  kFailed,   // the socket or its context is closed
};

// Owns a zmq_msg_t. Moves, does not copy.
class ZmqMessage {
 public:
  ZmqMessage() { zmq_msg_init(&message_); }
  // Room for `size` bytes, to be filled. Throws std::bad_alloc.
  explicit ZmqMessage(size_t size);
  // A copy of the bytes.
  ZmqMessage(const void* bytes, size_t size);
  // Refers to `bytes` without copying; holds them and the claim, whatever that is, until ZeroMQ lets go of
  // the message, on a thread of its own, which may be after every socket is closed. The bytes go first.
  ZmqMessage(const SArray<char>& bytes, std::shared_ptr<void> claim);
  ~ZmqMessage() { zmq_msg_close(&message_); }
  ZmqMessage(ZmqMessage&& other) noexcept;
  ZmqMessage& operator=(ZmqMessage&&) = delete;

  char* data() { return static_cast<char*>(zmq_msg_data(&message_)); }
  size_t size() const { return zmq_msg_size(&message_); }
  // True if another part of the same multipart message follows.
  bool more() const { return zmq_msg_more(&message_) != 0; }
  // The descriptor of the connection it was received over; -1 if there is none, or if it is of a peer of an
  // old protocol version.
  int source_fd() const { return zmq_msg_get(&message_, ZMQ_SRCFD); }

 private:
  friend class ZmqSocket;

  zmq_msg_t message_;
};

// A message's bytes as an array that owns the message.
SArray<char> ArrayOf(ZmqMessage&& message);

// Owns a ZeroMQ context. Thread-safe.
class ZmqContext {
 public:
  static Result<std::shared_ptr<ZmqContext>> Make(int io_threads);
  explicit ZmqContext(void* handle) : handle_(handle) {}
  ~ZmqContext() { Terminate(); }
  ZmqContext(const ZmqContext&) = delete;
  ZmqContext& operator=(const ZmqContext&) = delete;

  // Waits until all its sockets are closed and their linger is over; then no message is held any more. Not
  // by two threads at once.
  void Terminate();

  void* handle() const { return handle_; }

 private:
  void* handle_;
};

// Owns a ZeroMQ socket. Not thread-safe: several threads may use it one after the other under a lock, which
// is the full fence the library asks for. Never waits: every call is a try. Closed without linger unless
// Close says otherwise.
class ZmqSocket {
 public:
  // Errors: kResourceExhausted when descriptors or sockets are used up.
  static Result<std::unique_ptr<ZmqSocket>> Open(const ZmqContext& context, int type);
  explicit ZmqSocket(void* handle) : handle_(handle) {}
  ~ZmqSocket() { Close(0); }
  ZmqSocket(const ZmqSocket&) = delete;
  ZmqSocket& operator=(const ZmqSocket&) = delete;

  Status SetInt(int option, int value);
  Status SetInt64(int option, int64_t value);
  // The value does not appear in errors.
  Status SetText(int option, const std::string& value);

  // `endpoint` as in "tcp://127.0.0.1:80". Returns errno of the system, 0 when done.
  int Bind(const std::string& endpoint);
  int Connect(const std::string& endpoint);
  // Reports `events` of its connections to a PAIR that connects to `endpoint` ("inproc://name"); null: not
  // any more. Returns errno, 0 when done.
  int Monitor(const char* endpoint, int events);
  // The endpoint bound last, with the port that was chosen. Empty on failure.
  std::string LastEndpoint() const;

  // Becomes readable when the socket has something to do; only then, so look at it again after every use. -1
  // on failure.
  int Descriptor() const;
  // True if Receive would find something. Takes in what the library's threads have to say.
  bool Readable() const;

  // Hands over the message when kDone; else it is still the caller's.
  IoResult Send(ZmqMessage* message, bool more);
  IoResult Receive(ZmqMessage* message);

  // What was sent gets up to `linger_ms` to leave, in the background; ZmqContext::Terminate waits for it.
  // Idempotent.
  void Close(int linger_ms);

 private:
  Status Set(int option, const void* value, size_t size);

  void* handle_;  // null when closed
};

// The system's text for an error of Bind or Connect.
std::string ZmqErrorText(int error);

}  // namespace ps
#endif  // PS_TRANSPORT_ZMQ_SOCKET_H_
