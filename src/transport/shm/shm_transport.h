#ifndef PS_TRANSPORT_SHM_SHM_TRANSPORT_H_
#define PS_TRANSPORT_SHM_SHM_TRANSPORT_H_

#include <cstdint>
#include <memory>

#include "transport/transport.h"

namespace ps {

struct ShmOptions {
  // Of this node: how peers find it.
  uint64_t incarnation = 0;
  // The largest frame, header included, that has to fit; a ring holds two of them and kRingBytes at least.
  uint64_t max_frame_bytes = 1 << 20;
  // How long Poll looks at the rings before it sleeps; -1: by the number of processors.
  int64_t spin_us = -1;
  // Peers that can not be reached through shared memory are an error (DMLC_PS_VAN_TYPE=shm).
  bool is_required = false;
};
constexpr uint64_t kRingBytes = 4 << 20;
// What a link asks for: a sixteenth of the ring.
constexpr uint64_t kPieceBytes = 256 << 10;

// Shared memory to peers on the same machine, `inner` for all else: other peers, addresses, what is sent to
// incarnation 0 (registration, the scheduler). A link whose peer stops reading goes on through `inner`.
//
// A ring per direction and peer, of memory that is handed over through a Unix socket; whoever takes it over
// is on this machine, so nobody is asked. TrySend copies the payload into the ring, once, and refers to
// nothing afterwards; the receiver's sink sees it there. One sleep for all: rings, their sockets and `inner`,
// which needs a poll_fd.
//
// When shared memory is not to be had at all, what comes back is `inner` itself (and a line says why), or an
// error when it is required.
Result<std::unique_ptr<Transport>> MakeShmTransport(std::unique_ptr<Transport> inner,
                                                    const ShmOptions& options);

}  // namespace ps
#endif  // PS_TRANSPORT_SHM_SHM_TRANSPORT_H_
