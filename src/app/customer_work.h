#ifndef PS_APP_CUSTOMER_WORK_H_
#define PS_APP_CUSTOMER_WORK_H_

#include <cstdint>
#include <vector>

#include "app/request_tracker.h"
#include "ps/message.h"
#include "ps/status.h"

namespace ps {

// A message for the thread.
struct IncomingMessage {
  Message message;
  bool returns_credit = false;
};

// What is left to do of messages that came right after each other.
struct PushedMessages {
  Message* next;
  Message* const end;
  const bool returns_credit;
};

// A node whose life has ended: nothing more will come to requests issued until then. Acted upon when the
// answers it has given are handled.
struct NodeLoss {
  int node = 0;
  uint64_t incarnation = 0;
  uint64_t before = 0;  // how many requests had been issued
  Status why;
};

// One thing for the thread to do.
struct CustomerWork {
  enum Kind { kNothing, kQuit, kFinish, kOverdue, kIncoming, kReleased, kExpired } kind = kNothing;
  RequestTracker::Done done;
  std::vector<RequestTracker::Overdue> overdue;
  IncomingMessage incoming;
  bool must_wait = false;  // of a request: others wait for a handle before it
};

}  // namespace ps
#endif  // PS_APP_CUSTOMER_WORK_H_
