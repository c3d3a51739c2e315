#ifndef PS_STORE_SHARED_STORE_H_
#define PS_STORE_SHARED_STORE_H_

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "base/mutex.h"
#include "ps/simple_app.h"
#include "ps/store.h"
#include "ps/ticket.h"

namespace ps {

class Postoffice;

// The app id that commands to servers go by.
constexpr int kCommandApp = 0x5707c;

// The store of a worker's node for all who use it in this process, and the way of their commands to the
// servers. Any thread.
class SharedStore {
 public:
  // One per node, as long as somebody holds it. A node that was not started is started here, and finalized
  // with the last holder. Throws Error: as Postoffice::Start and Store's constructor; and in a callback of
  // the node, kFailedPrecondition, where the last holder lets go at the same time.
  static std::shared_ptr<SharedStore> Of(Postoffice* node);
  // Lets go of the store; the node is finalized where it was started here. What fails is logged.
  ~SharedStore();
  SharedStore(const SharedStore&) = delete;
  SharedStore& operator=(const SharedStore&) = delete;

  Postoffice& node() { return *node_; }
  Store& store() { return *store_; }
  SimpleApp& commands() { return *commands_; }
  // Whether the node, when it is finalized here, waits for the others. Default: yes.
  void set_barrier_before_exit(bool barrier) { barrier_before_exit_ = barrier; }
  // Before a node is finalized here, `leave` is called for each table, so that no other worker waits for its
  // rounds. The last one given for a table counts.
  void LeaveAtEnd(const std::string& table, std::function<Ticket()> leave);

 private:
  explicit SharedStore(Postoffice* node);
  void LeaveTables();
  // Of the node; what fails is logged.
  void End(bool waits_for_all);

  Postoffice* const node_;
  bool is_started_here_ = false;
  std::atomic<bool> barrier_before_exit_{true};
  std::unique_ptr<Store> store_;
  std::unique_ptr<SimpleApp> commands_;
  Mutex mutex_;
  std::map<std::string, std::function<Ticket()>> leaves_ PS_GUARDED_BY(mutex_);  // by table
};

}  // namespace ps
#endif  // PS_STORE_SHARED_STORE_H_
