#include "kvstore/key_space.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace ps {
namespace {

constexpr std::size_t kMaxNameBytes = 40;
constexpr std::size_t kMaxTextBytes = 200;  // with the rest, a table's name has at most 255

Status CheckText(const KVKey& key) {
  if (!key.is_text() || (!key.text().empty() && key.text().size() <= kMaxTextBytes)) return Status::Ok();
  return Status::InvalidArgument("a text key has 1 to " + std::to_string(kMaxTextBytes) + " bytes, not " +
                                 std::to_string(key.text().size()));
}

}  // namespace

Status KeySpace::Validate() const {
  if (!name_.empty() && name_.size() <= kMaxNameBytes && name_.find('/') == std::string::npos)
    return Status::Ok();
  return Status::InvalidArgument("the name of a KVStore has 1 to " + std::to_string(kMaxNameBytes) +
                                 " bytes and no '/'; '" + name_.substr(0, 100) + "' is none");
}

Result<std::vector<KeyGroup>> KeySpace::Group(const KVKeys& keys, std::size_t num_values, const char* what) {
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const Kind kind = keys[i].is_text() ? Kind::kTexts : Kind::kNumbers;
    if (kind_ == Kind::kOpen) kind_ = kind;
    if (kind_ != kind)
      return Status::InvalidArgument("Mixed key types are not allowed: '" + keys[i].ToString() + "' is a " +
                                     (kind == Kind::kTexts ? "text" : "number") +
                                     ", and the first key was a " +
                                     (kind == Kind::kTexts ? "number" : "text"));
    PS_RETURN_IF_ERROR(CheckText(keys[i]));
  }
  if (keys.size() != num_values)
    return Status::InvalidArgument(std::to_string(keys.size()) + " keys and " + std::to_string(num_values) +
                                   " " + what + ": there must be as many of one as of the other");
  std::vector<std::size_t> order(keys.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&keys](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
  std::vector<KeyGroup> groups;
  for (const std::size_t place : order) {
    if (groups.empty() || !(groups.back().key == keys[place])) groups.push_back({keys[place], {}});
    groups.back().places.push_back(place);
  }
  return groups;
}

std::string KeySpace::TableOf(const KVKey& key, std::size_t slice) const {
  return Prefix() + (key.is_text() ? "t" : "n") + (slice == 0 ? "" : "#" + std::to_string(slice)) + "/" +
         key.ToString();
}

}  // namespace ps
