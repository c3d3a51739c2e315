// The books of what C programs hold: handles are numbers in it, so that a wrong one is an error.
#ifndef PS_C_API_HANDLES_H_
#define PS_C_API_HANDLES_H_

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/mutex.h"
#include "ps/status.h"

namespace ps::c_api {

// Numbers are never used again. Thread-safe.
class Handles {
 public:
  // Of the process; lives until it ends.
  static Handles& Get();

  // `kind`: as errors name it, the same pointer for all handles of a type.
  void* Add(std::shared_ptr<void> object, const char* kind);
  // kInvalidArgument: null, freed, of another kind.
  Result<std::shared_ptr<void>> Find(const void* handle, const char* kind) const;
  // The same, and forgets it: the object goes with whoever uses it last. Null is no error, and gives null.
  Result<std::shared_ptr<void>> Remove(const void* handle, const char* kind);

  std::size_t size() const;

 private:
  struct Entry {
    std::shared_ptr<void> object;
    const char* kind;
  };
  Result<Entry> Look(const void* handle, const char* kind) const PS_REQUIRES(mutex_);

  mutable Mutex mutex_;
  std::unordered_map<std::uintptr_t, Entry> entries_ PS_GUARDED_BY(mutex_);
  std::uintptr_t last_ PS_GUARDED_BY(mutex_) = 0;
};

// What a type of handle stands for: specialised beside each, with `Object` and `kName` ("PSTensor").
template <typename Handle>
struct HandleTraits;

template <typename Handle>
Handle NewHandle(std::shared_ptr<typename HandleTraits<Handle>::Object> object) {
  return static_cast<Handle>(Handles::Get().Add(std::move(object), HandleTraits<Handle>::kName));
}

// The object of a handle. Throws Error.
template <typename Handle>
std::shared_ptr<typename HandleTraits<Handle>::Object> ObjectOf(Handle handle) {
  return std::static_pointer_cast<typename HandleTraits<Handle>::Object>(
      Handles::Get().Find(handle, HandleTraits<Handle>::kName).value());
}

// Throws Error.
template <typename Handle>
void FreeHandle(Handle handle) {
  static_cast<void>(Handles::Get().Remove(handle, HandleTraits<Handle>::kName).value());
}

}  // namespace ps::c_api

#endif  // PS_C_API_HANDLES_H_
