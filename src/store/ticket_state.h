#ifndef PS_STORE_TICKET_STATE_H_
#define PS_STORE_TICKET_STATE_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "ps/status.h"
#include "store/server_link.h"
#include "store/ticket_source.h"

namespace ps {

// One operation that goes through a link.
class TicketState : public TicketSource {
 public:
  // Says, at some cost, whom an operation still waits for; empty: nothing to say.
  using Explain = std::function<std::string()>;

  explicit TicketState(std::shared_ptr<ServerLink> link, Explain explain = nullptr);

  // Told the outcome at once, by whoever brings it: for the library. Before it can end.
  void OnFinish(Continuation hook) { hook_ = std::move(hook); }
  // The request that brings the outcome; before anybody waits.
  void SetRequest(const SentRequest& request);
  // The outcome. Once.
  void Finish(const Status& outcome);
  Status Wait(const std::chrono::milliseconds* timeout) override;
  bool done() override;
  void Then(Continuation continuation) override;

 private:
  std::string ExplainDelay();
  void Continue(Continuation continuation, const Status& outcome);

  const std::shared_ptr<ServerLink> link_;
  Continuation hook_;
  Mutex mutex_;
  CondVar finished_;
  Explain explain_ PS_GUARDED_BY(mutex_);  // until it is done
  SentRequest request_ PS_GUARDED_BY(mutex_);
  bool is_done_ PS_GUARDED_BY(mutex_) = false;
  Status outcome_ PS_GUARDED_BY(mutex_);
  std::vector<Continuation> continuations_ PS_GUARDED_BY(mutex_);
};

}  // namespace ps
#endif  // PS_STORE_TICKET_STATE_H_
