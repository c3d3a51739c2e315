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
// are other keys. Both have the same number.
bool Reorder(const SArray<Key>& asked, const SArray<Key>& answered, Places* places) {
  if (asked.empty()) return true;
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
  if (slices.empty()) return;
  has_first_ = true;
  others_.resize(slices.size() - 1);
  for (std::size_t i = 0; i < slices.size(); ++i) {
    part(i).keys = slices[i].data.keys;
    part(i).places = slices[i].places;
  }
}

Gather::Gather(const Pull& pull, int rank, SArray<Key> keys)
    : pull_(pull), first_rank_(rank), has_first_(true) {
  first_.keys = std::move(keys);
  first_.places.count = first_.keys.size();
}

Status Gather::Add(int node, const Message& answer) {
  const std::size_t i = static_cast<std::size_t>(RankOfId(node) - first_rank_);
  const bool was_asked = RoleOfId(node) == Node::SERVER && i < num_parts();
  const Status fits = was_asked ? Read(answer, &part(i)) : Status::InvalidArgument("it was not asked");
  if (fits.ok()) return fits;
  return Status::InvalidArgument("the answer of " + DescribeNodeId(node) +
                                 " does not fit the pull: " + fits.message());
}

Status Gather::Read(const Message& answer, Part* part) const {
  KVBytes& data = part->answer;
  part->borrowed = answer.meta.borrowed;
  const std::size_t asked = part->keys.size();
  const bool same_keys = HasSameKeys(answer, part->keys);
  if (same_keys) {
    PS_RETURN_IF_ERROR(ReadValues(answer, pull_.element, asked, &data));
  } else {
    Result<KVBytes> read = ReadBlocks(answer, pull_.element);
    PS_RETURN_IF_ERROR(read.status());
    data = std::move(read).value();
    PS_RETURN_IF_ERROR(CheckNumKeys(data.keys.size(), asked));
  }
  part->num_vals = data.vals.size() / pull_.element.size;
  part->each_length = asked == 0 ? 0 : part->num_vals / asked;
  if (data.lens.empty() && part->num_vals != part->each_length * asked) {
    return Status::InvalidArgument("it has " + std::to_string(part->num_vals) + " values for " +
                                   std::to_string(asked) + " keys and no lens");
  }
  if (same_keys) return Status::Ok();
  const SArray<Key> answered = std::move(data.keys);
  if (Reorder(part->keys, answered, &part->places)) return Status::Ok();
  return Status::InvalidArgument("it has other keys than those asked for");
}

Status Gather::CheckNumKeys(std::size_t came, std::size_t asked) {
  if (came == asked) return Status::Ok();
  const std::string keys = came == 0 ? "no keys" : std::to_string(came) + " keys";
  return Status::InvalidArgument("it has " + keys + ", asked were " + std::to_string(asked));
}

Status Gather::Write() {
  std::size_t num_vals = 0;
  for (std::size_t i = 0; i < num_parts(); ++i) num_vals += part(i).num_vals;
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
  for (std::size_t i = 0; i < num_parts(); ++i) {
    const Places& places = part(i).places;
    if (places.count == 0) continue;
    if (!places.contiguous() || places.begin != next) return false;
    next += places.count;
  }
  return true;
}

// One answer to everything for a buffer without memory: nothing is copied.
bool Gather::AdoptWhole() {
  for (std::size_t i = 0; i < num_parts(); ++i) {
    if (part(i).places.count == pull_.num_keys)
      return !part(i).borrowed && pull_.vals.adopt(pull_.vals.container, part(i).answer.vals);
  }
  return false;
}

void Gather::WriteInOrder(std::size_t num_vals) {
  if (!AdoptWhole()) {
    char* to = pull_.vals.resize(pull_.vals.container, num_vals);
    for (std::size_t i = 0; i < num_parts(); ++i) {
      const SArray<char>& vals = part(i).answer.vals;
      Copy(to, vals.data(), vals.size());
      to += vals.size();
    }
  }
  if (pull_.lens.container == nullptr) return;
  char* const lens = pull_.lens.resize(pull_.lens.container, pull_.num_keys);
  for (std::size_t i = 0; i < num_parts(); ++i) {
    const Part& from = part(i);
    for (std::size_t k = 0; k < from.places.count; ++k) PutLength(from.LengthOf(k), lens, from.places[k]);
  }
}

void Gather::WriteByPlace(std::size_t num_vals) {
  std::vector<std::size_t> offsets(pull_.num_keys + 1, 0);  // where the values of each key begin
  for (std::size_t i = 0; i < num_parts(); ++i) {
    const Part& from = part(i);
    for (std::size_t k = 0; k < from.places.count; ++k) offsets[from.places[k] + 1] = from.LengthOf(k);
  }
  std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
  char* const to = pull_.vals.resize(pull_.vals.container, num_vals);
  const std::size_t size = pull_.element.size;
  for (std::size_t i = 0; i < num_parts(); ++i) {
    const Part& from = part(i);
    const char* vals = from.answer.vals.data();
    for (std::size_t k = 0; k < from.places.count; ++k) {
      const std::size_t bytes = from.LengthOf(k) * size;
      Copy(to + offsets[from.places[k]] * size, vals, bytes);
      vals += bytes;
    }
  }
  if (pull_.lens.container == nullptr) return;
  char* const lens = pull_.lens.resize(pull_.lens.container, pull_.num_keys);
  for (std::size_t k = 0; k < pull_.num_keys; ++k) PutLength(offsets[k + 1] - offsets[k], lens, k);
}

}  // namespace ps
