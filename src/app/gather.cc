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

bool SameKeys(const SArray<Key>& a, const SArray<Key>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

// The places of the answer's keys, when a server answers in another order than it was asked. False if they
// are other keys.
bool Reorder(const Slice& asked, const SArray<Key>& answered, Places* places) {
  if (asked.data.keys.size() != answered.size()) return false;
  const std::vector<std::size_t> asked_order = OrderByKey(asked.data.keys);
  const std::vector<std::size_t> answered_order = OrderByKey(answered);
  places->count = answered.size();
  places->each.assign(answered.size(), 0);
  for (std::size_t i = 0; i < answered.size(); ++i) {
    if (asked.data.keys[asked_order[i]] != answered[answered_order[i]]) return false;
    places->each[answered_order[i]] = asked.places[asked_order[i]];
  }
  return true;
}

void Copy(char* to, const char* from, std::size_t bytes) { CopyToRest(to, from, bytes); }

}  // namespace

Gather::Gather(const Pull& pull, std::vector<Slice> slices) : pull_(pull), slices_(std::move(slices)) {}

Status Gather::Add(int node, const Message& answer) {
  const auto error = [node](const std::string& text) {
    return Status::InvalidArgument("the answer of " + DescribeNodeId(node) +
                                   " does not fit the pull: " + text);
  };
  const std::size_t rank = static_cast<std::size_t>(RankOfId(node));
  if (RoleOfId(node) != Node::SERVER || rank >= slices_.size()) return error("it was not asked");
  Result<KVBytes> data = ReadBlocks(answer, pull_.element);
  if (!data.ok()) return error(data.status().message());

  const Slice& slice = slices_[rank];
  const Status fits = Check(slice, data.value());
  if (!fits.ok()) return error(fits.message());
  Answer kept{data.value(), slice.places, data.value().vals.size() / pull_.element.size};
  if (!SameKeys(slice.data.keys, kept.data.keys) && !Reorder(slice, kept.data.keys, &kept.places)) {
    return error("it has other keys than those asked for");
  }
  answers_.push_back(std::move(kept));
  return Status::Ok();
}

Status Gather::Check(const Slice& slice, const KVBytes& data) const {
  const std::size_t asked = slice.data.keys.size();
  if (data.keys.size() != asked) {
    const std::string came = data.keys.empty() ? "no keys" : std::to_string(data.keys.size()) + " keys";
    return Status::InvalidArgument("it has " + came + ", asked were " + std::to_string(asked));
  }
  const std::size_t num_vals = data.vals.size() / pull_.element.size;
  const bool even = asked == 0 ? num_vals == 0 : num_vals % asked == 0;
  if (!data.lens.empty() || even) return Status::Ok();
  return Status::InvalidArgument("it has " + std::to_string(num_vals) + " values for " +
                                 std::to_string(asked) + " keys and no lens");
}

Status Gather::Write() {
  std::size_t num_vals = 0;
  for (const Answer& answer : answers_) num_vals += answer.num_vals;
  PS_RETURN_IF_ERROR(CheckSizes(num_vals));
  const std::vector<std::size_t> lengths = Lengths();
  if (!AdoptWhole()) WriteVals(lengths, num_vals);
  if (pull_.lens.container != nullptr) {
    char* to = pull_.lens.resize(pull_.lens.container, pull_.num_keys);
    for (std::size_t i = 0; i < pull_.num_keys; ++i) {
      const int length = static_cast<int>(lengths[i]);
      std::memcpy(to + i * sizeof(int), &length, sizeof(int));
    }
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

// The number of values of every key of the request.
std::vector<std::size_t> Gather::Lengths() const {
  std::vector<std::size_t> lengths(pull_.num_keys, 0);
  for (const Answer& answer : answers_) {
    const std::size_t n = answer.data.keys.size();
    for (std::size_t i = 0; i < n; ++i) {
      lengths[answer.places[i]] =
          answer.data.lens.empty() ? answer.num_vals / n : static_cast<std::size_t>(answer.data.lens[i]);
    }
  }
  return lengths;
}

// One answer to everything, in order, for a buffer without memory: nothing is copied.
bool Gather::AdoptWhole() {
  if (answers_.size() != 1 || !answers_[0].places.contiguous()) return false;
  return pull_.vals.adopt(pull_.vals.container, answers_[0].data.vals);
}

void Gather::WriteVals(const std::vector<std::size_t>& lengths, std::size_t num_vals) {
  char* const to = pull_.vals.resize(pull_.vals.container, num_vals);
  const std::size_t size = pull_.element.size;
  std::vector<std::size_t> offsets(lengths.size() + 1, 0);
  std::partial_sum(lengths.begin(), lengths.end(), offsets.begin() + 1);
  for (const Answer& answer : answers_) {
    const char* from = answer.data.vals.data();
    if (answer.places.contiguous()) {
      Copy(to + offsets[answer.places.begin] * size, from, answer.data.vals.size());
      continue;
    }
    for (std::size_t i = 0; i < answer.places.count; ++i) {
      const std::size_t bytes = lengths[answer.places[i]] * size;
      Copy(to + offsets[answer.places[i]] * size, from, bytes);
      from += bytes;
    }
  }
}

}  // namespace ps
