#ifndef PS_TRANSPORT_INPROC_INPROC_TRANSPORT_H_
#define PS_TRANSPORT_INPROC_INPROC_TRANSPORT_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "transport/inproc/hub.h"
#include "transport/transport.h"

namespace ps {

// What one link may have under way; beyond it TrySend answers kFull.
struct InprocOptions {
  size_t max_frames = 64;         // not taken by the receiver yet
  uint64_t max_bytes = 8u << 20;  // their payload; one larger frame may go alone
};

// A transport between endpoints of one process that share `hub`. Frames are handed over by reference: the
// receiver sees the sender's memory until it has taken the frame, and a frame counts as unreleased until the
// receiver's sink has returned. The release callback runs on the receiver's polling thread. A closed link
// takes back what the receiver has not seen; Close with a linger leaves copies behind.
std::unique_ptr<Transport> MakeInprocTransport(std::shared_ptr<Hub> hub, const InprocOptions& options = {});

}  // namespace ps
#endif  // PS_TRANSPORT_INPROC_INPROC_TRANSPORT_H_
