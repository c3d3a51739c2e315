#ifndef PS_KVSTORE_KEY_SPACE_H_
#define PS_KVSTORE_KEY_SPACE_H_

#include <cstddef>
#include <string>
#include <vector>

#include "ps/kv_key.h"
#include "ps/status.h"

namespace ps {

// The values of one key in a call: their places, in the order of the call.
struct KeyGroup {
  KVKey key;
  std::vector<std::size_t> places;
};

// The keys of one KVStore: of one kind, and each a table of the store engine by a name of its own. Pure: one
// thread.
class KeySpace {
 public:
  // `name`: see KVStoreOptions.
  explicit KeySpace(std::string name) : name_(std::move(name)) {}
  // kInvalidArgument: the name is empty, too long, or has a '/'.
  Status Validate() const;

  // The groups of a call, in order of their keys. The first call that names a key settles the kind of all;
  // kInvalidArgument: another kind, a text that is empty or too long, numbers of keys and values that differ
  // (`what`: "values").
  Result<std::vector<KeyGroup>> Group(const KVKeys& keys, std::size_t num_values, const char* what);
  // What all tables of this store begin with.
  std::string Prefix() const { return "kv/" + name_ + "/"; }
  // `slice`: of a key that is cut. The first has the name of the whole, so that who cuts a key in another way
  // meets the same table, and is told; those of the others are no key's.
  std::string TableOf(const KVKey& key, std::size_t slice = 0) const;

 private:
  enum class Kind { kOpen, kNumbers, kTexts };

  const std::string name_;
  Kind kind_ = Kind::kOpen;
};

}  // namespace ps

#endif  // PS_KVSTORE_KEY_SPACE_H_
