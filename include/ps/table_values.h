// ValuesIn and ValuesOut: the arrays that the calls of tables take and fill.
#ifndef PS_TABLE_VALUES_H_
#define PS_TABLE_VALUES_H_

#include <cstddef>
#include <type_traits>
#include <vector>

#include "ps/sarray.h"

namespace ps {

// Values that are handed in: a std::vector, an SArray, or {pointer, number}. Borrows them.
template <typename T>
struct ValuesIn {
  static_assert(!std::is_same_v<T, bool>, "a std::vector<bool> is no array: use std::uint8_t");
  const T* data = nullptr;
  std::size_t size = 0;  // elements

  ValuesIn(const T* values, std::size_t count) : data(values), size(count) {}
  ValuesIn(const std::vector<T>& values) : ValuesIn(values.data(), values.size()) {}  // NOLINT: implicit
  ValuesIn(const SArray<T>& values) : ValuesIn(values.data(), values.size()) {}       // NOLINT: implicit
};

// Where values are to go: {pointer, number}, an SArray of the right size, or the address of a std::vector,
// which is made as long as what is read (what is in it stays). None of them may move until the ticket is
// done.
template <typename T>
struct ValuesOut {
  T* data = nullptr;
  std::size_t size = 0;  // elements
  std::vector<T>* vector = nullptr;

  ValuesOut(T* values, std::size_t count) : data(values), size(count) {}
  ValuesOut(std::vector<T>* values) : vector(values) {}                             // NOLINT: implicit
  ValuesOut(const SArray<T>& values) : data(values.data()), size(values.size()) {}  // NOLINT: implicit

  // For `count` elements: what the vector has to be.
  ValuesOut For(std::size_t count) const {
    if (vector == nullptr) return *this;
    vector->resize(count);
    return {vector->data(), count};
  }
};

}  // namespace ps

#endif  // PS_TABLE_VALUES_H_
