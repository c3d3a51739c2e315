// Host and port of a node, v4 and v6.
#ifndef PS_BASE_ADDRESS_H_
#define PS_BASE_ADDRESS_H_

#include <string>
#include <string_view>

#include "ps/status.h"

namespace ps {

// `host` is a name or a numeric address, v6 without brackets. A plain value.
struct Address {
  std::string host;
  int port = 0;  // 0..65535

  // "10.0.0.1:80", "node-3:80", "[::1]:80": what ParseAddress reads and ZeroMQ takes.
  std::string ToString() const;

  friend bool operator==(const Address& a, const Address& b) { return a.host == b.host && a.port == b.port; }
  friend bool operator!=(const Address& a, const Address& b) { return !(a == b); }
};

// "10.0.0.1:80", "node-3:80", "[::1]:80". A v6 address needs its brackets here.
Result<Address> ParseAddress(std::string_view text);

// "::1" and "[::1]" give "::1"; v4 addresses and names stay as they are. Refuses what is neither
// (spaces, "tcp://...", "host:80", an empty text) with a text that says why.
Result<std::string> ParseHost(std::string_view text);

// With brackets when it is a v6 address.
std::string FormatHost(const std::string& host);

bool IsNumericV4(const std::string& host);
bool IsNumericV6(const std::string& host);

// Numeric addresses as they are, names looked up (v4 preferred, so that all nodes of a job choose
// alike). May block as long as the resolver does.
Result<std::string> ResolveHost(const std::string& host);

// 127.0.0.0/8 and ::1; names are resolved first.
bool IsLoopback(const std::string& host);

}  // namespace ps

#endif  // PS_BASE_ADDRESS_H_
