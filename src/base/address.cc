#include "base/address.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>

#include "base/parse.h"

namespace ps {
namespace {

constexpr int kMaxPort = 65535;
constexpr char kWhereNamesComeFrom[] = " (names come from DMLC_PS_ROOT_URI, DMLC_NODE_HOST and PS_BIND_HOST)";

std::string Quoted(std::string_view text) { return "\"" + std::string(text) + "\""; }

bool IsNameChar(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
         c == '_';
}

// Digits and dots alone are meant as a v4 address, never as a name.
bool LooksLikeV4(std::string_view text) {
  return text.find_first_not_of("0123456789.") == std::string_view::npos;
}

std::string NumericText(const addrinfo& info) {
  char text[NI_MAXHOST];
  const int error =
      getnameinfo(info.ai_addr, info.ai_addrlen, text, sizeof(text), nullptr, 0, NI_NUMERICHOST);
  return error == 0 ? std::string(text) : std::string();
}

}  // namespace

bool IsNumericV4(const std::string& host) {
  in_addr address;
  return inet_pton(AF_INET, host.c_str(), &address) == 1;
}

bool IsNumericV6(const std::string& host) {
  in6_addr address;
  // A link-local address carries its interface: fe80::1%eth0.
  const std::string without_scope = host.substr(0, host.find('%'));
  return inet_pton(AF_INET6, without_scope.c_str(), &address) == 1;
}

std::string FormatHost(const std::string& host) { return IsNumericV6(host) ? "[" + host + "]" : host; }

std::string Address::ToString() const { return FormatHost(host) + ":" + std::to_string(port); }

Result<std::string> ParseHost(std::string_view text) {
  if (text.empty()) return Status::InvalidArgument("the host is empty");
  if (text.front() == '[') {
    const std::string inner(text.substr(1, text.size() < 2 ? 0 : text.size() - 2));
    if (text.back() == ']' && IsNumericV6(inner)) return inner;
    return Status::InvalidArgument(Quoted(text) + " has brackets but is no v6 address");
  }
  const std::string host(text);
  if (IsNumericV4(host) || IsNumericV6(host)) return host;
  if (host.find("://") != std::string::npos) {
    return Status::InvalidArgument(Quoted(text) + " has a scheme, only the host is wanted");
  }
  if (host.find(':') != std::string::npos) {
    return Status::InvalidArgument(Quoted(text) + " is no v6 address and has a colon");
  }
  if (LooksLikeV4(text) || !std::all_of(text.begin(), text.end(), IsNameChar)) {
    return Status::InvalidArgument(Quoted(text) + " is neither an address nor a name");
  }
  return host;
}

Result<Address> ParseAddress(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) {
    return Status::InvalidArgument(Quoted(text) + " has no port: use host:port");
  }
  const std::string_view host = text.substr(0, colon);
  if (host.empty() || (host.front() != '[' && host.find(':') != std::string_view::npos)) {
    return Status::InvalidArgument(Quoted(text) + " is no address: use host:port or [v6]:port");
  }
  const Result<std::string> parsed_host = ParseHost(host);
  if (!parsed_host.ok()) return parsed_host.status();
  const std::optional<std::int64_t> port = ParseInteger(text.substr(colon + 1), 0, kMaxPort);
  if (!port.has_value()) {
    return Status::InvalidArgument(Quoted(text) + " has no port from 0 to 65535");
  }
  return Address{parsed_host.value(), static_cast<int>(*port)};
}

Result<std::string> ResolveHost(const std::string& host) {
  if (IsNumericV4(host) || IsNumericV6(host)) return host;
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  const int error = getaddrinfo(host.c_str(), nullptr, &hints, &list);
  if (error != 0) {
    return Status::Unavailable("cannot resolve " + Quoted(host) + ": " + gai_strerror(error) +
                               kWhereNamesComeFrom);
  }
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner(list, &freeaddrinfo);
  const addrinfo* chosen = list;
  for (const addrinfo* entry = list; entry != nullptr; entry = entry->ai_next) {
    if (entry->ai_family != AF_INET) continue;
    chosen = entry;
    break;
  }
  std::string text = NumericText(*chosen);
  if (text.empty()) return Status::Unavailable("cannot resolve " + Quoted(host) + kWhereNamesComeFrom);
  return text;
}

bool IsLoopback(const std::string& host) {
  const Result<std::string> numeric = ResolveHost(host);
  if (!numeric.ok()) return false;
  in_addr v4;
  if (inet_pton(AF_INET, numeric.value().c_str(), &v4) == 1) return (ntohl(v4.s_addr) >> 24) == 127;
  in6_addr v6;
  return inet_pton(AF_INET6, numeric.value().c_str(), &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
}

}  // namespace ps
