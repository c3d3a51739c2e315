#ifndef PS_TRANSPORT_ZMQ_CONNECTIONS_H_
#define PS_TRANSPORT_ZMQ_CONNECTIONS_H_

#include <cstddef>
#include <deque>
#include <unordered_map>
#include <utility>
#include <vector>

#include "transport/transport.h"
#include "transport/zmq/monitor.h"

namespace ps {

// Finds out which return path has closed, and what came of connections without one. The library reports
// descriptors, which are used again at once by whoever connects next, and its reports and the frames come by
// different ways; so every report is told here in order, and a frame's path only after all reports that were
// there when it was received. Pure. Holds one entry per open connection.
class Connections {
 public:
  void On(const ConnectionEvent& event);

  // True if a frame of `path` needs no call of Heard.
  bool Knows(int fd, const ReturnPath& path) const;
  // A frame with `path` has come over the connection with descriptor `fd`.
  void Heard(int fd, const ReturnPath& path);

  // The paths over which nothing comes any more. Each once; what was told a long time ago may come again if a
  // frame of it does.
  std::vector<ReturnPath> TakeClosed();

  // Connections that ended since the last call because they did not speak the library's protocol; and those
  // that ended otherwise before a message came.
  struct Ended {
    int refused = 0;
    int silent = 0;
  };
  Ended TakeEnded() { return std::exchange(ended_, {}); }

  bool IsOpen(int fd) const { return open_.count(fd) != 0; }
  size_t size() const { return open_.size(); }

 private:
  void Accepted(int fd);
  void Closed(int fd);
  void CountEnded();
  void Tell(const ReturnPath& path);

  std::unordered_map<int, ReturnPath> open_;  // empty path: no frame has come yet
  std::deque<ReturnPath> told_;               // the last few, for frames that come late
  std::vector<ReturnPath> closed_;
  int handshaking_ = 0;                                               // connections in their handshake
  ConnectionEvent::Kind failure_ = ConnectionEvent::Kind::kAccepted;  // of the connection that closes next
  Ended ended_;
};

}  // namespace ps
#endif  // PS_TRANSPORT_ZMQ_CONNECTIONS_H_
