// Vans of nodes that a test makes itself, over memory.
#ifndef PS_TESTS_SUPPORT_INPROC_VANS_H_
#define PS_TESTS_SUPPORT_INPROC_VANS_H_

#include <memory>
#include <string>

#include "ps/config.h"
#include "ps/van.h"
#include "transport/inproc/hub.h"
#include "transport/inproc/inproc_transport.h"

namespace ps {

// Where the nodes of one cluster find each other.
class InprocVans {
 public:
  InprocVans(int num_workers, int num_servers) : num_workers_(num_workers), num_servers_(num_servers) {}

  // `rank` -1: no wish.
  Config ConfigOf(Role role, int rank) const {
    Config config;
    config.role = role;
    config.num_workers = num_workers_;
    config.num_servers = num_servers_;
    config.root_uri = config.node_host = "inproc";
    config.root_port = 1;
    config.rank_wish = rank;
    return config;
  }

  VanFactory factory() const {
    return [hub = hub_](const Config& started) -> Result<std::unique_ptr<Van>> {
      return std::make_unique<Van>(started, [hub](uint64_t) -> Result<std::unique_ptr<Transport>> {
        return MakeInprocTransport(hub);
      });
    };
  }

 private:
  const int num_workers_;
  const int num_servers_;
  const std::shared_ptr<Hub> hub_ = std::make_shared<Hub>();
};

}  // namespace ps

#endif  // PS_TESTS_SUPPORT_INPROC_VANS_H_
