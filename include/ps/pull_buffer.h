// PullBuffer: where the answer to a pull goes, whatever container the caller has.
#ifndef PS_PULL_BUFFER_H_
#define PS_PULL_BUFFER_H_

#include <cstddef>
#include <vector>

#include "ps/sarray.h"

namespace ps {

// A std::vector or SArray of the caller, reachable without its type. The container outlives the request; it
// is touched on the Customer's thread only, while the request is not done. Empty (container null): nobody
// wants an answer.
struct PullBuffer {
  void* container = nullptr;
  std::size_t element_size = 1;  // bytes

  std::size_t (*size)(const void* container) = nullptr;              // elements
  char* (*resize)(void* container, std::size_t elements) = nullptr;  // returns the memory
  // Lets the container share `bytes` instead of copying them; false if it cannot.
  bool (*adopt)(void* container, const SArray<char>& bytes) = nullptr;

  template <typename V>
  static PullBuffer Of(std::vector<V>* vector) {
    if (vector == nullptr) return PullBuffer();
    return {vector, sizeof(V), &Size<std::vector<V>>, &Resize<std::vector<V>>, &AdoptNothing};
  }
  template <typename V>
  static PullBuffer Of(SArray<V>* array) {
    if (array == nullptr) return PullBuffer();
    return {array, sizeof(V), &Size<SArray<V>>, &Resize<SArray<V>>, &AdoptInto<V>};
  }

 private:
  template <typename C>
  static std::size_t Size(const void* container) {
    return static_cast<const C*>(container)->size();
  }
  template <typename C>
  static char* Resize(void* container, std::size_t elements) {
    C* typed = static_cast<C*>(container);
    typed->resize(elements);
    return reinterpret_cast<char*>(typed->data());
  }
  static bool AdoptNothing(void*, const SArray<char>&) { return false; }
  // Not when the array has memory: others may share it and expect the answer there.
  template <typename V>
  static bool AdoptInto(void* container, const SArray<char>& bytes) {
    SArray<V>* array = static_cast<SArray<V>*>(container);
    if (array->capacity() != 0) return false;
    *array = bytes;
    return true;
  }
};

}  // namespace ps

#endif  // PS_PULL_BUFFER_H_
