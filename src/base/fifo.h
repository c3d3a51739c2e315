// First in, first out, in memory that is used again: a std::deque of large items allocates for each.
#ifndef PS_BASE_FIFO_H_
#define PS_BASE_FIFO_H_

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace ps {

// A ring that doubles when it is full. Empty again it keeps room for a thousand items at most. Not
// thread-safe.
template <typename T>
class Fifo {
 public:
  Fifo() = default;
  Fifo(Fifo&& other) noexcept { *this = std::move(other); }
  Fifo& operator=(Fifo&& other) noexcept {
    slots_ = std::move(other.slots_);
    first_ = other.first_;
    size_ = std::exchange(other.size_, 0);
    return *this;
  }

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }

  void Push(T&& item) {
    if (size_ == slots_.size()) Grow();
    slots_[IndexOf(size_)].emplace(std::move(item));
    ++size_;
  }

  // Front and Pop need an item.
  T& Front() { return *slots_[first_]; }
  const T& Front() const { return *slots_[first_]; }
  T Pop() {
    T item = std::move(Front());
    DropFront();
    return item;
  }
  // The same for large items, moved once.
  void Pop(T* item) {
    *item = std::move(Front());
    DropFront();
  }

  // The i-th from the front.
  T& operator[](std::size_t i) { return *slots_[IndexOf(i)]; }
  const T& operator[](std::size_t i) const { return *slots_[IndexOf(i)]; }

  // Removes the items `matches` accepts; the others keep their order.
  template <typename Predicate>
  void RemoveIf(Predicate matches) {
    Fifo left;
    while (!empty()) {
      T item = Pop();
      if (!matches(item)) left.Push(std::move(item));
    }
    *this = std::move(left);
  }

 private:
  static constexpr std::size_t kFirst = 8;
  static constexpr std::size_t kKept = 1024;

  std::size_t IndexOf(std::size_t i) const { return (first_ + i) & (slots_.size() - 1); }

  void DropFront() {
    slots_[first_].reset();
    first_ = IndexOf(1);
    if (--size_ == 0 && slots_.size() > kKept) *this = Fifo();
  }

  void Grow() {
    std::vector<std::optional<T>> larger(slots_.empty() ? kFirst : 2 * slots_.size());
    for (std::size_t i = 0; i < size_; ++i) larger[i].emplace(std::move(*slots_[IndexOf(i)]));
    slots_.swap(larger);
    first_ = 0;
  }

  std::vector<std::optional<T>> slots_;  // a power of two, or none
  std::size_t first_ = 0;
  std::size_t size_ = 0;
};

}  // namespace ps

#endif  // PS_BASE_FIFO_H_
