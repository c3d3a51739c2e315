// IdList: the rows of a matrix, or the keys of a map, that a call is about.
#ifndef PS_ID_LIST_H_
#define PS_ID_LIST_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <type_traits>
#include <vector>

namespace ps {

// Made of a whole number, or a list of them, of any type, in any order, with repetitions; to be written where
// it is used. Keys may be negative; a row that is negative is none, and refused where it is used. Borrows
// what is 64 bits wide, and copies other lists.
class IdList {
 public:
  template <typename Id, typename = std::enable_if_t<std::is_integral_v<Id>>>
  IdList(Id id) : one_(static_cast<std::uint64_t>(id)), ids_(&one_), size_(1) {}  // NOLINT: implicit
  template <typename Id>
  IdList(const std::vector<Id>& ids) : IdList(ids.data(), ids.size()) {}  // NOLINT: implicit
  // As a list in braces; no empty ones.
  IdList(std::initializer_list<std::int64_t> ids) : IdList(ids.begin(), ids.size()) {}
  template <typename Id>
  IdList(const Id* ids, std::size_t size) : size_(size) {
    static_assert(std::is_integral_v<Id>, "ids are whole numbers");
    if constexpr (sizeof(Id) == sizeof(std::uint64_t)) {
      ids_ = reinterpret_cast<const std::uint64_t*>(ids);  // signed or not
    } else {
      copied_.reserve(size);
      for (std::size_t i = 0; i < size; ++i) copied_.push_back(static_cast<std::uint64_t>(ids[i]));
      ids_ = copied_.data();
    }
  }
  IdList(const IdList&) = delete;
  IdList& operator=(const IdList&) = delete;

  const std::uint64_t* data() const { return ids_; }
  std::size_t size() const { return size_; }
  std::int64_t operator[](std::size_t i) const { return static_cast<std::int64_t>(ids_[i]); }

 private:
  std::uint64_t one_ = 0;
  std::vector<std::uint64_t> copied_;
  const std::uint64_t* ids_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace ps

#endif  // PS_ID_LIST_H_
