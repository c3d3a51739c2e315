#ifndef PS_TRANSPORT_ZMQ_ENDPOINT_H_
#define PS_TRANSPORT_ZMQ_ENDPOINT_H_

#include <string>

#include "base/address.h"
#include "ps/status.h"

namespace ps {

// True for "@name": a Unix socket in the abstract name space, on this machine only; nothing is left behind.
bool IsUnix(const Address& address);

// The same with a numeric host, or "@name" as it is. Blocks as long as the resolver does, for names only.
// Errors: kInvalidArgument for what is no address, and for ports below `lowest_port`.
Result<Address> ResolveEndpoint(const Address& address, int lowest_port);

// "tcp://127.0.0.1:80", "ipc://@name". The host is numeric.
std::string EndpointOf(const Address& address);

// The port in "tcp://127.0.0.1:80"; 0 if there is none.
int PortOf(const std::string& endpoint);

// Why it is not possible to listen at `where`, with the system's text for `error` and what to do about it.
Status BindError(const Address& where, int error);

}  // namespace ps
#endif  // PS_TRANSPORT_ZMQ_ENDPOINT_H_
