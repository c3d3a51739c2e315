// Text from outside to numbers: all of it, or nothing.
#ifndef PS_BASE_PARSE_H_
#define PS_BASE_PARSE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ps {

// A decimal whole number within [min, max], a minus sign allowed, nothing else around it.
std::optional<std::int64_t> ParseInteger(std::string_view text, std::int64_t min, std::int64_t max);

// Seconds, with or without a decimal fraction, as milliseconds rounded to the nearest; at most
// `max_ms`. What is above 0 never becomes 0, which would mean "none".
std::optional<std::int64_t> ParseSeconds(std::string_view text, std::int64_t max_ms);

// 1500 gives "1.5", 2000 gives "2".
std::string FormatSeconds(std::int64_t ms);

}  // namespace ps

#endif  // PS_BASE_PARSE_H_
