#include "base/parse.h"

#include <algorithm>
#include <charconv>

namespace ps {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

bool AllDigits(std::string_view text) { return std::all_of(text.begin(), text.end(), IsDigit); }

}  // namespace

std::optional<std::int64_t> ParseInteger(std::string_view text, std::int64_t min, std::int64_t max) {
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value, 10);
  if (error != std::errc() || rest != end || value < min || value > max) return std::nullopt;
  return value;
}

std::optional<std::int64_t> ParseSeconds(std::string_view text, std::int64_t max_ms) {
  const std::size_t dot = text.find('.');
  const std::string_view whole = text.substr(0, dot);
  const std::string_view fraction = dot == std::string_view::npos ? std::string_view() : text.substr(dot + 1);
  if (whole.empty() && fraction.empty()) return std::nullopt;
  if (!AllDigits(whole) || !AllDigits(fraction)) return std::nullopt;
  std::int64_t seconds = 0;
  if (!whole.empty()) {
    const std::optional<std::int64_t> parsed = ParseInteger(whole, 0, max_ms / 1000);
    if (!parsed.has_value()) return std::nullopt;
    seconds = *parsed;
  }
  // Four digits are enough to round the third.
  std::string digits(fraction.substr(0, 4));
  digits.resize(4, '0');
  const std::int64_t tenths_of_ms = *ParseInteger(digits, 0, 9999);
  std::int64_t ms = seconds * 1000 + (tenths_of_ms + 5) / 10;
  const bool positive = fraction.find_first_not_of('0') != std::string_view::npos;
  if (ms == 0 && positive) ms = 1;
  if (ms > max_ms) return std::nullopt;
  return ms;
}

std::string FormatSeconds(std::int64_t ms) {
  std::string text = std::to_string(ms / 1000);
  if (ms % 1000 == 0) return text;
  std::string fraction = std::to_string(1000 + ms % 1000).substr(1);
  fraction.erase(fraction.find_last_not_of('0') + 1);
  return text + "." + fraction;
}

}  // namespace ps
