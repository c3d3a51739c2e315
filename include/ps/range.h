// Range: a half-open interval of keys or indices.
#ifndef PS_RANGE_H_
#define PS_RANGE_H_

#include <cstdint>

namespace ps {

// [begin, end). A plain value. Among the key ranges of the servers the last one also contains its
// end, kMaxKey: see Postoffice::GetServerKeyRanges.
class Range {
 public:
  Range() : Range(0, 0) {}
  Range(std::uint64_t begin, std::uint64_t end) : begin_(begin), end_(end) {}

  std::uint64_t begin() const { return begin_; }
  std::uint64_t end() const { return end_; }
  std::uint64_t size() const { return end_ - begin_; }

  friend bool operator==(const Range& a, const Range& b) { return a.begin_ == b.begin_ && a.end_ == b.end_; }
  friend bool operator!=(const Range& a, const Range& b) { return !(a == b); }

 private:
  std::uint64_t begin_;
  std::uint64_t end_;
};

}  // namespace ps

#endif  // PS_RANGE_H_
