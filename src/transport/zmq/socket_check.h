#ifndef PS_TRANSPORT_ZMQ_SOCKET_CHECK_H_
#define PS_TRANSPORT_ZMQ_SOCKET_CHECK_H_

#include <memory>

#include "base/address.h"
#include "transport/transport.h"

namespace ps {

// Asks with a plain socket of its own that connects and says nothing. `peer` as ResolveEndpoint gives it:
// numeric, or "@name". No descriptor to be had, and what is no address, are kUnknown.
std::unique_ptr<ReachCheck> StartSocketCheck(const Address& peer);

}  // namespace ps
#endif  // PS_TRANSPORT_ZMQ_SOCKET_CHECK_H_
