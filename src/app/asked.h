#ifndef PS_APP_ASKED_H_
#define PS_APP_ASKED_H_

#include <cstdint>

#include "ps/message.h"

namespace ps {

// What of a request its answer needs to find back.
struct Asked {
  int head = 0;
  int sender = 0;
  int timestamp = 0;
  int customer_id = 0;
  uint64_t sender_incarnation = 0;
  bool push = false;
  bool pull = false;
  bool simple_app = false;

  static Asked By(const Meta& meta) {
    return {meta.head, meta.sender, meta.timestamp, meta.customer_id, meta.sender_incarnation,
            meta.push, meta.pull,   meta.simple_app};
  }
};

}  // namespace ps
#endif  // PS_APP_ASKED_H_
