#ifndef PS_TRANSPORT_SHM_HANDOVER_H_
#define PS_TRANSPORT_SHM_HANDOVER_H_

#include <cstdint>

#include "base/descriptors.h"
#include "ps/status.h"
#include "transport/shm/doorbell.h"
#include "transport/shm/hello.h"

namespace ps {

// Rings are handed over through Unix sockets in the abstract name space, named by the reader's incarnation:
// that there is one is the test for "same machine". Both sides are of the same user, or nothing happens.

// Gives the memory to hello.reader; the ring may be used at once. Never blocks. Errors: kNotFound when nobody
// of that incarnation listens on this machine, kAlreadyExists for another user's
// socket, else the system's.
Result<Doorbell> HandOver(const Hello& hello, const Descriptor& memfd);

// The reader's half: a socket that listens; connections that were accepted, and what came over one.
Result<Descriptor> ListenForRings(uint64_t incarnation);
// Not open: nobody waits, or (*trouble is not ok) the system does not let them in.
Descriptor AcceptPeer(const Descriptor& listener, Status* trouble);
bool IsOwnUser(const Descriptor& socket);

// What one read of a connection has brought. Nothing else is ever taken from the peer.
struct Offer {
  enum class State { kNothingYet, kMade, kWrong };
  State state = State::kNothingYet;
  Hello hello;
  Descriptor memfd;
};
Offer ReceiveOffer(const Descriptor& socket);

}  // namespace ps
#endif  // PS_TRANSPORT_SHM_HANDOVER_H_
