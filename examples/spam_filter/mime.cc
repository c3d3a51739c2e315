#include "examples/spam_filter/mime.h"

#include <cctype>
#include <cstdint>

namespace spam {
namespace {

int Base64Value(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == '+') return 62;
  return c == '/' ? 63 : -1;
}

int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const int lower = std::tolower(static_cast<unsigned char>(c));
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// Decodes the encoded word at the start of `text` into `out`; returns its length, 0 if there is none.
size_t TakeEncodedWord(std::string_view text, std::string* out) {
  if (text.substr(0, 2) != "=?") return 0;
  const size_t charset_end = text.find('?', 2);
  if (charset_end == std::string_view::npos || charset_end + 2 >= text.size() || text[charset_end + 2] != '?')
    return 0;
  const size_t begin = charset_end + 3;
  const size_t end = text.find("?=", begin);
  if (end == std::string_view::npos) return 0;
  const char encoding = static_cast<char>(std::tolower(static_cast<unsigned char>(text[charset_end + 1])));
  const std::string_view word = text.substr(begin, end - begin);
  if (encoding != 'b' && encoding != 'q') return 0;
  *out += encoding == 'b' ? DecodeBase64(word) : DecodeQuotedPrintable(word, true);
  return end + 2;
}

}  // namespace

std::string DecodeBase64(std::string_view text) {
  std::string out;
  uint32_t bits = 0;
  int num_bits = 0;
  for (char c : text) {
    const int value = Base64Value(c);
    if (value < 0) continue;
    bits = (bits << 6) | static_cast<uint32_t>(value);
    num_bits += 6;
    if (num_bits < 8) continue;
    num_bits -= 8;
    out += static_cast<char>((bits >> num_bits) & 0xff);
  }
  return out;
}

std::string DecodeQuotedPrintable(std::string_view text, bool header) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '_' && header) {
      out += ' ';
    } else if (c != '=') {
      out += c;
    } else if (i + 1 < text.size() && text[i + 1] == '\n') {
      i += 1;  // a soft line break
    } else if (i + 2 < text.size() && HexValue(text[i + 1]) >= 0 && HexValue(text[i + 2]) >= 0) {
      out += static_cast<char>(HexValue(text[i + 1]) * 16 + HexValue(text[i + 2]));
      i += 2;
    } else {
      out += c;
    }
  }
  return out;
}

std::string DecodeEncodedWords(std::string_view header) {
  std::string out;
  while (!header.empty()) {
    size_t length = TakeEncodedWord(header, &out);
    if (length == 0) {
      out += header[0];
      length = 1;
    }
    header.remove_prefix(length);
  }
  return out;
}

}  // namespace spam
