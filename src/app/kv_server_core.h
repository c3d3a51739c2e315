#ifndef PS_APP_KV_SERVER_CORE_H_
#define PS_APP_KV_SERVER_CORE_H_

#include <functional>
#include <memory>

#include "base/replaceable.h"
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
  struct Registered {
    Handle handle;
    bool borrows = false;
  };
  Replaceable<Registered> registered_;  // it may replace itself, or destroy the server, while it runs
};

}  // namespace ps
#endif  // PS_APP_KV_SERVER_CORE_H_
