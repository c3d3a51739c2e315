#ifndef PS_TRANSPORT_SHM_DOORBELL_H_
#define PS_TRANSPORT_SHM_DOORBELL_H_

#include <utility>

#include "base/descriptors.h"

namespace ps {

// One end of the Unix socket over which a ring was handed over. Afterwards a byte means "look at the ring",
// and its end that the peer is gone. Not an eventfd: both sides would share its flags and its counter, and a
// peer that clears O_NONBLOCK or fills the counter would make the other one wait for ever.
class Doorbell {
 public:
  // `socket` is connected.
  explicit Doorbell(Descriptor socket) : socket_(std::move(socket)) {}
  ~Doorbell() { Close(); }
  Doorbell(Doorbell&&) noexcept = default;
  Doorbell& operator=(Doorbell&&) = delete;

  // Wakes a peer that waits for the descriptor to be readable. Never blocks: when the socket is full the peer
  // has been rung already.
  void Ring();

  enum class State { kSilent, kRung, kPeerGone };
  // Takes in what has been rung.
  State Look();
  // Whether the peer is gone, without taking anything in.
  bool IsPeerGone() const;

  // The peer sees it at once, even if a forked child has the socket too. Idempotent.
  void Close();

  int fd() const { return socket_.fd(); }

 private:
  Descriptor socket_;
};

}  // namespace ps
#endif  // PS_TRANSPORT_SHM_DOORBELL_H_
