#ifndef PS_VAN_LISTEN_H_
#define PS_VAN_LISTEN_H_

#include <cstdint>
#include <string>

#include "base/address.h"
#include "ps/config.h"
#include "ps/status.h"

namespace ps {

// Where the nodes reach the scheduler: DMLC_PS_ROOT_URI and DMLC_PS_ROOT_PORT. Under DMLC_LOCAL a Unix socket
// in the abstract name space ("@name"), named by user and port: jobs of others can not meet it, and nothing
// is left behind.
Address RootAddress(const Config& config);

// What the node tells others to connect to, a host or under DMLC_LOCAL the name of its socket; `incarnation`
// makes that unique. See ChooseAdvertisedHost.
Result<std::string> AdvertisedHost(const Config& config, uint64_t incarnation);

// Where a node listens: PS_BIND_HOST; else, for a scheduler under DMLC_USE_KUBERNETES, all addresses; else
// what it advertises (always, under DMLC_LOCAL). The scheduler on its given port, others on DMLC_PORT or any
// free one.
Address ListenAddress(const Config& config, const std::string& advertised_host);

}  // namespace ps
#endif  // PS_VAN_LISTEN_H_
