#include "van/listen.h"

#include <unistd.h>

#include "base/network.h"

namespace ps {
namespace {

// Unix sockets have names, no ports; the wire wants a port that is one.
constexpr int kUnixPort = 1;

std::string LocalRootName(const Config& config) {
  return "@caravan-" + std::to_string(geteuid()) + "-" + std::to_string(config.root_port);
}

}  // namespace

Address RootAddress(const Config& config) {
  return {config.local ? LocalRootName(config) : config.root_uri, config.root_port};
}

Result<std::string> AdvertisedHost(const Config& config, uint64_t incarnation) {
  if (!config.local) return ChooseAdvertisedHost(config);
  if (config.role == Role::kScheduler) return LocalRootName(config);
  return LocalRootName(config) + "-" + std::to_string(incarnation);
}

Address ListenAddress(const Config& config, const std::string& advertised_host) {
  const bool is_scheduler = config.role == Role::kScheduler;
  Address address{advertised_host, is_scheduler ? config.root_port : config.port};
  if (config.local) {
    if (!is_scheduler) address.port = kUnixPort;
  } else if (!config.bind_host.empty()) {
    address.host = config.bind_host;
  } else if (is_scheduler && config.use_kubernetes) {
    address.host = IsNumericV6(advertised_host) ? "::" : "0.0.0.0";
  }
  return address;
}

}  // namespace ps
