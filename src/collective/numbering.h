#ifndef PS_COLLECTIVE_NUMBERING_H_
#define PS_COLLECTIVE_NUMBERING_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace ps {

// How often each name was used: the last names are remembered, at least `kMostNames` of them and at most
// twice as many; the empty one always. Pure.
class Numbering {
 public:
  static constexpr std::size_t kMostNames = 65536;

  explicit Numbering(std::size_t most_names = kMostNames) : most_names_(most_names) {}

  // The number of the next use.
  std::uint64_t Next(const std::string& name) {
    if (name.empty()) return unnamed_;
    const auto recent = recent_.find(name);
    if (recent != recent_.end()) return recent->second;
    const auto old = old_.find(name);
    return old == old_.end() ? 0 : old->second;
  }
  // It was used.
  void Use(const std::string& name) {
    const std::uint64_t next = Next(name) + 1;
    if (name.empty()) {
      unnamed_ = next;
      return;
    }
    if (recent_.size() >= most_names_ && recent_.count(name) == 0) old_ = std::exchange(recent_, {});
    recent_[name] = next;
  }

 private:
  std::size_t most_names_;
  std::uint64_t unnamed_ = 0;
  std::map<std::string, std::uint64_t> recent_;
  std::map<std::string, std::uint64_t> old_;  // those before
};

}  // namespace ps

#endif  // PS_COLLECTIVE_NUMBERING_H_
