#ifndef PS_TRANSPORT_ZMQ_MONITOR_H_
#define PS_TRANSPORT_ZMQ_MONITOR_H_

#include <memory>

#include "ps/status.h"
#include "transport/zmq/socket.h"

namespace ps {

// What happened to a connection of a bound socket.
struct ConnectionEvent {
  enum class Kind {
    kAccepted,
    kClosed,
    // Without a descriptor:
    kReady,     // a handshake is done
    kRefused,   // one was wrong or took too long; the next event says which connection closed over it
    kBrokenOff  // the peer left in the middle of one; the same
  };
  Kind kind = Kind::kAccepted;
  int fd = -1;  // its descriptor: the library's, which may be closed and even in use again by now
};

// Reports the connections of a bound socket, in the order things happened to them. What happened before a
// message could be received has been reported before it (with one I/O thread). Not thread-safe; a user of the
// socket as far as locking goes. Nothing is lost and the library never waits for it, so it has to be read.
class Monitor {
 public:
  // Before `socket` is bound; one per context. `socket` outlives the monitor and is open then.
  static Result<std::unique_ptr<Monitor>> Attach(const ZmqContext& context, ZmqSocket* socket);
  Monitor(ZmqSocket* socket, std::unique_ptr<ZmqSocket> reports)
      : socket_(socket), reports_(std::move(reports)) {}
  ~Monitor() { socket_->Monitor(nullptr, 0); }
  Monitor(const Monitor&) = delete;
  Monitor& operator=(const Monitor&) = delete;

  // Becomes readable when there is something to read, once Read has found nothing; only then, so read all of
  // it, the first time right away.
  int Descriptor() const { return reports_->Descriptor(); }

  // False when there is nothing more.
  bool Read(ConnectionEvent* event);

 private:
  ZmqSocket* const socket_;
  const std::unique_ptr<ZmqSocket> reports_;
};

}  // namespace ps
#endif  // PS_TRANSPORT_ZMQ_MONITOR_H_
