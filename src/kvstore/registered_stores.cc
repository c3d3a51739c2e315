#include "kvstore/registered_stores.h"

#include <utility>

#include "base/log.h"
#include "base/never_destroyed.h"

namespace ps {

RegisteredStores& RegisteredStores::Get() {
  static NeverDestroyed<RegisteredStores> stores;
  return stores.value;
}

void RegisteredStores::Add(const std::string& name, KVStoreFactory factory) {
  if (name.empty() || !factory)
    ThrowIfError(Status::InvalidArgument("RegisterKVStore: a type has a name and a factory"));
  MutexLock lock(mutex_);
  KVStoreFactory& place = factories_[name];
  if (place) PS_LOG(kWarning, "", "KVStore type " << name << " is registered again: the new one counts");
  place = std::move(factory);
}

KVStoreFactory RegisteredStores::Find(const std::string& name) {
  MutexLock lock(mutex_);
  const auto found = factories_.find(name);
  return found == factories_.end() ? nullptr : found->second;
}

std::string RegisteredStores::Names() {
  MutexLock lock(mutex_);
  std::string names;
  for (const auto& [name, factory] : factories_) names += ", " + name;
  return names;
}

}  // namespace ps
