// Keys with their values, typed for programs and as bytes for the library.
#ifndef PS_KV_PAIRS_H_
#define PS_KV_PAIRS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "ps/base.h"
#include "ps/message.h"
#include "ps/sarray.h"

namespace ps {

// Keys and their values. Without `lens` every key has vals.size() / keys.size() values, without remainder;
// with it key i has lens[i] >= 0, and their sum is vals.size(). Copies share the arrays.
template <typename Val>
struct KVPairs {
  SArray<Key> keys;  // must not decrease; equal neighbours are legal
  SArray<Val> vals;
  SArray<int> lens;
  int priority = 0;  // higher first
};

// What a server knows about a request besides its keys and values. A plain value: keep it to answer later.
struct KVMeta {
  int cmd = 0;
  bool push = false;                // carries values
  bool pull = false;                // wants values; both: push first, then answer
  int sender = 0;                   // node id of the worker
  int timestamp = 0;                // of the request, at the worker
  int customer_id = 0;              // of the worker
  uint64_t sender_incarnation = 0;  // which start of that node sent it
  std::string body;                 // text that came with it
};

// The element type of a KVWorker or KVServer.
struct ElementType {
  DataType type = OTHER;
  std::size_t size = 1;       // bytes
  std::size_t alignment = 1;  // bytes

  template <typename Val>
  static ElementType Of() {
    return {GetDataType<Val>(), sizeof(Val), alignof(Val)};
  }
};

// KVPairs with the values as bytes: the form the library works on. Shares the arrays.
struct KVBytes {
  SArray<Key> keys;
  SArray<char> vals;
  SArray<int> lens;
  int priority = 0;

  template <typename Val>
  static KVBytes Of(const KVPairs<Val>& pairs) {
    return {pairs.keys, SArray<char>(pairs.vals), pairs.lens, pairs.priority};
  }
  template <typename Val>
  static KVBytes Of(KVPairs<Val>&& pairs) {
    return {std::move(pairs.keys), SArray<char>(std::move(pairs.vals)), std::move(pairs.lens),
            pairs.priority};
  }
  // The size of `vals` must be a multiple of sizeof(Val).
  template <typename Val>
  KVPairs<Val> As() const& {
    return {keys, SArray<Val>(vals), lens, priority};
  }
  template <typename Val>
  KVPairs<Val> As() && {
    return {std::move(keys), SArray<Val>(std::move(vals)), std::move(lens), priority};
  }
};

}  // namespace ps

#endif  // PS_KV_PAIRS_H_
