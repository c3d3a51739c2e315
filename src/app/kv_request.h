#ifndef PS_APP_KV_REQUEST_H_
#define PS_APP_KV_REQUEST_H_

#include <functional>
#include <optional>

#include "app/gather.h"
#include "app/request_tracker.h"
#include "ps/status.h"

namespace ps {

// The life of one push, pull or push-pull after it was sent: gathers the answers of a pull, then runs the
// callback.
class KVRequest : public RequestSink {
 public:
  // `gather` empty: a push, whose answers carry nothing.
  KVRequest(std::optional<Gather> gather, std::function<void()> callback);
  // The same for a pull from one server, made in place.
  KVRequest(const Gather::Pull& pull, int rank, SArray<Key> keys, std::function<void()> callback);

  Status OnAnswer(const Message& answer) override;
  Status OnDone(const Status& so_far) override;
  bool observed() const override { return observed_; }

  // The outcome of the request whose callback runs on this thread; Ok when none does.
  static Status OfCallback();

 private:
  void RunCallback(const Status& outcome);

  std::optional<Gather> gather_;
  std::function<void()> callback_;
  bool observed_ = false;  // the callback asked for the outcome
};

}  // namespace ps
#endif  // PS_APP_KV_REQUEST_H_
