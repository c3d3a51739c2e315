#include "c_api/handles.h"

#include <cstring>

namespace ps::c_api {

// Not destroyed: what C programs hold at the end of the process is theirs.
Handles& Handles::Get() {
  static Handles* const handles = new Handles;
  return *handles;
}

void* Handles::Add(std::shared_ptr<void> object, const char* kind) {
  MutexLock lock(mutex_);
  ++last_;
  entries_.emplace(last_, Entry{std::move(object), kind});
  return reinterpret_cast<void*>(last_);
}

Result<std::shared_ptr<void>> Handles::Find(const void* handle, const char* kind) const {
  MutexLock lock(mutex_);
  Result<Entry> entry = Look(handle, kind);
  PS_RETURN_IF_ERROR(entry.status());
  return std::move(entry.value().object);
}

Result<std::shared_ptr<void>> Handles::Remove(const void* handle, const char* kind) {
  if (handle == nullptr) return std::shared_ptr<void>();
  MutexLock lock(mutex_);
  Result<Entry> entry = Look(handle, kind);
  PS_RETURN_IF_ERROR(entry.status());
  entries_.erase(reinterpret_cast<std::uintptr_t>(handle));
  return std::move(entry.value().object);
}

std::size_t Handles::size() const {
  MutexLock lock(mutex_);
  return entries_.size();
}

Result<Handles::Entry> Handles::Look(const void* handle, const char* kind) const {
  if (handle == nullptr) return Status::InvalidArgument(std::string("the ") + kind + " is null");
  const auto found = entries_.find(reinterpret_cast<std::uintptr_t>(handle));
  if (found == entries_.end())
    return Status::InvalidArgument(std::string("a ") + kind + " that is not there, or not any more");
  if (std::strcmp(found->second.kind, kind) != 0)
    return Status::InvalidArgument(std::string("a ") + found->second.kind + " where a " + kind +
                                   " is needed");
  return found->second;
}

}  // namespace ps::c_api
