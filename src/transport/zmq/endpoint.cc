#include "transport/zmq/endpoint.h"

#include <cerrno>

#include "transport/zmq/socket.h"

namespace ps {

bool IsUnix(const Address& address) { return !address.host.empty() && address.host[0] == '@'; }

Result<Address> ResolveEndpoint(const Address& address, int lowest_port) {
  if (address.port < lowest_port || address.port > 65535)
    return Status::InvalidArgument("\"" + address.ToString() + "\" has no port from " +
                                   std::to_string(lowest_port) + " to 65535");
  if (address.host.empty()) return Status::InvalidArgument("\"" + address.ToString() + "\" has no host");
  if (IsUnix(address)) return address;
  const Result<std::string> host = ResolveHost(address.host);
  if (!host.ok()) return host.status();
  return Address{host.value(), address.port};
}

std::string EndpointOf(const Address& address) {
  return IsUnix(address) ? "ipc://" + address.host : "tcp://" + address.ToString();
}

int PortOf(const std::string& endpoint) {
  const size_t scheme = endpoint.find("://");
  if (scheme == std::string::npos) return 0;
  const Result<Address> address = ParseAddress(endpoint.substr(scheme + 3));
  return address.ok() ? address.value().port : 0;
}

Status BindError(const Address& where, int error) {
  std::string hint;
  if (error == EADDRINUSE) {
    hint =
        "; choose another DMLC_PS_ROOT_PORT (scheduler) or DMLC_PORT (others), or find who holds it (ss "
        "-ltnp 'sport = :" +
        std::to_string(where.port) + "')";
  } else if (error == EADDRNOTAVAIL || error == ENODEV) {
    hint =
        "; this machine has no such address: set DMLC_NODE_HOST, PS_BIND_HOST or, for the scheduler, "
        "DMLC_PS_ROOT_URI";
  } else if (error == EACCES) {
    hint = "; choose a port above 1023";
  }
  return Status::Unavailable("cannot listen at " + where.ToString() + ": " + ZmqErrorText(error) + hint);
}

}  // namespace ps
