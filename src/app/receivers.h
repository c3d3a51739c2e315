#ifndef PS_APP_RECEIVERS_H_
#define PS_APP_RECEIVERS_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <vector>

namespace ps {

// The nodes that have to answer a request: ids, each once, in any order. Up to four need no memory of their
// own.
class Receivers {
 public:
  Receivers() = default;
  Receivers(std::initializer_list<int> ids) { Assign(ids.begin(), ids.size()); }  // NOLINT: as a vector is
  Receivers(const std::vector<int>& ids) { Assign(ids.data(), ids.size()); }      // NOLINT: as a vector is
  operator std::vector<int>() const { return {begin(), end()}; }                  // NOLINT: as a vector is

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  const int* begin() const { return many_ == nullptr ? few_.data() : many_->data(); }
  const int* end() const { return begin() + size_; }
  bool Has(int id) const { return std::find(begin(), end(), id) != end(); }

  void Add(int id) {
    if (size_ == kFew && many_ == nullptr) {
      many_ = std::make_unique<std::vector<int>>(few_.begin(), few_.end());
    }
    if (many_ == nullptr) {
      few_[size_] = id;
    } else {
      many_->resize(size_);
      many_->push_back(id);
    }
    ++size_;
  }
  // False if it is none of them.
  bool Remove(int id) {
    int* const ids = many_ == nullptr ? few_.data() : many_->data();
    int* const found = std::find(ids, ids + size_, id);
    if (found == ids + size_) return false;
    *found = ids[--size_];
    return true;
  }
  void Clear() {
    many_.reset();
    size_ = 0;
  }

 private:
  static constexpr std::size_t kFew = 4;

  void Assign(const int* ids, std::size_t count) {
    if (count > kFew) {
      many_ = std::make_unique<std::vector<int>>(ids, ids + count);
    } else {
      std::copy(ids, ids + count, few_.begin());
    }
    size_ = static_cast<uint32_t>(count);
  }

  std::array<int, kFew> few_{};
  uint32_t size_ = 0;
  std::unique_ptr<std::vector<int>> many_;  // instead of few_, where it is set
};

}  // namespace ps
#endif  // PS_APP_RECEIVERS_H_
