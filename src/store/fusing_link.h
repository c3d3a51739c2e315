#ifndef PS_STORE_FUSING_LINK_H_
#define PS_STORE_FUSING_LINK_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "store/fusion.h"
#include "store/server_link.h"

namespace ps {

// A link on which, while it is told to hold them, small requests gather, to travel together (Fusion). Whoever
// waits for one of them sends all.
class FusingLink : public ServerLink {
 public:
  explicit FusingLink(std::unique_ptr<ServerLink> link, const Fusion::Bounds& bounds = Fusion::Bounds());

  int num_servers() const override { return link_->num_servers(); }
  int num_workers() const override { return link_->num_workers(); }
  int worker() const override { return link_->worker(); }
  SentRequest Send(std::vector<Addressed>&& requests, std::shared_ptr<AnswerSink> sink) override;
  Status WaitUntil(const SentRequest& request, std::int64_t deadline_ms) override;
  Status CheckMayWait() override { return link_->CheckMayWait(); }
  bool Post(std::function<void()> code) override { return link_->Post(std::move(code)); }
  // What gathered is failed, too.
  void Close() override;
  Status Barrier(std::int64_t timeout_ms) override { return link_->Barrier(timeout_ms); }

  // Small requests gather from here on; nests.
  void Hold();
  void Release();
  // Sends what has gathered; or another thread is about to.
  void SendGathered();

 private:
  void SendDue();
  void SendOne(Fusion::Fused&& message);

  const std::unique_ptr<ServerLink> link_;
  Mutex mutex_;
  Fusion fusion_ PS_GUARDED_BY(mutex_);
  // To be sent, in order, by one thread at a time: what was called first is never overtaken.
  std::vector<Fusion::Fused> due_ PS_GUARDED_BY(mutex_);
  bool is_sending_ PS_GUARDED_BY(mutex_) = false;
  bool closed_ PS_GUARDED_BY(mutex_) = false;
  int holds_ PS_GUARDED_BY(mutex_) = 0;
};

}  // namespace ps
#endif  // PS_STORE_FUSING_LINK_H_
