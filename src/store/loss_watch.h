#ifndef PS_STORE_LOSS_WATCH_H_
#define PS_STORE_LOSS_WATCH_H_

#include <cstdint>
#include <functional>
#include <limits>

#include "ps/mailbox.h"
#include "ps/status.h"

namespace ps {

class Postoffice;

// Hears of nodes that are lost. A mailbox beside that of the app, which gets no messages.
class LossWatch : public Mailbox {
 public:
  using OnLoss = std::function<void(int node_id, const Status& why)>;

  // `on_loss` is called by threads of the runtime and must not block. Throws Error where (app_id, 0) is
  // taken.
  LossWatch(Postoffice* postoffice, int app_id, OnLoss on_loss);
  ~LossWatch() override;

 private:
  int app_id() const override { return app_id_; }
  int customer_id() const override { return app_id_; }
  void Deliver(Message&&) override {}
  void OnUndelivered(const Meta&, const Status&) override {}
  void OnNodeGone(int node_id, uint64_t, const Status& why) override { on_loss_(node_id, why); }
  void OnClose(const Status&) override {}
  int64_t OnTimer(int64_t) override { return std::numeric_limits<int64_t>::max(); }
  void WaitIdle() override {}
  void OnMoved(Postoffice*) override {}

  Postoffice* const postoffice_;
  const int app_id_;
  const OnLoss on_loss_;
};

}  // namespace ps
#endif  // PS_STORE_LOSS_WATCH_H_
