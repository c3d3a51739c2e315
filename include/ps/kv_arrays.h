// KVArrays: the values of keys that have more or fewer than one, for the default handle of a KVServer.
#ifndef PS_KV_ARRAYS_H_
#define PS_KV_ARRAYS_H_

#include <algorithm>
#include <cstddef>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "ps/alloc.h"
#include "ps/kv_pairs.h"
#include "ps/status.h"

namespace ps {

// The number of values of key i.
template <typename Val>
std::size_t LengthOf(const KVPairs<Val>& pairs, std::size_t i) {
  return pairs.lens.empty() ? pairs.vals.size() / pairs.keys.size() : static_cast<std::size_t>(pairs.lens[i]);
}

// Values of keys whose number of values is not 1, beside a store of those where it is 1. Not thread-safe.
template <typename Val>
class KVArrays {
 public:
  using Store = std::unordered_map<Key, Val>;

  // Adds what was pushed, or nothing at all: kInvalidArgument names the key whose length differs from its
  // first push.
  Status Add(const KVPairs<Val>& pushed, Store* store) {
    const bool are_single = AreSingle(pushed);
    // While there are no arrays, single values fit whatever is known.
    if (!are_single || !arrays_.empty()) PS_RETURN_IF_ERROR(Check(pushed, *store));
    const Val* vals = pushed.vals.data();
    if (are_single) {
      for (const Key key : pushed.keys) (*store)[key] += *vals++;
      return Status::Ok();
    }
    for (std::size_t i = 0; i < pushed.keys.size(); ++i) {
      const std::size_t n = LengthOf(pushed, i);
      AddOne(pushed.keys[i], vals, n, store);
      vals += n;
    }
    return Status::Ok();
  }

  // The values of `keys`, in their order; with lens unless all keys have one value.
  KVPairs<Val> Read(const SArray<Key>& keys, const Store& store) const {
    KVPairs<Val> found;
    found.keys = keys;
    if (arrays_.empty()) {
      found.vals = SArray<Val>::Uninitialized(keys.size());
      std::transform(keys.begin(), keys.end(), found.vals.begin(),
                     [&store](Key key) { return ValueOf(key, store); });
      return found;
    }
    std::vector<const std::vector<Val>*> found_arrays(keys.size());
    std::size_t num_vals = 0;
    found.lens = SArray<int>(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const auto array = arrays_.find(keys[i]);
      found_arrays[i] = array == arrays_.end() ? nullptr : &array->second;
      const std::size_t n = array == arrays_.end() ? 1 : array->second.size();
      found.lens[i] = static_cast<int>(n);
      num_vals += n;
    }
    found.vals = Uninitialized(num_vals);
    Val* to = found.vals.data();
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (found_arrays[i] == nullptr) {
        *to++ = ValueOf(keys[i], store);
      } else {
        to = std::copy(found_arrays[i]->begin(), found_arrays[i]->end(), to);
      }
    }
    return found;
  }

 private:
  static bool AreSingle(const KVPairs<Val>& pushed) {
    if (pushed.lens.empty()) return pushed.vals.size() == pushed.keys.size();
    return std::all_of(pushed.lens.begin(), pushed.lens.end(), [](int n) { return n == 1; });
  }

  // A large answer is built where a worker of this machine can read it.
  static SArray<Val> Uninitialized(std::size_t num_vals) {
    constexpr std::size_t kLarge = 64 << 10;
    if constexpr (std::is_trivially_copyable_v<Val> && alignof(Val) <= 64) {
      if (num_vals >= kLarge / sizeof(Val)) return Alloc<Val>(num_vals);
    }
    return SArray<Val>::Uninitialized(num_vals);
  }

  static Val ValueOf(Key key, const Store& store) {
    const auto it = store.find(key);
    return it == store.end() ? Val() : it->second;
  }

  Status Check(const KVPairs<Val>& pushed, const Store& store) const {
    for (std::size_t i = 0; i < pushed.keys.size(); ++i) {
      const Key key = pushed.keys[i];
      const std::size_t n = LengthOf(pushed, i);
      const auto array = arrays_.find(key);
      std::size_t known = n;
      if (array != arrays_.end()) {
        known = array->second.size();
      } else if (store.count(key) != 0) {
        known = 1;
      } else if (i > 0 && pushed.keys[i - 1] == key) {  // this very push brings it twice
        known = LengthOf(pushed, i - 1);
      }
      if (known != n) {
        return Status::InvalidArgument("key " + std::to_string(key) + " has " + std::to_string(known) +
                                       " values since its first push, this push has " + std::to_string(n));
      }
    }
    return Status::Ok();
  }

  // to[i] += from[i]. In groups of a fixed size, which compilers make vector instructions of at -O2 as well.
  static void AddTo(const Val* __restrict__ from, std::size_t n, Val* __restrict__ to) {
    constexpr std::size_t kGroup = 16;
    std::size_t i = 0;
    for (; i + kGroup <= n; i += kGroup) {
      for (std::size_t j = 0; j < kGroup; ++j) to[i + j] = static_cast<Val>(to[i + j] + from[i + j]);
    }
    for (; i < n; ++i) to[i] = static_cast<Val>(to[i] + from[i]);
  }

  void AddOne(Key key, const Val* vals, std::size_t n, Store* store) {
    if (n == 1) {
      (*store)[key] += vals[0];
      return;
    }
    std::vector<Val>& array = arrays_.try_emplace(key, n).first->second;
    AddTo(vals, n, array.data());
  }

  std::unordered_map<Key, std::vector<Val>> arrays_;
};

}  // namespace ps

#endif  // PS_KV_ARRAYS_H_
