#ifndef PS_POSTOFFICE_ROUTER_H_
#define PS_POSTOFFICE_ROUTER_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "ps/mailbox.h"

namespace ps {

// The app of what workers say to each other in collective operations (src/collective). The operations have
// deadlines of their own, and who comes to them late has to hear of those that have failed: what is parked
// for it has none.
constexpr int kCollectiveApp = 0x5707d;

// How a node refuses a request for an app that it does not have. A layer above finds its own app by it.
std::string NoCustomerText(int app);

// Brings messages to the mailboxes of a node. What comes for a mailbox that is not there yet is parked,
// bounded in number and bytes, until it comes or the deadline passes; nothing ever waits for it. Thread-safe.
//
// Lock: `mutex_` is held while a mailbox is called, so that Remove returns only when no call is running. But
// for the delivery of what comes in: handles may run inside it, so it is counted instead.
class Router {
 public:
  struct Bounds {
    size_t messages = 10000;
    uint64_t bytes = 64 << 20;   // one larger request may wait alone
    int64_t timeout_ms = 60000;  // 0 = none
  };
  enum class Fate { kDelivered, kParked, kNoRoom, kDropped };

  // For the next Start. What is parked is dropped.
  void Reset(const Bounds& bounds, bool is_worker);

  // False if its (app, customer) is taken. Delivers what was parked for it.
  bool Add(Mailbox* mailbox);
  void Remove(Mailbox* mailbox);
  // Null if it does not come before the deadline.
  Mailbox* Find(int app_id, int customer_id, Deadline deadline);

  // A response goes to the mailbox that asked. A request to a worker: to the mailbox of its app with the
  // sender's customer id; to a server or the scheduler: to the one whose customer id is the app id; else to
  // the only one of that app. Requests that find none are parked (or find no room), responses dropped.
  // `*message` is taken only if delivered or parked.
  Fate Route(Message* message, int64_t now_ms);
  // The same for messages that are not to be parked. Delivers the first and those behind it that go the same
  // way; returns how many: 0, and none is taken, when nobody receives it.
  size_t Deliver(Message* first, size_t count);
  size_t Deliver(const BareAnswer* first, size_t count);
  // Whether whoever would get it takes values as they lie in the sender's memory.
  bool Borrows(const Meta& meta);
  // Parked requests whose time is up; `*next_ms` is lowered to the next deadline.
  std::vector<Message> Expire(int64_t now_ms, int64_t* next_ms);

  // Calls `visit` for every mailbox (or the one named), under the lock.
  void ForEach(const std::function<void(Mailbox*)>& visit);
  void Visit(int app_id, int customer_id, const std::function<void(Mailbox*)>& visit);
  // Calls Mailbox::WaitIdle of each, without the lock; they can not be removed meanwhile.
  void WaitIdle();

 private:
  using Name = std::pair<int, int>;  // (app, customer)
  struct Parked {
    Message message;
    int64_t deadline_ms;
  };

  struct Entry {
    Mailbox* mailbox = nullptr;
    int num_calls = 0;        // without the lock; it can not be removed meanwhile
    bool is_leaving = false;  // waits for their end; nothing more is delivered
  };
  using Entries = std::map<Name, Entry>;

  // Null when there is none; good while it can not be removed.
  Entry* Pick(const Meta& meta) PS_REQUIRES(mutex_);
  Entry* Named(int app_id, int customer_id) PS_REQUIRES(mutex_);
  Entry* OnlyOneOf(int app_id) PS_REQUIRES(mutex_);
  // A call without the lock, for which `entry` was counted.
  class Call;
  Fate Park(Message* message, int64_t now_ms) PS_REQUIRES(mutex_);

  Mutex mutex_;
  CondVar changed_;  // a mailbox came, or no call of one is running any more
  Bounds bounds_ PS_GUARDED_BY(mutex_);
  bool is_worker_ PS_GUARDED_BY(mutex_) = false;
  Entries mailboxes_ PS_GUARDED_BY(mutex_);
  std::map<Name, int> reserved_
      PS_GUARDED_BY(mutex_);  // timestamps that mailboxes detached since Reset have used
  std::deque<Parked> parked_ PS_GUARDED_BY(mutex_);
  uint64_t parked_bytes_ PS_GUARDED_BY(mutex_) = 0;
};

}  // namespace ps
#endif  // PS_POSTOFFICE_ROUTER_H_
