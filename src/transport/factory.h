#ifndef PS_TRANSPORT_FACTORY_H_
#define PS_TRANSPORT_FACTORY_H_

#include <functional>

#include "ps/config.h"
#include "ps/status.h"
#include "transport/transport.h"

namespace ps {

// What a node wants to hear about frames that never reach it. Called on its polling thread.
struct TransportEvents {
  std::function<void()> on_malformed;         // something came that is no frame
  std::function<void(const Frame&)> on_drop;  // PS_DROP_MSG has lost a frame; its line is logged already
};

// Chooses the transport of a node: `van_type` auto, zmq and p3 (an alias of auto) mean zmq in this build;
// others are refused with the list (kInvalidArgument). With drop_msg_percent > 0 that share of received
// frames is lost and logged as `Drop message ...`. A node's messages to itself do not pass a transport and
// are never lost. With curve_dir the keys are read here, once (kInvalidArgument names PS_CURVE_DIR and what
// to do).
Result<TransportFactory> MakeTransportFactory(const Config& config, const TransportEvents& events = {});

}  // namespace ps
#endif  // PS_TRANSPORT_FACTORY_H_
