#ifndef PS_TRANSPORT_FACTORY_H_
#define PS_TRANSPORT_FACTORY_H_

#include "ps/config.h"
#include "ps/status.h"
#include "transport/transport.h"

namespace ps {

// Chooses the transport of a node: `van_type` auto, zmq and p3 (an alias of auto) mean zmq in this build;
// others are refused with the list (kInvalidArgument). With drop_msg_percent > 0 that share of received
// frames is lost and logged as `Drop message ...`. A node's messages to itself do not pass a transport and
// are never lost. With curve_dir the keys are read here, once (kInvalidArgument names PS_CURVE_DIR and what
// to do).
Result<TransportFactory> MakeTransportFactory(const Config& config);

}  // namespace ps
#endif  // PS_TRANSPORT_FACTORY_H_
