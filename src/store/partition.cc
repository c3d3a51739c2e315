#include "store/partition.h"

#include <algorithm>
#include <limits>

#include "store/spec_bytes.h"

namespace ps {
namespace {

std::uint64_t NumUnits(const TableSpec& spec) {
  return spec.kind == TableSpec::kHash ? Partition::kNumSlots : static_cast<std::uint64_t>(spec.rows);
}

// Both are at least 1: the quotient cannot overflow where the product might.
bool IsSmall(const TableSpec& spec) {
  return spec.kind == TableSpec::kDense && spec.rows <= spec.min_split / spec.width;
}

}  // namespace

Partition::Partition(const TableSpec& spec, int num_servers, bool needs_whole)
    : name_(spec.name),
      is_hash_(spec.kind == TableSpec::kHash),
      num_units_(NumUnits(spec)),
      num_servers_(num_servers) {
  const auto count = static_cast<std::uint64_t>(num_servers);
  if (needs_whole || IsSmall(spec)) {
    home_ = static_cast<int>(TableId(spec.name) % count);
    servers_ = Range(static_cast<std::uint64_t>(home_), static_cast<std::uint64_t>(home_) + 1);
    return;
  }
  short_length_ = num_units_ / count;
  num_long_ = num_units_ % count;
  servers_ = Range(0, std::min(count, num_units_));
  if (!is_hash_) return;
  server_of_slot_.reserve(kNumSlots);
  for (std::uint64_t server = 0; server < servers_.end(); ++server) {
    server_of_slot_.resize(RangeOf(static_cast<int>(server)).end(), static_cast<std::uint32_t>(server));
  }
}

Range Partition::RangeOf(int server) const {
  if (home_ >= 0) return server == home_ ? Range(0, num_units_) : Range();
  const auto at = static_cast<std::uint64_t>(server);
  const std::uint64_t begin = at * short_length_ + std::min(at, num_long_);
  return Range(begin, begin + short_length_ + (at < num_long_ ? 1 : 0));
}

int Partition::ServerOf(std::uint64_t key) const {
  if (home_ >= 0) return home_;
  if (is_hash_) return static_cast<int>(server_of_slot_[SlotOf(key)]);
  const std::uint64_t long_rows = num_long_ * (short_length_ + 1);
  return static_cast<int>(key < long_rows ? key / (short_length_ + 1)
                                          : num_long_ + (key - long_rows) / short_length_);
}

Status Partition::OutOfRange(std::uint64_t row) const {
  return Status::InvalidArgument("table `" + name_ + "` has no row " +
                                 std::to_string(static_cast<std::int64_t>(row)) + ": it has " +
                                 std::to_string(num_units_) + " rows");
}

void Partition::FindOwnersOfSlots(const std::uint64_t* keys, std::size_t count, std::uint32_t* owners) const {
  const std::uint32_t* const server_of_slot = server_of_slot_.data();
  for (std::size_t i = 0; i < count; ++i) owners[i] = server_of_slot[SlotOf(keys[i])];
}

// Rows next to each other in the list are often of one server: then there is nothing to divide.
Status Partition::FindOwners(const std::uint64_t* rows, std::size_t count, std::uint32_t* owners) const {
  Range range;
  std::uint32_t owner = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t row = rows[i];
    if (row - range.begin() >= range.size()) {
      if (row >= num_units_) return OutOfRange(row);
      owner = static_cast<std::uint32_t>(ServerOf(row));
      range = RangeOf(static_cast<int>(owner));
    }
    owners[i] = owner;
  }
  return Status::Ok();
}

Status Partition::Split(const std::uint64_t* keys, std::size_t count, SplitKeys* out) const {
  if (count > std::numeric_limits<std::uint32_t>::max()) {
    return Status::InvalidArgument("table `" + name_ + "`: " + std::to_string(count) +
                                   " keys are too many for one operation");
  }
  out->owners.resize(count);
  if (is_hash_ && home_ < 0) {
    FindOwnersOfSlots(keys, count, out->owners.data());
  } else if (is_hash_) {
    std::fill(out->owners.begin(), out->owners.end(), static_cast<std::uint32_t>(home_));
  } else {
    PS_RETURN_IF_ERROR(FindOwners(keys, count, out->owners.data()));
  }
  // A counting sort: sizes, begins, and each key to its place.
  out->begins.assign(static_cast<std::size_t>(num_servers_) + 2, 0);
  std::size_t* const next = out->begins.data() + 1;
  for (const std::uint32_t owner : out->owners) ++next[owner + 1];
  for (std::size_t server = 1; server + 1 < out->begins.size(); ++server) next[server] += next[server - 1];
  out->keys.resize(count);
  out->places.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t to = next[out->owners[i]]++;
    out->keys[to] = keys[i];
    out->places[to] = static_cast<std::uint32_t>(i);
  }
  out->begins.pop_back();
  return Status::Ok();
}

Status Partition::Split(const Range& rows, std::vector<SplitRange>* out) const {
  out->clear();
  if (is_hash_ || rows.begin() > rows.end() || rows.end() > num_units_) {
    return Status::InvalidArgument(
        "table `" + name_ + "` has no rows " + std::to_string(rows.begin()) + " to " +
        std::to_string(rows.end()) +
        (is_hash_ ? ": its keys have no order" : ": it has " + std::to_string(num_units_) + " rows"));
  }
  for (std::uint64_t begin = rows.begin(); begin < rows.end();) {
    const int server = ServerOf(begin);
    const std::uint64_t end = std::min(rows.end(), RangeOf(server).end());
    out->push_back({server, Range(begin, end)});
    begin = end;
  }
  return Status::Ok();
}

}  // namespace ps
