#ifndef PS_STORE_WHO_IS_MISSING_H_
#define PS_STORE_WHO_IS_MISSING_H_

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "base/mutex.h"

namespace ps {

// Puts together what the servers say of a round that is late. Thread-safe.
class WhoIsMissing {
 public:
  // The text of a kStat answer: lines `name=value`, `missing` among them.
  void Add(std::string_view stat) {
    constexpr std::string_view kName = "missing=";
    const std::size_t begin = stat.find(kName);
    if (begin == std::string_view::npos) return;
    stat.remove_prefix(begin + kName.size());
    MutexLock lock(mutex_);
    std::string_view names = stat.substr(0, stat.find('\n'));
    while (!names.empty()) {
      const std::size_t end = std::min(names.find(", "), names.size());
      workers_.emplace(names.substr(0, end));
      names.remove_prefix(std::min(end + 2, names.size()));
    }
  }
  // Empty: nobody is.
  std::string Text(const std::string& table, std::uint64_t round) {
    MutexLock lock(mutex_);
    if (workers_.empty()) return std::string();
    std::string text = "table '" + table + "': round " + std::to_string(round) +
                       " is not complete in the time given to this wait; missing: ";
    const char* separator = "";
    for (const std::string& worker : workers_) {
      text += separator + worker;
      separator = ", ";
    }
    return text + ". A worker with fewer rounds has to Leave the table";
  }

 private:
  Mutex mutex_;
  std::set<std::string> workers_ PS_GUARDED_BY(mutex_);
};

}  // namespace ps
#endif  // PS_STORE_WHO_IS_MISSING_H_
