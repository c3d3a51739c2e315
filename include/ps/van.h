#ifndef PS_VAN_H_
#define PS_VAN_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "ps/config.h"
#include "ps/message.h"
#include "ps/status.h"

namespace ps {

struct Roster;
class Transport;
class VanCore;

// Who a Van hands things up to: the Postoffice. Calls come from the Van's own threads and must not block;
// they may call the Van back, except Start, Barrier, Leave and Close.
class VanSink {
 public:
  virtual ~VanSink() = default;
  // A roster was accepted: the first one before Start returns, later ones when a node was lost, left or came
  // back.
  virtual void OnRoster(const Roster& roster) = 0;
  // A data message, in order. The sink calls Van::ReturnCredit once for every request when a handler takes
  // it.
  virtual void OnMessage(Message&& message) = 0;
  // The same for several, in order; their number is not 0. One that can not be handed on (out of memory) does
  // not keep back the others: nothing is thrown.
  virtual void OnMessages(std::vector<Message>* messages);
  virtual void OnAnswers(const std::vector<BareAnswer>& answers);
  // Whether whoever gets messages like this one takes values as they lie in the sender's memory
  // (Meta::borrowed).
  virtual bool Borrows(const Meta& /*meta*/) { return false; }
  // A message this node sent will not arrive (deadline before acknowledgement, peer gone): its meta and why.
  virtual void OnUndelivered(const Meta& meta, const Status& why) = 0;
  // A peer was lost or left: nothing more will come from it.
  virtual void OnNodeGone(const Node& node, const Status& why) = 0;
  // This node was declared lost itself; OnNodeGone of all others follows.
  virtual void OnOwnLoss(const Status& /*why*/) {}
  // Timers: called by `ps-io` not before the moment asked for with WakeAt; returns the next one it wants
  // (CondVar::kNever = none).
  virtual int64_t OnTimer(int64_t now_ms) = 0;
};

// The Van of one node: owns its sockets (transport), its place in the cluster (rank, heartbeats, barriers)
// and delivery, in order and exactly once, to every peer. Programs reach it by `Postoffice::van()`; its life
// is the Postoffice's business: construct, Start, (Send, Barrier)*, Leave, Close.
class Van {
 public:
  // Makes the transport of a node of this incarnation.
  using TransportFactory = std::function<Result<std::unique_ptr<Transport>>(std::uint64_t incarnation)>;

  Van(const Config& config, TransportFactory transport);
  ~Van();  // = Close()
  Van(const Van&) = delete;
  Van& operator=(const Van&) = delete;

  // Sends a data message; `meta` names receiver (a node id), app, customer and timestamp, the sender is
  // filled in. Blocks, if at all, for room on the way to that peer, up to the request deadline. Thread-safe.
  // Returns the bytes of its blocks; throws ps::Error.
  int Send(const Message& message);
  // This node; an error (ps::Error) before Start assigned its id.
  const Node& my_node() const;
  // The next of a sequence of numbers, unique in this Van.
  int GetTimestamp();
  // True from the moment the roster is known until Close.
  bool IsReady() const;

  // For the runtime: the parts behind this facade (src/van/van_core.h).
  VanCore& core() { return *core_; }

 private:
  const int64_t request_timeout_ms_;
  std::atomic<int> next_timestamp_{0};
  mutable std::once_flag node_once_;
  mutable Node node_;
  std::unique_ptr<VanCore> core_;
};

// Makes the Van of a node at each Start.
using VanFactory = std::function<Result<std::unique_ptr<Van>>(const Config& config)>;

// The factory by DMLC_PS_VAN_TYPE.
Result<std::unique_ptr<Van>> DefaultVan(const Config& config);

}  // namespace ps
#endif  // PS_VAN_H_
