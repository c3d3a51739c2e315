#ifndef PS_TRANSPORT_ZMQ_CONNECTIONS_H_
#define PS_TRANSPORT_ZMQ_CONNECTIONS_H_

#include <cstddef>
#include <deque>
#include <unordered_map>
#include <vector>

#include "transport/transport.h"

namespace ps {

// Finds out which return path has closed. The library reports descriptors, which are used again at once by
// whoever connects next, and its reports and the frames come by different ways; so every report is told here
// in order, and a frame's path only after all reports that were there when it was received. Pure. Holds one
// entry per open connection.
class Connections {
 public:
  // A connection with this descriptor begins; ends.
  void Accepted(int fd);
  void Closed(int fd);

  // True if a frame of `path` needs no call of Heard.
  bool Knows(int fd, const ReturnPath& path) const;
  // A frame with `path` has come over the connection with descriptor `fd`.
  void Heard(int fd, const ReturnPath& path);

  // The paths over which nothing comes any more. Each once; what was told a long time ago may come again if a
  // frame of it does.
  std::vector<ReturnPath> TakeClosed();

  size_t size() const { return open_.size(); }

 private:
  void Tell(const ReturnPath& path);

  std::unordered_map<int, ReturnPath> open_;  // empty path: no frame has come yet
  std::deque<ReturnPath> told_;               // the last few, for frames that come late
  std::vector<ReturnPath> closed_;
};

}  // namespace ps
#endif  // PS_TRANSPORT_ZMQ_CONNECTIONS_H_
