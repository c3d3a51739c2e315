#include "base/natural_order.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

namespace ps {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Takes the run of digits at the front of `text`, without its leading zeros.
std::string_view TakeNumber(std::string_view* text) {
  std::size_t length = 0;
  while (length < text->size() && IsDigit((*text)[length])) ++length;
  std::string_view number = text->substr(0, length);
  text->remove_prefix(length);
  number.remove_prefix(std::min(number.find_first_not_of('0'), number.size()));
  return number;
}

template <typename T>
int Sign(T a, T b) {
  return a < b ? -1 : (b < a ? 1 : 0);
}

// Numbers without leading zeros: the longer one is larger.
int CompareNumbers(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return Sign(a.size(), b.size());
  return a.compare(b);
}

// v4, v6, then names.
struct HostKey {
  int family = 2;
  std::array<unsigned char, 16> bytes{};
};

HostKey KeyOf(std::string_view host) {
  const std::string text(host);
  HostKey key;
  if (inet_pton(AF_INET, text.c_str(), key.bytes.data()) == 1) {
    key.family = 0;
  } else if (inet_pton(AF_INET6, text.c_str(), key.bytes.data()) == 1) {
    key.family = 1;
  }
  return key;
}

}  // namespace

int NaturalCompare(std::string_view a, std::string_view b) {
  const std::string_view whole_a = a;
  const std::string_view whole_b = b;
  while (!a.empty() && !b.empty()) {
    if (IsDigit(a.front()) && IsDigit(b.front())) {
      const std::string_view number_a = TakeNumber(&a);
      const int order = CompareNumbers(number_a, TakeNumber(&b));
      if (order != 0) return order;
      continue;
    }
    const int order =
        Sign<unsigned char>(static_cast<unsigned char>(a.front()), static_cast<unsigned char>(b.front()));
    if (order != 0) return order;
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  if (a.size() != b.size()) return Sign(a.size(), b.size());
  if (whole_a.size() != whole_b.size()) return Sign(whole_a.size(), whole_b.size());
  return whole_a.compare(whole_b);
}

int HostCompare(std::string_view a, std::string_view b) {
  const HostKey key_a = KeyOf(a);
  const HostKey key_b = KeyOf(b);
  if (key_a.family != key_b.family) return Sign(key_a.family, key_b.family);
  if (key_a.family == 2) return NaturalCompare(a, b);
  return std::memcmp(key_a.bytes.data(), key_b.bytes.data(), key_a.bytes.size());
}

}  // namespace ps
