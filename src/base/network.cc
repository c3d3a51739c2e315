#include "base/network.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <system_error>

#include "base/clock.h"

namespace ps {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int get() const { return fd_; }

 private:
  int fd_;
};

struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t size = 0;

  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
  sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
};

Status SystemError(int error) { return Status::Unavailable(std::generic_category().message(error)); }

// `host` is numeric.
std::optional<SocketAddress> MakeSocketAddress(const std::string& host, int port) {
  addrinfo hints{};
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  if (getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &list) != 0) {
    return std::nullopt;
  }
  SocketAddress address;
  std::memcpy(&address.storage, list->ai_addr, list->ai_addrlen);
  address.size = list->ai_addrlen;
  freeaddrinfo(list);
  return address;
}

std::string NumericText(const sockaddr* address, socklen_t size) {
  char text[NI_MAXHOST];
  const int error = getnameinfo(address, size, text, sizeof(text), nullptr, 0, NI_NUMERICHOST);
  return error == 0 ? std::string(text) : std::string();
}

bool IsLinkLocalV6(const sockaddr* address) {
  if (address->sa_family != AF_INET6) return false;
  const auto* v6 = reinterpret_cast<const sockaddr_in6*>(address);
  return IN6_IS_ADDR_LINKLOCAL(&v6->sin6_addr);
}

// Bridges of containers and virtual machines: other machines cannot reach them.
bool IsBridgeName(const std::string& name) {
  static constexpr const char* kPrefixes[] = {"docker", "br-", "veth", "virbr", "cni"};
  return std::any_of(std::begin(kPrefixes), std::end(kPrefixes),
                     [&name](const char* prefix) { return name.rfind(prefix, 0) == 0; });
}

// 0 is the best; ties go to the one the system lists first.
int Undesirability(const InterfaceInfo& info) {
  return (info.loopback ? 4 : 0) + (IsBridgeName(info.name) ? 2 : 0) + (IsNumericV4(info.address) ? 0 : 1);
}

Result<std::string> BestAddress(std::vector<InterfaceInfo> interfaces) {
  interfaces.erase(std::remove_if(interfaces.begin(), interfaces.end(),
                                  [](const InterfaceInfo& info) { return !info.up; }),
                   interfaces.end());
  const auto best = std::min_element(
      interfaces.begin(), interfaces.end(),
      [](const InterfaceInfo& a, const InterfaceInfo& b) { return Undesirability(a) < Undesirability(b); });
  if (best != interfaces.end()) return best->address;
  return Status::Unavailable(
      "no network interface is up: set DMLC_NODE_HOST to the address of this node, or DMLC_LOCAL=1 "
      "for a job on one machine");
}

// A probe of a free port of this machine can be given that very port as its own and meet itself.
bool IsConnectedToItself(int fd) {
  SocketAddress own;
  SocketAddress peer;
  own.size = peer.size = sizeof(own.storage);
  if (getsockname(fd, own.get(), &own.size) != 0) return false;
  if (getpeername(fd, peer.get(), &peer.size) != 0) return false;
  return own.size == peer.size && std::memcmp(&own.storage, &peer.storage, own.size) == 0;
}

// Waits until the connection is made or refused; the error number, 0 when it is made.
int AwaitConnection(int fd, Deadline deadline) {
  for (;;) {
    pollfd entry{fd, POLLOUT, 0};
    const std::int64_t left = deadline.remaining(Clock::Real().NowMs());
    const int wait_ms = static_cast<int>(std::min<std::int64_t>(left, std::numeric_limits<int>::max()));
    const int ready = ::poll(&entry, 1, wait_ms);
    if (ready < 0 && errno == EINTR) continue;
    if (ready < 0) return errno;
    if (ready == 0) return ETIMEDOUT;
    int error = 0;
    socklen_t size = sizeof(error);
    return getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno;
  }
}

}  // namespace

std::vector<InterfaceInfo> ListInterfaces() {
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return {};
  const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> owner(list, &freeifaddrs);
  std::vector<InterfaceInfo> interfaces;
  for (const ifaddrs* entry = list; entry != nullptr; entry = entry->ifa_next) {
    const sockaddr* address = entry->ifa_addr;
    if (address == nullptr || IsLinkLocalV6(address)) continue;
    if (address->sa_family != AF_INET && address->sa_family != AF_INET6) continue;
    const socklen_t size = address->sa_family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
    constexpr unsigned int kUsable = IFF_UP | IFF_RUNNING;
    interfaces.push_back({entry->ifa_name, NumericText(address, size),
                          (entry->ifa_flags & kUsable) == kUsable, (entry->ifa_flags & IFF_LOOPBACK) != 0});
  }
  return interfaces;
}

Result<std::string> PickInterface(const std::vector<InterfaceInfo>& interfaces, const std::string& name) {
  const InterfaceInfo* chosen = nullptr;
  bool is_down = false;
  std::string candidates;
  for (const InterfaceInfo& info : interfaces) {
    if (info.name == name && !info.up) is_down = true;
    if (!info.up) continue;
    candidates += (candidates.empty() ? "" : ", ") + info.name + " (" + info.address + ")";
    if (info.name != name) continue;
    const bool first_v4 = chosen != nullptr && !IsNumericV4(chosen->address) && IsNumericV4(info.address);
    if (chosen == nullptr || first_v4) chosen = &info;
  }
  if (chosen != nullptr) return chosen->address;
  return Status::NotFound("DMLC_INTERFACE=\"" + name + "\" is " +
                          (is_down ? "an interface that is down" : "no interface of this machine") +
                          ": use one of " + (candidates.empty() ? "none (no interface is up)" : candidates));
}

Result<std::string> InterfaceAddress(const std::string& name) {
  return PickInterface(ListInterfaces(), name);
}

std::string RouteAddress(const std::string& root_host) {
  const Result<std::string> numeric = ResolveHost(root_host);
  if (!numeric.ok()) return "";
  // Connecting a datagram socket only asks for the route; the port does not matter.
  const std::optional<SocketAddress> target = MakeSocketAddress(numeric.value(), 9);
  if (!target.has_value()) return "";
  const Descriptor fd(::socket(target->storage.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (fd.get() < 0 || ::connect(fd.get(), target->get(), target->size) != 0) return "";
  SocketAddress own;
  own.size = sizeof(own.storage);
  if (getsockname(fd.get(), own.get(), &own.size) != 0) return "";
  return NumericText(own.get(), own.size);
}

Result<std::string> ChooseAdvertisedHost(const Config& config) {
  if (!config.node_host.empty()) return config.node_host;
  if (config.role == Role::kScheduler) return config.root_uri;
  if (!config.interface.empty()) return InterfaceAddress(config.interface);
  if (config.local || IsLoopback(config.root_uri)) {
    const Result<std::string> root = ResolveHost(config.root_uri);
    return std::string(root.ok() && IsNumericV6(root.value()) ? "::1" : "127.0.0.1");
  }
  std::string route = RouteAddress(config.root_uri);
  if (!route.empty()) return route;
  return BestAddress(ListInterfaces());
}

Status ProbeTcp(const Address& address, std::int64_t timeout_ms) {
  const Result<std::string> numeric = ResolveHost(address.host);
  if (!numeric.ok()) return numeric.status();
  const std::optional<SocketAddress> target = MakeSocketAddress(numeric.value(), address.port);
  if (!target.has_value()) return SystemError(EINVAL);
  const Deadline deadline = Deadline::AfterAt(Clock::Real().NowMs(), timeout_ms);
  const Descriptor fd(::socket(target->storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (fd.get() < 0) return SystemError(errno);
  int error = 0;
  if (::connect(fd.get(), target->get(), target->size) != 0) error = errno;
  if (error == EINPROGRESS) error = AwaitConnection(fd.get(), deadline);
  if (error != 0) return SystemError(error);
  return IsConnectedToItself(fd.get()) ? SystemError(ECONNREFUSED) : Status::Ok();
}

}  // namespace ps
