#ifndef PS_TRANSPORT_ZMQ_ZMQ_LINK_H_
#define PS_TRANSPORT_ZMQ_ZMQ_LINK_H_

#include <atomic>
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
//
// Small frames that come while the library's thread has not taken the last message yet wait and travel
// together: whoever sends next sends them, or that thread when it has taken the last message.
class ZmqLinkSocket : public std::enable_shared_from_this<ZmqLinkSocket> {
 public:
  struct Plan {
    uint64_t tag = 0;           // in the poll set
    std::string endpoint;       // that the socket is connected to
    size_t max_part_bytes = 0;  // no message has more, as long as no frame alone has
  };
  ZmqLinkSocket(Plan plan, std::unique_ptr<ZmqSocket> socket, std::shared_ptr<SendWindow> window,
                std::shared_ptr<PollSet> poll_set);

  // Lets the poll set watch for replies. Once, before the link is used.
  Status Watch() PS_EXCLUDES(mutex_);

  SendResult TrySend(const Frame& frame) PS_EXCLUDES(mutex_);
  // Sends a copy to the peer, whatever the bound says. Errors: kCancelled when closed.
  Status SendCopy(const Frame& frame) PS_EXCLUDES(mutex_);
  size_t unreleased() const { return window_->frames(); }

  // Appends replies that have come, until `arrivals` has kMaxFramesPerPoll. True
  // if there may be more. Counts what is no frame in *malformed.
  bool Drain(std::vector<Arrival>* arrivals, int* malformed) PS_EXCLUDES(mutex_);

  // Idempotent. Drops what was not sent within `linger_ms`, in the background.
  void Close(int linger_ms) PS_EXCLUDES(mutex_);

  uint64_t tag() const { return plan_.tag; }

 private:
  // A batch that the library's thread has not taken.
  class Passage;
  // A call into the library, by this thread.
  class Call;

  // Tries once more if the library has given the connection up.
  template <typename Try>
  IoResult Write(Try try_once) PS_REQUIRES(mutex_);
  IoResult WriteAlone(const Frame& frame, const std::shared_ptr<SendClaim>& claim) PS_REQUIRES(mutex_);
  IoResult WriteWaiting() PS_REQUIRES(mutex_);
  bool Read(std::vector<Arrival>* arrivals, int* malformed) PS_REQUIRES(mutex_);
  void OnTaken() PS_EXCLUDES(mutex_);

  const Plan plan_;
  const std::shared_ptr<SendWindow> window_;
  const std::shared_ptr<PollSet> poll_set_;

  Mutex mutex_;  // the window's and the poll set's are taken under it
  std::unique_ptr<ZmqSocket> socket_ PS_GUARDED_BY(mutex_);  // null when closed
  FrameBatch batch_ PS_GUARDED_BY(mutex_);
  std::vector<Frame> received_ PS_GUARDED_BY(mutex_);
  std::atomic<int> under_way_{0};     // batches that the library has
  std::atomic<bool> waiting_{false};  // there are frames in batch_; written under mutex_
};

// The return path of replies: it leads through the link's own socket.
ReturnPath LinkReturnPath(uint64_t tag);
// The tag in such a path; 0 if it is none.
uint64_t TagOfReturnPath(const ReturnPath& path);

}  // namespace ps
#endif  // PS_TRANSPORT_ZMQ_ZMQ_LINK_H_
