#ifndef PS_STORE_SERVER_LINK_H_
#define PS_STORE_SERVER_LINK_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "ps/base.h"
#include "ps/sarray.h"
#include "ps/status.h"
#include "store/message_limit.h"
#include "store/op.h"

namespace ps {

// Operations on their way to one server, with the arrays that they describe (store/op.h).
struct StoreRequest {
  std::vector<Op> ops;
  SArray<Key> keys;
  SArray<char> vals;
  int priority = 0;              // higher first
  bool may_wait = false;         // its answer may have to wait for what other workers do
  std::size_t answer_bytes = 0;  // of what is read, at most, where it is known

  // Of the message.
  std::size_t bytes() const { return OpCodec::BytesOf(ops) + keys.size() * sizeof(Key) + vals.size(); }
};

// And the answer to them, one reply for each.
struct StoreAnswer {
  std::vector<OpReply> replies;
  SArray<Key> keys;
  SArray<char> vals;
};

class FusedCall;

// What becomes of a request. Calls come one at a time, from the receiving thread or the link's own, and must
// not block or send.
class AnswerSink {
 public:
  virtual ~AnswerSink() = default;
  // The arrays may be the server's memory: they are to be read, and not kept.
  virtual Status OnAnswer(int server, const StoreAnswer& answer) = 0;
  // Nothing more will come. Exactly once.
  virtual void OnDone(const Status& outcome) = 0;
};

// A request that was sent: what to wait for.
struct SentRequest {
  int timestamp = 0;                 // of the link that sent it
  std::shared_ptr<FusedCall> fused;  // or, where it is set, a call that travels with others
};

// The way from the client half of the store to its servers, by logical number: over the network, or a
// function call. Thread-safe.
class ServerLink {
 public:
  virtual ~ServerLink() = default;

  virtual int num_servers() const = 0;
  virtual int num_workers() const = 0;
  virtual int worker() const = 0;  // the rank of this client
  const MessageLimit& message_limit() const { return limit_; }
  struct Addressed {
    int server = 0;
    StoreRequest request;
  };
  // Sends each to its server; together they are one request. The arrays are shared until OnDone. Waits for
  // room on the way. Throws ps::Error when the node is not in a cluster.
  virtual SentRequest Send(std::vector<Addressed>&& requests, std::shared_ptr<AnswerSink> sink) = 0;
  // Returns after OnDone, with its outcome; kDeadlineExceeded at `deadline_ms` (monotonic). Refused on the
  // link's own thread, where it would never end.
  virtual Status WaitUntil(const SentRequest& request, std::int64_t deadline_ms) = 0;
  // kFailedPrecondition where the calling thread must not wait: the link's own.
  virtual Status CheckMayWait() = 0;
  // Runs `code` soon on the link's own thread, one at a time; at the latest in Close. False: it has closed.
  virtual bool Post(std::function<void()> code) = 0;
  // Fails what is under way with kCancelled; afterwards nothing is running or will run. Idempotent.
  virtual void Close() = 0;
  // Meets the other workers.
  virtual Status Barrier(std::int64_t timeout_ms) = 0;

 protected:
  explicit ServerLink(const MessageLimit& limit = MessageLimit()) : limit_(limit) {}

  MessageLimit limit_;
};

}  // namespace ps
#endif  // PS_STORE_SERVER_LINK_H_
