#ifndef PS_STORE_REPLY_H_
#define PS_STORE_REPLY_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "ps/status.h"
#include "store/message_limit.h"
#include "store/op.h"
#include "store/server_link.h"

namespace ps {

// The answer to one message of operations while it is made: several threads finish parts of it, the last one
// sends it. Shared by all who owe something.
class Reply {
 public:
  // Called once, by whoever finishes the last part.
  using Send = std::function<void(StoreAnswer&& answer)>;

  Reply(std::size_t num_ops, Send send, const MessageLimit& limit = MessageLimit());
  ~Reply() = default;
  Reply(const Reply&) = delete;
  Reply& operator=(const Reply&) = delete;

  // What one operation brings, for its owner alone until Finish. The first error stays.
  struct Part {
    OpReply reply;
    SArray<Key> keys;
    SArray<char> vals;
  };
  Part& part(std::size_t op) { return parts_[op]; }
  void Fail(std::size_t op, const Status& why);
  // There will be so many bytes of values more, for `whom`: before there is memory for them.
  // kResourceExhausted where they are too many for a message with what was claimed before.
  Status Claim(std::size_t bytes, const std::string& whom);
  // The answer waits for `more` things more than before; while it waits for one at least.
  void Expect(int more) { open_.fetch_add(more); }
  // One thing less. At the beginning the answer waits for one thing per operation.
  void Finish() {
    if (open_.fetch_sub(1) == 1) SendAll();
  }

 private:
  void SendAll();
  void FailContents(const Status& why);
  Status Gather(StoreAnswer* answer);

  const Send send_;
  const MessageLimit limit_;
  std::vector<Part> parts_;
  std::atomic<int> open_;
  Mutex mutex_;  // for errors
  std::size_t claimed_bytes_ PS_GUARDED_BY(mutex_) = 0;
};

}  // namespace ps
#endif  // PS_STORE_REPLY_H_
