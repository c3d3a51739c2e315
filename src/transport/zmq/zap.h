#ifndef PS_TRANSPORT_ZMQ_ZAP_H_
#define PS_TRANSPORT_ZMQ_ZAP_H_

#include <memory>
#include <string>
#include <vector>

#include "base/thread.h"
#include "ps/status.h"
#include "transport/zmq/socket.h"

namespace ps {

// Frames of a request or reply of ZAP (ZeroMQ's RFC 27).
using ZapFrames = std::vector<std::string>;

// What to answer to a request: 200 to a client whose key is `admitted_key` (32 bytes) and who has proven it
// by CURVE, 400 to everybody else, 500 to what is no request. Pure.
ZapFrames AnswerZap(const ZapFrames& request, const std::string& admitted_key);

// Tells the library which clients to admit: those with one key. One per context; the library asks it once
// per connection, inside the process. A thread `ps-zap` that sleeps until it is asked: not the receiver's,
// so that connections are made while that one is busy, or not there yet.
class ZapHandler {
 public:
  // From here on the context's CURVE servers admit who has `public_key` (Z85) only. Errors: kInvalidArgument
  // for what is no key, kInternal, kResourceExhausted.
  static Result<std::unique_ptr<ZapHandler>> Start(const ZmqContext& context, const std::string& public_key);
  // Waits for the thread, which ends when the context is terminated: that has to be done first.
  ~ZapHandler() = default;

 private:
  ZapHandler(std::shared_ptr<void> socket, std::string admitted_key);

  Thread thread_;
};

}  // namespace ps
#endif  // PS_TRANSPORT_ZMQ_ZAP_H_
