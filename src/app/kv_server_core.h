#ifndef PS_APP_KV_SERVER_CORE_H_
#define PS_APP_KV_SERVER_CORE_H_

#include <functional>
#include <memory>

#include "base/mutex.h"
#include "ps/kv_pairs.h"
#include "ps/message.h"
#include "ps/status.h"

namespace ps {

class CustomerCore;

// A KVServer on bytes: checks what comes, hands it to the handle, answers. Thread-safe.
class KVServerCore {
 public:
  using Handle = std::function<void(const KVMeta& req, KVBytes&& data)>;

  KVServerCore(CustomerCore* customer, const ElementType& element) : customer_(customer), element_(element) {}

  // `traits`: a sum of HandleTraits. One that does not borrow owns the arrays that it gets.
  void set_handle(Handle handle, int traits);
  // A push, pull or push-pull; on the Customer's thread. Without a handle it waits for one. Takes its blocks
  // and text, not the rest of its meta.
  void OnRequest(Message* message);
  void Respond(const KVMeta& req, KVBytes&& res);
  void Fail(const KVMeta& req, const Status& why);

 private:
  CustomerCore* const customer_;
  const ElementType element_;
  Mutex mutex_;
  struct Registered {
    Handle handle;
    bool borrows = false;
  };
  // Shared: it may replace itself while it runs.
  std::shared_ptr<const Registered> registered_ PS_GUARDED_BY(mutex_);
};

}  // namespace ps
#endif  // PS_APP_KV_SERVER_CORE_H_
