#include "app/gather.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "app/kv_message.h"
#include "base/copy.h"
#include "message/node_id.h"

namespace ps {
namespace {

std::vector<std::size_t> OrderByKey(const SArray<Key>& keys) {
  std::vector<std::size_t> order(keys.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&keys](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
  return order;
}

// As most servers answer.
bool HasSameKeys(const Message& answer, const SArray<Key>& keys) {
  const std::size_t bytes = keys.size() * sizeof(Key);
  return !answer.data.empty() && answer.data[0].size() == bytes && bytes != 0 &&
         std::memcmp(answer.data[0].data(), keys.data(), bytes) == 0;
}

// Where the answer's keys belong, when a server answers in another order than it was asked. False if they
// are other keys.
bool Reorder(const SArray<Key>& asked, const SArray<Key>& answered, Places* places) {
  if (asked.size() != answered.size()) return false;
  const std::vector<std::size_t> asked_order = OrderByKey(asked);
  const std::vector<std::size_t> answered_order = OrderByKey(answered);
  std::vector<std::size_t> each(answered.size(), 0);
  for (std::size_t i = 0; i < answered.size(); ++i) {
    if (asked[asked_order[i]] != answered[answered_order[i]]) return false;
    each[answered_order[i]] = (*places)[asked_order[i]];
  }
  places->each = std::move(each);
  return true;
}

void PutLength(std::size_t length, char* lens, std::size_t place) {
  const int number = static_cast<int>(length);
  std::memcpy(lens + place * sizeof(int), &number, sizeof(int));
}

void Copy(char* to, const char* from, std::size_t bytes) { CopyToRest(to, from, bytes); }

}  // namespace

Gather::Gather(const Pull& pull, const std::vector<Slice>& slices) : pull_(pull) {
  parts_.reserve(slices.size());
  for (const Slice& slice : slices) parts_.push_back({slice.data.keys, slice.places, {}, 0});
}

Gather::Gather(const Pull& pull, int rank, SArray<Key> keys) : pull_(pull), first_rank_(rank) {
  Places all;
  all.count = keys.size();
  parts_.push_back({std::move(keys), std::move(all), {}, 0});
}

Status Gather::Add(int node, const Message& answer) {
  const std::size_t part = static_cast<std::size_t>(RankOfId(node) - first_rank_);
  const bool was_asked = RoleOfId(node) == Node::SERVER && part < parts_.size();
  const Status fits = was_asked ? Read(answer, &parts_[part]) : Status::InvalidArgument("it was not asked");
  if (fits.ok()) return fits;
  return Status::InvalidArgument("the answer of " + DescribeNodeId(node) +
                                 " does not fit the pull: " + fits.message());
}

Status Gather::Read(const Message& answer, Part* part) const {
  KVBytes data;
  if (HasSameKeys(answer, part->keys)) {
    PS_RETURN_IF_ERROR(ReadValues(answer, pull_.element, part->keys.size(), &data));
  } else {
    Result<KVBytes> read = ReadBlocks(answer, pull_.element);
    PS_RETURN_IF_ERROR(read.status());
    data = std::move(read).value();
    PS_RETURN_IF_ERROR(CheckNumKeys(data.keys.size(), part->keys.size()));
  }
  const std::size_t asked = part->keys.size();
  const std::size_t num_vals = data.vals.size() / pull_.element.size;
  const bool even = asked == 0 ? num_vals == 0 : asked == 1 || num_vals % asked == 0;
  if (data.lens.empty() && !even) {
    return Status::InvalidArgument("it has " + std::to_string(num_vals) + " values for " +
                                   std::to_string(asked) + " keys and no lens");
  }
  if (!data.keys.empty() && !Reorder(part->keys, data.keys, &part->places))
    return Status::InvalidArgument("it has other keys than those asked for");
  part->answer.vals = std::move(data.vals);
  part->answer.lens = std::move(data.lens);
  part->num_vals = num_vals;
  return Status::Ok();
}

Status Gather::CheckNumKeys(std::size_t came, std::size_t asked) const {
  if (came == asked) return Status::Ok();
  const std::string keys = came == 0 ? "no keys" : std::to_string(came) + " keys";
  return Status::InvalidArgument("it has " + keys + ", asked were " + std::to_string(asked));
}

Status Gather::Write() {
  std::size_t num_vals = 0;
  for (const Part& part : parts_) num_vals += part.num_vals;
  PS_RETURN_IF_ERROR(CheckSizes(num_vals));
  if (IsInOrder()) {
    WriteInOrder(num_vals);
  } else {
    WriteByPlace(num_vals);
  }
  return Status::Ok();
}

Status Gather::CheckSizes(std::size_t num_vals) const {
  const auto mismatch = [](const char* name, std::size_t has, std::size_t came) {
    return Status::InvalidArgument(std::string("the buffer for ") + name + " has " + std::to_string(has) +
                                   " elements, " + std::to_string(came) +
                                   " came: it must be empty or fit exactly");
  };
  if (pull_.exact && num_vals != pull_.exact_vals) return mismatch("outs", pull_.exact_vals, num_vals);
  const std::size_t vals_size = pull_.vals.size(pull_.vals.container);
  if (vals_size != 0 && vals_size != num_vals) return mismatch("vals", vals_size, num_vals);
  if (pull_.lens.container == nullptr) return Status::Ok();
  const std::size_t lens_size = pull_.lens.size(pull_.lens.container);
  if (lens_size != 0 && lens_size != pull_.num_keys) return mismatch("lens", lens_size, pull_.num_keys);
  return Status::Ok();
}

// Each part a run of keys, one run behind the other: all that the range partition makes of answers in the
// order that was asked for.
bool Gather::IsInOrder() const {
  std::size_t next = 0;
  for (const Part& part : parts_) {
    if (part.places.count == 0) continue;
    if (!part.places.contiguous() || part.places.begin != next) return false;
    next += part.places.count;
  }
  return true;
}

// One answer to everything for a buffer without memory: nothing is copied.
bool Gather::AdoptWhole() {
  const auto holds_all = [this](const Part& part) { return part.places.count == pull_.num_keys; };
  const auto whole = std::find_if(parts_.begin(), parts_.end(), holds_all);
  return whole != parts_.end() && pull_.vals.adopt(pull_.vals.container, whole->answer.vals);
}

void Gather::WriteInOrder(std::size_t num_vals) {
  if (!AdoptWhole()) {
    char* to = pull_.vals.resize(pull_.vals.container, num_vals);
    for (const Part& part : parts_) {
      Copy(to, part.answer.vals.data(), part.answer.vals.size());
      to += part.answer.vals.size();
    }
  }
  if (pull_.lens.container == nullptr) return;
  char* const lens = pull_.lens.resize(pull_.lens.container, pull_.num_keys);
  for (const Part& part : parts_) {
    for (std::size_t i = 0; i < part.places.count; ++i) PutLength(part.LengthOf(i), lens, part.places[i]);
  }
}

void Gather::WriteByPlace(std::size_t num_vals) {
  std::vector<std::size_t> offsets(pull_.num_keys + 1, 0);  // where the values of each key begin
  for (const Part& part : parts_) {
    for (std::size_t i = 0; i < part.places.count; ++i) offsets[part.places[i] + 1] = part.LengthOf(i);
  }
  std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
  char* const to = pull_.vals.resize(pull_.vals.container, num_vals);
  const std::size_t size = pull_.element.size;
  for (const Part& part : parts_) {
    const char* from = part.answer.vals.data();
    for (std::size_t i = 0; i < part.places.count; ++i) {
      const std::size_t bytes = part.LengthOf(i) * size;
      Copy(to + offsets[part.places[i]] * size, from, bytes);
      from += bytes;
    }
  }
  if (pull_.lens.container == nullptr) return;
  char* const lens = pull_.lens.resize(pull_.lens.container, pull_.num_keys);
  for (std::size_t i = 0; i < pull_.num_keys; ++i) PutLength(offsets[i + 1] - offsets[i], lens, i);
}

}  // namespace ps
