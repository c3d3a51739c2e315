#ifndef PS_STORE_NETWORK_LINK_H_
#define PS_STORE_NETWORK_LINK_H_

#include <functional>
#include <memory>
#include <vector>

#include "ps/simple_app.h"
#include "store/server_link.h"

namespace ps {

class Postoffice;

// The app id that the store's messages go by.
constexpr int kStoreApp = 0x5707e;
constexpr int kStoreLossApp = kStoreApp + 1;  // hears of losses, gets no messages

// The link of a worker of a cluster. One per node.
class NetworkLink : public SimpleApp, public ServerLink {
 public:
  // Throws Error where the node has one already. `postoffice` outlives it.
  explicit NetworkLink(Postoffice* postoffice);
  ~NetworkLink() override;

  int num_servers() const override;
  int num_workers() const override;
  int worker() const override;
  SentRequest Send(std::vector<Addressed>&& requests, std::shared_ptr<AnswerSink> sink) override;
  Status WaitUntil(const SentRequest& request, std::int64_t deadline_ms) override;
  Status CheckMayWait() override;
  bool Post(std::function<void()> code) override;
  void Close() override { CloseCustomer(); }
  Status Barrier(std::int64_t timeout_ms) override;

 private:
  void Process(const Message& message) override;

  Postoffice* const postoffice_;
};

}  // namespace ps
#endif  // PS_STORE_NETWORK_LINK_H_
