#ifndef PS_STORE_OPENED_H_
#define PS_STORE_OPENED_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ps/status.h"

namespace ps {

// What the servers say to a worker that opens a table.
struct Opened {
  explicit Opened(int num_servers)
      : rounds(static_cast<std::size_t>(num_servers)), has_answered(static_cast<std::size_t>(num_servers)) {}

  std::vector<std::uint64_t> rounds;            // by server
  std::atomic<bool> needs_whole{false};         // the rule does, as the servers know it
  std::vector<std::atomic<bool>> has_answered;  // by server

  // Where the program's own code is waited for.
  Status ExplainDelay(const std::string& table, const std::string& code, std::int64_t timeout_ms) const {
    std::string missing;
    for (std::size_t i = 0; i < has_answered.size(); ++i) {
      if (!has_answered[i]) missing += (missing.empty() ? "" : ", ") + std::to_string(i);
    }
    return Status::DeadlineExceeded("table '" + table + "' of code " + code +
                                    ": no program has registered it at server " + missing + " within " +
                                    std::to_string(timeout_ms) +
                                    " ms (PS_REQUEST_TIMEOUT): do all processes make the same tables?");
  }
};

}  // namespace ps
#endif  // PS_STORE_OPENED_H_
