#include "c_api/table_text.h"

#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/parse.h"
#include "ps/status.h"

namespace ps::c_api {
namespace {

constexpr int kMostRounds = 1000000;

[[noreturn]] void Refuse(const char* what, std::string_view text, const char* allowed) {
  throw Error(
      Status::InvalidArgument(std::string(what) + " '" + std::string(text) + "' is none of " + allowed));
}

std::vector<std::string_view> PartsOf(std::string_view text) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t colon = text.find(':');
    parts.push_back(text.substr(0, colon));
    if (colon == std::string_view::npos) return parts;
    text.remove_prefix(colon + 1);
  }
}

std::optional<double> NumberIn(std::string_view text) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const std::from_chars_result read = std::from_chars(text.data(), end, number);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return number;
}

std::optional<std::uint64_t> SeedIn(std::string_view text) {
  std::uint64_t seed = 0;
  const char* const end = text.data() + text.size();
  const std::from_chars_result read = std::from_chars(text.data(), end, seed);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return seed;
}

}  // namespace

Consistency ModeOf(const char* text) {
  if (text == nullptr) return Consistency::Asp();
  const std::vector<std::string_view> parts = PartsOf(text);
  if (parts.size() == 1 && parts[0] == "asp") return Consistency::Asp();
  if (parts.size() == 1 && parts[0] == "bsp") return Consistency::Bsp();
  const auto number = parts.size() == 2 ? ParseInteger(parts[1], 0, kMostRounds) : std::nullopt;
  if (number.has_value() && parts[0] == "bsp") return Consistency::Bsp(static_cast<int>(*number));
  if (number.has_value() && parts[0] == "ssp") return Consistency::Ssp(static_cast<int>(*number));
  Refuse("mode", text, "asp, bsp, bsp:<backup>, ssp:<bound>, with whole numbers from 0 to 1000000");
}

Init InitOf(const char* text) {
  if (text == nullptr) return Init::Constant(0);
  const std::vector<std::string_view> parts = PartsOf(text);
  if (parts.size() == 1 && parts[0] == "first_write") return Init::FirstWrite();
  if (parts.size() == 1) {
    if (const auto value = NumberIn(parts[0])) return Init::Constant(*value);
  }
  if (parts.size() == 4 && parts[0] == "uniform") {
    const auto low = NumberIn(parts[1]);
    const auto high = NumberIn(parts[2]);
    const auto seed = SeedIn(parts[3]);
    if (low && high && seed) return Init::Uniform(*low, *high, *seed);
  }
  Refuse("init", text, "a number, uniform:<low>:<high>:<seed>, first_write");
}

CodecSpec CodecOf(const char* text) {
  if (text == nullptr) return {};
  const std::vector<std::string_view> parts = PartsOf(text);
  CodecSpec codec{std::string(parts[0]), 0};
  const auto parameter = parts.size() == 2 ? NumberIn(parts[1]) : std::optional<double>(0);
  if (parts.size() > 2 || !parameter || parts[0].empty())
    Refuse("codec", text,
           "none, sparse, f16, bf16, 2bit:<threshold>, 1bit:<threshold>, topk:<share>, fixed:<bytes>");
  codec.parameter = *parameter;
  return codec;
}

}  // namespace ps::c_api
