// A vector whose first few elements need no memory of their own.
#ifndef PS_INTERNAL_INLINE_VECTOR_H_
#define PS_INTERNAL_INLINE_VECTOR_H_

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <new>
#include <stdexcept>
#include <utility>
#include <vector>

namespace ps::internal {

// Like std::vector<T>, which it converts from and to. Up to N elements lie inside, more are elsewhere, all of
// them; so moving it away moves the elements, and leaves it empty. Moving a T does not throw.
template <typename T, std::size_t N>
class InlineVector {
 public:
  using value_type = T;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using iterator = T*;
  using const_iterator = const T*;
  using reference = T&;
  using const_reference = const T&;
  using reverse_iterator = std::reverse_iterator<T*>;
  using const_reverse_iterator = std::reverse_iterator<const T*>;

  // Written out, so that a const one, and what holds one, needs no initializer.
  InlineVector() {}  // NOLINT(modernize-use-equals-default)
  // These begin with that one, so that what throws leaves nothing behind.
  explicit InlineVector(std::size_t n, const T& value = T()) : InlineVector() { resize(n, value); }
  template <typename It>
  InlineVector(It first, It last) : InlineVector() {
    assign(first, last);
  }
  InlineVector(std::initializer_list<T> list) : InlineVector(list.begin(), list.end()) {}
  InlineVector(const std::vector<T>& other)  // NOLINT(google-explicit-constructor)
      : InlineVector(other.begin(), other.end()) {}
  InlineVector(const InlineVector& other) : InlineVector(other.begin(), other.end()) {}
  InlineVector& operator=(const InlineVector& other) {
    if (this != &other) assign(other.begin(), other.end());
    return *this;
  }
  InlineVector(InlineVector&& other) noexcept { Take(&other); }
  InlineVector& operator=(InlineVector&& other) noexcept {
    if (this == &other) return *this;
    Drop();
    Take(&other);
    return *this;
  }
  ~InlineVector() { Drop(); }

  operator std::vector<T>() const {  // NOLINT(google-explicit-constructor)
    return std::vector<T>(begin(), end());
  }

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  T* data() { return elsewhere_ == nullptr ? inside() : elsewhere_; }
  const T* data() const { return elsewhere_ == nullptr ? inside() : elsewhere_; }
  T* begin() { return data(); }
  const T* begin() const { return data(); }
  T* end() { return data() + size_; }
  const T* end() const { return data() + size_; }
  reverse_iterator rbegin() { return reverse_iterator(end()); }
  const_reverse_iterator rbegin() const { return const_reverse_iterator(end()); }
  reverse_iterator rend() { return reverse_iterator(begin()); }
  const_reverse_iterator rend() const { return const_reverse_iterator(begin()); }

  // Not checked.
  T& operator[](std::size_t i) { return data()[i]; }
  const T& operator[](std::size_t i) const { return data()[i]; }
  T& front() { return *begin(); }
  const T& front() const { return *begin(); }
  T& back() { return end()[-1]; }
  const T& back() const { return end()[-1]; }
  // Throws std::out_of_range.
  T& at(std::size_t i) {
    if (i >= size_) throw std::out_of_range("InlineVector::at");
    return data()[i];
  }
  const T& at(std::size_t i) const { return const_cast<InlineVector*>(this)->at(i); }

  template <typename... Args>
  T& emplace_back(Args&&... args) {
    if (size_ == capacity_) return EmplaceBehindMoved(std::forward<Args>(args)...);
    T* const at = ::new (static_cast<void*>(end())) T(std::forward<Args>(args)...);
    ++size_;
    return *at;
  }
  void push_back(const T& value) { emplace_back(value); }
  void push_back(T&& value) { emplace_back(std::move(value)); }
  void pop_back() { Shrink(size_ - 1); }
  void clear() { Shrink(0); }
  void reserve(std::size_t n) {
    if (n > capacity_) MoveTo(n);
  }
  void resize(std::size_t n, const T& value = T()) {
    for (const T kept = value; size_ < n;) emplace_back(kept);  // it may be one of the elements
    Shrink(n);
  }
  template <typename It>
  void assign(It first, It last) {
    clear();
    for (; first != last; ++first) emplace_back(*first);
  }
  T* erase(const T* first, const T* last) {
    T* const to = begin() + (first - begin());
    std::move(to + (last - first), end(), to);
    Shrink(size_ - static_cast<std::size_t>(last - first));
    return to;
  }
  T* erase(const T* at) { return erase(at, at + 1); }
  T* insert(const T* at, T value) {
    return Rotate(at, [&] { push_back(std::move(value)); });
  }
  template <typename It>
  T* insert(const T* at, It first, It last) {
    return Rotate(at, [&] {
      for (; first != last; ++first) emplace_back(*first);
    });
  }
  void swap(InlineVector& other) noexcept { std::swap(*this, other); }

  friend bool operator==(const InlineVector& a, const InlineVector& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }
  friend bool operator!=(const InlineVector& a, const InlineVector& b) { return !(a == b); }

 private:
  T* inside() { return std::launder(reinterpret_cast<T*>(inside_)); }
  const T* inside() const { return std::launder(reinterpret_cast<const T*>(inside_)); }

  void Shrink(std::size_t n) {
    std::destroy(begin() + n, end());
    size_ = n;
  }

  // Brings what `append` adds in front of `at`.
  template <typename F>
  T* Rotate(const T* at, F append) {
    const std::ptrdiff_t place = at - begin();
    const std::size_t old_size = size_;
    append();
    std::rotate(begin() + place, begin() + old_size, end());
    return begin() + place;
  }

  // Also of its memory.
  void Drop() {
    clear();
    if (elsewhere_ == nullptr) return;
    std::allocator<T>().deallocate(elsewhere_, capacity_);
    elsewhere_ = nullptr;
    capacity_ = N;
  }

  // Into one that holds nothing.
  void Take(InlineVector* other) {
    if (other->elsewhere_ == nullptr) {
      std::uninitialized_move(other->begin(), other->end(), inside());
      size_ = other->size_;
      other->clear();
    } else {
      elsewhere_ = std::exchange(other->elsewhere_, nullptr);
      size_ = std::exchange(other->size_, 0);
      capacity_ = std::exchange(other->capacity_, N);
    }
  }

  void MoveTo(std::size_t capacity) {
    InlineVector larger;
    larger.elsewhere_ = std::allocator<T>().allocate(capacity);
    larger.capacity_ = capacity;
    std::uninitialized_move(begin(), end(), larger.elsewhere_);
    larger.size_ = size_;
    *this = std::move(larger);
  }

  // What is added may be one of the elements.
  template <typename... Args>
  T& EmplaceBehindMoved(Args&&... args) {
    T added(std::forward<Args>(args)...);
    MoveTo(2 * capacity_);
    return emplace_back(std::move(added));
  }

  std::size_t size_ = 0;
  std::size_t capacity_ = N;
  T* elsewhere_ = nullptr;  // null: the elements are inside
  alignas(T) unsigned char inside_[N * sizeof(T)];
};

}  // namespace ps::internal

#endif  // PS_INTERNAL_INLINE_VECTOR_H_
