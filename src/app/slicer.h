#ifndef PS_APP_SLICER_H_
#define PS_APP_SLICER_H_

#include <cstddef>
#include <vector>

#include "ps/kv_pairs.h"
#include "ps/range.h"
#include "ps/status.h"

namespace ps {

// Where the keys of a slice stand in the request: a run, or one by one.
struct Places {
  std::size_t begin = 0;
  std::size_t count = 0;
  std::vector<std::size_t> each;  // empty: begin, begin + 1, ...

  std::size_t operator[](std::size_t i) const { return each.empty() ? begin + i : each[i]; }
  bool contiguous() const { return each.empty(); }
};

// What one server gets of a request; nothing is sent to it when there are no keys.
struct Slice {
  KVBytes data;
  Places places;
};

// From so many keys of a request on it is worth a warning when one server gets all (IsLopsided).
constexpr std::size_t kManyKeys = 1000;

// The index of the range that holds the key (of the last one, where it lies behind all).
std::size_t RangeServer(Key key, const std::vector<Range>& ranges);

// One slice per range, sharing the request's memory. A key belongs to the range that holds it; the last
// range also holds all keys from its end on. The request has a valid shape.
std::vector<Slice> SliceByRange(const KVBytes& request, std::size_t element_size,
                                const std::vector<Range>& ranges);

// One slice per server, by a fixed hash of the key (HashServer); copies. Keys keep their order within a
// server.
std::vector<Slice> SliceByHash(const KVBytes& request, std::size_t element_size, std::size_t num_servers);

// The server of a key under PS_KEY_PARTITION=hash. Never changes, because what servers have saved depends on
// it.
std::size_t HashServer(Key key, std::size_t num_servers);

// Fills in the places of slices that somebody else has cut. kInvalidArgument unless their keys together are
// exactly those of the request: an answer to anything else would have no place.
Status FindPlaces(const SArray<Key>& keys, std::vector<Slice>* slices);

// True when a server gets all of many keys while others get none: small integers as keys under the range
// partition.
bool IsLopsided(const std::vector<Slice>& slices);

}  // namespace ps
#endif  // PS_APP_SLICER_H_
