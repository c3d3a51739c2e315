#ifndef PS_KVSTORE_REGISTERED_STORES_H_
#define PS_KVSTORE_REGISTERED_STORES_H_

#include <map>
#include <string>

#include "base/mutex.h"
#include "ps/kvstore.h"

namespace ps {

// The kinds of KVStore that programs have added to this process. Any thread.
class RegisteredStores {
 public:
  static RegisteredStores& Get();

  // kInvalidArgument (thrown): no name, or no factory. An older one of the name is replaced, with a warning.
  void Add(const std::string& name, KVStoreFactory factory);
  // Empty: nobody has added it.
  KVStoreFactory Find(const std::string& name);
  // For texts: `, teststore`; empty if there are none.
  std::string Names();

 private:
  Mutex mutex_;
  std::map<std::string, KVStoreFactory> factories_ PS_GUARDED_BY(mutex_);
};

}  // namespace ps

#endif  // PS_KVSTORE_REGISTERED_STORES_H_
