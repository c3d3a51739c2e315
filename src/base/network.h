// Which address a node advertises, and whether somebody listens at another.
#ifndef PS_BASE_NETWORK_H_
#define PS_BASE_NETWORK_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/address.h"
#include "ps/config.h"
#include "ps/status.h"

namespace ps {

// An address of an interface of this machine.
struct InterfaceInfo {
  std::string name;
  std::string address;  // numeric
  bool up = false;
  bool loopback = false;
};

// In the order of the system; an interface appears once per address. Link-local v6 addresses are
// left out: they mean nothing to another machine.
std::vector<InterfaceInfo> ListInterfaces();

// The address of the interface called exactly `name`, if it is up; v4 before v6. The error lists
// the interfaces that would have done.
Result<std::string> InterfaceAddress(const std::string& name);
// The rule of it, for any list.
Result<std::string> PickInterface(const std::vector<InterfaceInfo>& interfaces, const std::string& name);

// The own address the system would use to talk to `root_host` (no packet is sent); empty when there
// is no route or the name does not resolve.
std::string RouteAddress(const std::string& root_host);

// What the node tells others to connect to: node_host; else the address of `interface`; else
// loopback when the scheduler is there or the job is local; else the route to the scheduler; else
// the first interface that is up. The scheduler itself: node_host, else root_uri. Names are given
// back as names. Numeric v6 without brackets.
Result<std::string> ChooseAdvertisedHost(const Config& config);

// Ok if something accepts a connection at `address` within `timeout_ms`; else kUnavailable with
// the system's text, such as "Connection refused". Tells "nobody there" from "not a scheduler".
Status ProbeTcp(const Address& address, std::int64_t timeout_ms);

}  // namespace ps

#endif  // PS_BASE_NETWORK_H_
