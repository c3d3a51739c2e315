#ifndef PS_TRANSPORT_ZMQ_ZMQ_LINK_H_
#define PS_TRANSPORT_ZMQ_ZMQ_LINK_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "transport/poll_set.h"
#include "transport/send_window.h"
#include "transport/transport.h"
#include "transport/zmq/multipart.h"
#include "transport/zmq/socket.h"

namespace ps {

// A frame that was received, and how to answer it.
struct Arrival {
  Frame frame;
  ReturnPath from;
  int probation_fd = -1;  // of its connection, if its peer is not trusted yet
};

// What a transport reads at most from one socket before it looks at the others.
constexpr size_t kMaxFramesPerPoll = 32;

// The DEALER socket to one peer: frames go out, the peer's replies come in. Shared by the link and its
// transport; both use it under its own lock, because the senders and the polling thread are different
// threads. Thread-safe.
class ZmqLinkSocket {
 public:
  // `tag` is the socket's in the poll set. `socket` is connected to `endpoint`.
  ZmqLinkSocket(uint64_t tag, std::string endpoint, std::unique_ptr<ZmqSocket> socket,
                std::shared_ptr<SendWindow> window, std::shared_ptr<PollSet> poll_set);

  // Lets the poll set watch for replies. Once, before the link is used.
  Status Watch() PS_EXCLUDES(mutex_);

  SendResult TrySend(const Frame& frame) PS_EXCLUDES(mutex_);
  // Sends a copy to the peer, whatever the bound says. Errors: kCancelled when closed.
  Status SendCopy(const Frame& frame) PS_EXCLUDES(mutex_);
  size_t unreleased() const { return window_->frames(); }

  // Appends replies that have come, until `arrivals` has kMaxFramesPerPoll. True if there may be more. Counts
  // what is no frame in *malformed.
  bool Drain(std::vector<Arrival>* arrivals, int* malformed) PS_EXCLUDES(mutex_);

  // Idempotent. Drops what was not sent within `linger_ms`, in the background.
  void Close(int linger_ms) PS_EXCLUDES(mutex_);

  uint64_t tag() const { return tag_; }

 private:
  IoResult Write(const Frame& frame, const std::shared_ptr<SendClaim>& claim) PS_REQUIRES(mutex_);

  const uint64_t tag_;
  const std::string endpoint_;
  const std::shared_ptr<SendWindow> window_;
  const std::shared_ptr<PollSet> poll_set_;

  Mutex mutex_;  // the window's and the poll set's are taken under it
  std::unique_ptr<ZmqSocket> socket_ PS_GUARDED_BY(mutex_);  // null when closed
};

// The return path of replies: it leads through the link's own socket.
ReturnPath LinkReturnPath(uint64_t tag);
// The tag in such a path; 0 if it is none.
uint64_t TagOfReturnPath(const ReturnPath& path);

}  // namespace ps
#endif  // PS_TRANSPORT_ZMQ_ZMQ_LINK_H_
