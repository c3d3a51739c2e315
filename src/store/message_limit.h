#ifndef PS_STORE_MESSAGE_LIMIT_H_
#define PS_STORE_MESSAGE_LIMIT_H_

#include <cstdint>
#include <string>

#include "ps/status.h"

namespace ps {

// How many bytes a message of the store may have (PS_MAX_MESSAGE_BYTES): looked at where it can still be
// refused without harm, before a round counts on it and before there is memory for it. A plain value.
struct MessageLimit {
  std::uint64_t bytes = UINT64_MAX;  // no limit

  bool Allows(std::uint64_t message_bytes) const { return message_bytes <= bytes; }
  // kResourceExhausted where a message has more. `what`: as in `table 'w': what goes to server 1`.
  Status Check(std::uint64_t message_bytes, const std::string& what) const {
    if (Allows(message_bytes)) return Status::Ok();
    return Status::ResourceExhausted(what + " has " + std::to_string(message_bytes) +
                                     " bytes, over PS_MAX_MESSAGE_BYTES=" + std::to_string(bytes) +
                                     ": name fewer rows in a call, or use more servers");
  }
};

}  // namespace ps
#endif  // PS_STORE_MESSAGE_LIMIT_H_
