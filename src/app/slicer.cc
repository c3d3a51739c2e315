#include "app/slicer.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <numeric>
#include <tuple>

namespace ps {
namespace {

// Where the values of each key begin, in elements, with the end as last entry; for requests with lens.
std::vector<std::size_t> ValueOffsets(const SArray<int>& lens) {
  std::vector<std::size_t> offsets(lens.size() + 1, 0);
  for (std::size_t i = 0; i < lens.size(); ++i)
    offsets[i + 1] = offsets[i] + static_cast<std::size_t>(lens[i]);
  return offsets;
}

// The bytes of the values of key i, for both kinds of requests.
class ValueBytes {
 public:
  ValueBytes(const KVBytes& request, std::size_t element_size) : element_size_(element_size) {
    if (request.lens.empty()) {
      even_ = request.keys.empty() ? 0 : request.vals.size() / element_size / request.keys.size();
    } else {
      offsets_ = ValueOffsets(request.lens);
    }
  }

  std::size_t begin(std::size_t i) const {
    return element_size_ * (offsets_.empty() ? even_ * i : offsets_[i]);
  }

 private:
  std::size_t element_size_;
  std::size_t even_ = 0;
  std::vector<std::size_t> offsets_;
};

// What PS_KEY_PARTITION=hash spreads by: every bit of the key reaches every bit of the result.
uint64_t Mix(uint64_t key) {
  key ^= key >> 30;
  key *= 0xbf58476d1ce4e5b9ULL;
  key ^= key >> 27;
  key *= 0x94d049bb133111ebULL;
  return key ^ (key >> 31);
}

KVBytes Pick(const KVBytes& request, const ValueBytes& values, const std::vector<std::size_t>& places) {
  KVBytes picked;
  picked.priority = request.priority;
  picked.keys = SArray<Key>::Uninitialized(places.size());
  if (!request.lens.empty()) picked.lens = SArray<int>::Uninitialized(places.size());
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    picked.keys[i] = request.keys[places[i]];
    if (!request.lens.empty()) picked.lens[i] = request.lens[places[i]];
    bytes += values.begin(places[i] + 1) - values.begin(places[i]);
  }
  picked.vals = SArray<char>::Uninitialized(bytes);
  char* to = picked.vals.data();
  for (std::size_t place : places) {
    const std::size_t n = values.begin(place + 1) - values.begin(place);
    if (n != 0) std::memcpy(to, request.vals.data() + values.begin(place), n);
    to += n;
  }
  return picked;
}

}  // namespace

std::size_t RangeServer(Key key, const std::vector<Range>& ranges) {
  const auto last = std::prev(ranges.end());
  const auto holder = std::upper_bound(ranges.begin(), last, key,
                                       [](Key wanted, const Range& range) { return wanted < range.end(); });
  return static_cast<std::size_t>(holder - ranges.begin());
}

std::vector<Slice> SliceByRange(const KVBytes& request, std::size_t element_size,
                                const std::vector<Range>& ranges) {
  std::vector<Slice> slices(ranges.size());
  const ValueBytes values(request, element_size);
  const Key* const keys = request.keys.begin();
  std::size_t begin = 0;
  for (std::size_t server = 0; server < ranges.size(); ++server) {
    const bool last = server + 1 == ranges.size();
    const Key* const stop =
        last ? request.keys.end() : std::lower_bound(keys + begin, request.keys.end(), ranges[server].end());
    const std::size_t end = static_cast<std::size_t>(stop - keys);
    Slice& slice = slices[server];
    slice.places.begin = begin;
    slice.places.count = end - begin;
    slice.data.keys = request.keys.segment(begin, end);
    slice.data.vals = request.vals.segment(values.begin(begin), values.begin(end));
    if (!request.lens.empty()) slice.data.lens = request.lens.segment(begin, end);
    slice.data.priority = request.priority;
    begin = end;
  }
  return slices;
}

std::size_t HashServer(Key key, std::size_t num_servers) {
  return static_cast<std::size_t>(Mix(key) % num_servers);
}

std::vector<Slice> SliceByHash(const KVBytes& request, std::size_t element_size, std::size_t num_servers) {
  std::vector<Slice> slices(num_servers);
  for (std::size_t i = 0; i < request.keys.size(); ++i) {
    slices[HashServer(request.keys[i], num_servers)].places.each.push_back(i);
  }
  const ValueBytes values(request, element_size);
  for (Slice& slice : slices) {
    slice.places.count = slice.places.each.size();
    slice.data = Pick(request, values, slice.places.each);
  }
  return slices;
}

Status FindPlaces(const SArray<Key>& keys, std::vector<Slice>* slices) {
  std::vector<std::tuple<Key, std::size_t, std::size_t>> sent;  // key, slice, index in it
  for (std::size_t s = 0; s < slices->size(); ++s) {
    Slice& slice = (*slices)[s];
    slice.places.count = slice.data.keys.size();
    slice.places.each.resize(slice.places.count);
    for (std::size_t i = 0; i < slice.places.count; ++i) sent.emplace_back(slice.data.keys[i], s, i);
  }
  std::stable_sort(sent.begin(), sent.end(),
                   [](const auto& a, const auto& b) { return std::get<0>(a) < std::get<0>(b); });
  const auto same_key = [](const auto& entry, Key key) { return std::get<0>(entry) == key; };
  if (!std::equal(sent.begin(), sent.end(), keys.begin(), keys.end(), same_key)) {
    return Status::InvalidArgument("the slicer gave the servers " + std::to_string(sent.size()) +
                                   " keys for a pull of " + std::to_string(keys.size()) +
                                   ": each key must go to exactly one server");
  }
  for (std::size_t place = 0; place < sent.size(); ++place) {
    (*slices)[std::get<1>(sent[place])].places.each[std::get<2>(sent[place])] = place;
  }
  return Status::Ok();
}

bool IsLopsided(const std::vector<Slice>& slices) {
  if (slices.size() < 2) return false;
  std::size_t total = 0;
  std::size_t most = 0;
  for (const Slice& slice : slices) {
    total += slice.data.keys.size();
    most = std::max(most, slice.data.keys.size());
  }
  return total >= kManyKeys && most == total;
}

}  // namespace ps
