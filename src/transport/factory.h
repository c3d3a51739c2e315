#ifndef PS_TRANSPORT_FACTORY_H_
#define PS_TRANSPORT_FACTORY_H_

#include "ps/config.h"
#include "ps/status.h"
#include "transport/transport.h"

namespace ps {

// Chooses the transport of a node by `van_type`. auto and p3: data goes to peers on the same machine through
// shared memory, all else over ZeroMQ. zmq: everything. shm: data to a peer that shared memory does not reach
// is an error. Others are refused with the list (kInvalidArgument). With drop_msg_percent > 0 that share of
// received frames is lost and logged as `Drop message ...`. A node's messages to itself do not pass a
// transport and are never lost. With curve_dir the keys are read here, once (kInvalidArgument names
// PS_CURVE_DIR and what to do).
Result<TransportFactory> MakeTransportFactory(const Config& config);

}  // namespace ps
#endif  // PS_TRANSPORT_FACTORY_H_
