#ifndef PS_VAN_VAN_CORE_H_
#define PS_VAN_VAN_CORE_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/counters.h"
#include "base/mutex.h"
#include "base/receive_token.h"
#include "ps/config.h"
#include "ps/van.h"

namespace ps {

// How a caller waits for room on a route.
struct SendOptions {
  int64_t room_timeout_ms = 0;  // 0 = no bound
  bool queue_when_full =
      false;  // at the time-out queue it all the same (handlers), instead of kDeadlineExceeded
  bool for_this_life = false;  // a request that means nothing to who takes the peer's place: dropped then
};

// Which requests of a customer.
struct Lent {
  int app_id = 0;
  int customer_id = 0;
  int timestamp = -1;  // -1: all of them
};

// What Start needs beyond the Config.
struct StartOptions {
  int customer_id = 0;
  int previous_rank = -1;
  bool do_barrier = true;   // this node will enter the barrier of Start
  bool wish_counts = true;  // Config::rank_wish is for this customer id
};

// For threads that wait for what a message brings.
class VanHelp {
 public:
  virtual ~VanHelp() = default;
  // Receives on the calling thread until the wish is done or its deadline has passed. False: sleep, and be
  // woken.
  virtual bool Help(const HelpWish& wish) = 0;
  // Null where nobody can help.
  virtual std::shared_ptr<Dependents> dependents() const = 0;
};

// The runtime's interface of a Van.
class VanCore {
 public:
  virtual ~VanCore() = default;
  // Returns when this node has its id and the roster; errors name who is missing and which variable to set.
  virtual Status Start(VanSink* sink, const StartOptions& options) = 0;
  // Queues a data message. Requests wait for room; responses never do. To oneself: a queue.
  virtual Status Send(Message&& message, const SendOptions& options) = 0;
  // A handler took this request (or it was parked or refused): its room on the route is free again.
  virtual void ReturnCredit(const Meta& request) = 0;
  // Drops or copies what these requests lent and was not acknowledged: afterwards nothing refers to the
  // caller's memory.
  virtual void ReleaseLent(const Lent& lent) = 0;
  // Waits for all members of `group`; `timeout_ms` 0 = no deadline. `is_final`: the one of Finalize, which
  // the living pass together although a node is lost; the outcome tells of it. Any thread; two threads in the
  // same barrier count once.
  virtual Status Barrier(int group, int64_t timeout_ms, bool is_final) = 0;
  // Makes `ps-io` call VanSink::OnTimer at `at_ms` or soon after.
  virtual void WakeAt(int64_t at_ms) = 0;
  // Null before Start.
  virtual VanHelp* help() = 0;
  // Nodes not heard from for `timeout_ms`.
  virtual std::vector<int> DeadNodes(int64_t timeout_ms) = 0;
  // Orderly end: everything queued is acknowledged, peers are told; the scheduler stays for the others.
  // Bounded.
  virtual void Leave() = 0;
  // Ends the threads and closes the sockets; what waits fails. When it returns the sink is not called any
  // more. Idempotent.
  virtual void Close() = 0;
  struct State {
    Node node;
    bool is_ready = false;  // the roster is known, and Close has not begun
  };
  virtual State state() const = 0;
  virtual const Counters& counters() const = 0;
};

}  // namespace ps
#endif  // PS_VAN_VAN_CORE_H_
