#ifndef PS_TRANSPORT_SHM_DOORBELL_H_
#define PS_TRANSPORT_SHM_DOORBELL_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "base/descriptors.h"

namespace ps {

// Sends bytes with a descriptor (not open: none), all or nothing; never blocks.
bool SendWithDescriptor(const Descriptor& socket, const void* bytes, size_t size, const Descriptor& sent);
// What one read of a socket has brought; never blocks.
struct Delivery {
  enum class State { kNothingYet, kCame, kEnd };
  State state = State::kEnd;
  size_t bytes = 0;
  std::vector<Descriptor> descriptors;
  bool has_lost_some = false;  // descriptors that did not fit, or that this process has no room for
};
Delivery ReceiveWithDescriptors(const Descriptor& socket, char* bytes, size_t size);

// Memory that a writer is about to lend (base/arena.h), or that is gone.
struct Announcement {
  uint64_t arena = 0;
  uint64_t bytes = 0;  // 0: it is gone
  Descriptor memfd;
};

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

  // False: it was not told, and can not be told now.
  bool Announce(const Announcement& announcement);

  enum class State { kSilent, kRung, kPeerGone };
  // Takes in what has been rung; what was announced is appended to `*announced`, or dropped.
  State Look(std::vector<Announcement>* announced = nullptr);
  // Whether the peer is gone, without taking anything in.
  bool IsPeerGone() const;

  // The peer sees that nothing more is written; its own end can still be seen.
  void EndWriting();
  // The peer sees it at once, even if a forked child has the socket too. Idempotent.
  void Close();

  int fd() const { return socket_.fd(); }

 private:
  // What is taken in of an announcement that has not come whole.
  static constexpr size_t kAnnouncementBytes = 17;
  void TakeByte(char byte, std::vector<Announcement>* announced);

  Descriptor socket_;
  std::array<char, kAnnouncementBytes> begun_{};
  size_t num_begun_ = 0;
  std::deque<Descriptor> arrived_;  // of announcements to come
  bool has_lost_some_ = false;      // this process had no descriptor left for them
};

}  // namespace ps
#endif  // PS_TRANSPORT_SHM_DOORBELL_H_
