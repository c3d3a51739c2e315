#ifndef PS_VAN_ROUTE_H_
#define PS_VAN_ROUTE_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "base/clock.h"
#include "base/counters.h"
#include "base/mutex.h"
#include "ps/status.h"
#include "transport/transport.h"
#include "van/assembler.h"
#include "van/credit.h"
#include "van/delivery.h"
#include "van/identity.h"
#include "van/open_requests.h"
#include "van/outbox.h"
#include "van/route_host.h"
#include "van/van_core.h"

namespace ps {

// `head` of a kAsk frame from a sender that waits for room.
constexpr int32_t kAskWantsRoom = 1;

// A message that arrived, or (status not ok) one that was refused: then only its header is valid.
struct Received {
  Header header;
  Blocks blocks;
  bool borrowed = false;  // its values are the sender's memory, only to be read
  Status status;
};

// Everything between this node and one incarnation of a peer: what waits, room, sequence numbers, the link,
// and the receiving halves of the same. The shell around Outbox, CreditSender and Receiver, DeliveryReceiver,
// Assembler.
//
// Threads: sending by any; OnFrame by the receiver's thread only; OnTimer by ps-io. `mutex_` is a leaf:
// nothing is called back under it but the link and `wake_at`.
//
// Questions. A kAsk frame carries in `timestamp` the low half of the number of the question about what is
// missing (0: only acknowledgement and credits are wanted) and in `head` whether a sender waits for room. The
// answer to a question is a kHave with the same `timestamp`, else a kAck.
class Route {
 public:
  using Connect = std::function<Result<std::unique_ptr<Link>>()>;

  // `connect` makes the link, now and again when memory must be taken back from the one there is. `kept` is
  // sent before anything else: what the route to the peer's former incarnation has kept.
  Route(const RouteHost& host, const Node& peer, Connect connect, std::vector<Outgoing> kept = {});
  ~Route();

  const Node& peer() const { return peer_; }

  // A request waits for room by `options`; everything else is queued at once. Errors (then `*message` is as
  // it was): the peer is gone, or no room in time. To a peer that is lost and may come back requests are
  // kept.
  Status Send(Outgoing* message, const SendOptions& options);
  // A frame outside of the sequence: acknowledgement, heartbeat.
  void SendBare(FrameKind kind, uint16_t flags = 0);
  // A handler took a request of this size. Mostly without the lock: the response that follows tells it.
  void ReturnCredit(uint64_t bytes);

  // A frame of this peer that was admitted; the messages it completes are appended to `*ready`. True, where
  // `whole` (empty before) is given: the only one is what this frame has brought as a whole, and its blocks
  // are there instead.
  bool OnFrame(const Header& header, const Frame& frame, std::vector<Received>* ready,
               Blocks* whole = nullptr);

  // Sends what waits as far as the transport takes it, asks for what is not acknowledged, gives up what is
  // beyond its deadline (appended to `*expired`). Returns when to call again.
  int64_t OnTimer(int64_t now_ms, std::vector<Undelivered>* expired);

  // Requests of a customer that were not acknowledged: dropped if unsent, else copied, so that nothing refers
  // to the caller's memory any more; nor are they kept.
  void ReleaseLent(const Lent& lent);

  // True when everything sent is acknowledged (or the route is closed) before the deadline. Asks for what is
  // missing, also when the deadline has passed already.
  bool WaitDrained(Deadline deadline);

  // The peer left or is lost: refuses to send, wakes who waits, lets go of all memory and gives back all data
  // that was not acknowledged. The route still answers questions. Idempotent. With kKeepRequests (the peer is
  // lost but may come back) its open requests are kept within their deadlines, and new ones join them: needs
  // RouteSettings::keeps_requests, and may be followed by kGiveUp.
  //
  // What it gives back, and what OnTimer gives up, comes when no thread or library can touch its memory any
  // more: at once, or from a later OnTimer. HoldsMemory tells whether something is still to come.
  enum class Then { kGiveUp, kKeepRequests };
  std::vector<Undelivered> Close(const Status& why, Then then = Then::kGiveUp);
  bool HoldsMemory();
  // The peer's new incarnation has a route of its own, which gets what was kept, in order of issue.
  std::vector<Outgoing> Supersede();
  // Closes the link as well; nothing is sent any more.
  void Shutdown();

 private:
  // The peer may be sent to, or is worth waiting for.
  Status Usable() const PS_REQUIRES(mutex_) { return suspended_since_ms_ < 0 ? closed_ : Status::Ok(); }
  Status WaitForRoom(uint64_t bytes, const SendOptions& options) PS_REQUIRES(mutex_);
  void Suspend() PS_REQUIRES(mutex_);
  std::vector<Undelivered> GiveUp(const Status& why) PS_REQUIRES(mutex_);
  void NoteIssued(uint64_t bytes, Outgoing* message, const SendOptions& options) PS_REQUIRES(mutex_);
  bool SendNow(uint64_t bytes, Outgoing* message) PS_REQUIRES(mutex_);
  SendResult TryLink(const Frame& frame) PS_REQUIRES(mutex_);
  void QueueLocked(Outgoing message) PS_REQUIRES(mutex_);
  Status NoRoom(int64_t waited_ms) const PS_REQUIRES(mutex_);
  void PumpLocked() PS_REQUIRES(mutex_);
  void SendBareLocked(FrameKind kind, uint16_t flags = 0) PS_REQUIRES(mutex_);
  void AskForMissing(int64_t now_ms) PS_REQUIRES(mutex_);
  void RetryBare() PS_REQUIRES(mutex_);
  void Stamp(Header* header) PS_REQUIRES(mutex_);
  void TellIfDue() PS_REQUIRES(mutex_);
  bool MayTellCredits() const PS_REQUIRES(mutex_);
  bool CreditsUntold() PS_REQUIRES(mutex_);
  CreditReceiver& Taken() PS_REQUIRES(mutex_);
  void OnTold(const Header& header) PS_REQUIRES(mutex_);
  void OnAsk(const Header& header) PS_REQUIRES(mutex_);
  void OnHave(const Header& header, const Frame& frame) PS_REQUIRES(mutex_);
  bool OnSequenced(const Header& header, const Frame& frame, std::vector<Frame>* in_order)
      PS_REQUIRES(mutex_);
  void Assemble(const Header& header, const Frame& frame, std::vector<Received>* ready);
  bool TakeWhole(const Header& header, const Frame& frame, Blocks* blocks);
  void NoteAnswer(const Header& header);
  void ExpireLocked(int64_t now_ms, std::vector<Undelivered>* expired) PS_REQUIRES(mutex_);
  int64_t ExpireKept(int64_t now_ms, std::vector<Undelivered>* expired) PS_REQUIRES(mutex_);
  bool DrainedLocked() const PS_REQUIRES(mutex_);
  void TakeBack(const Outbox::GivenUp& given_up) PS_REQUIRES(mutex_);
  void EndLink() PS_REQUIRES(mutex_);
  void Reconnect() PS_REQUIRES(mutex_);
  // Makes the link; what is in the way may pass (descriptors, a name server), so it is tried again until the
  // peer is gone.
  void TryConnect(int64_t now_ms) PS_REQUIRES(mutex_);
  // Takes back the room that was theirs; only while the peer is lost, before they are in its hands.
  void WithdrawKept(const std::vector<uint64_t>& bytes) PS_REQUIRES(mutex_);
  bool AllReleased() PS_REQUIRES(mutex_);
  // Moves `from` to `to`, or keeps it until all is released.
  void HandBack(std::vector<Undelivered> from, std::vector<Undelivered>* to) PS_REQUIRES(mutex_);

  const RouteHost host_;
  const Node peer_;
  const Connect connect_;

  Mutex mutex_;
  CondVar changed_;  // room, an acknowledgement, or the end
  std::unique_ptr<Link> link_ PS_GUARDED_BY(mutex_);
  // Closed ones that still refer to memory, and what is told when they do not any more.
  std::vector<std::unique_ptr<Link>> dying_ PS_GUARDED_BY(mutex_);
  std::vector<Undelivered> held_back_ PS_GUARDED_BY(mutex_);
  bool shut_down_ PS_GUARDED_BY(mutex_) = false;
  Status connect_error_ PS_GUARDED_BY(mutex_);             // while there is no link
  int64_t connect_ms_ PS_GUARDED_BY(mutex_) = 0;           // when to try next
  Status closed_ PS_GUARDED_BY(mutex_);                    // not ok once closed
  int64_t suspended_since_ms_ PS_GUARDED_BY(mutex_) = -1;  // -1: not
  Outbox outbox_ PS_GUARDED_BY(mutex_);
  int64_t expire_ms_ PS_GUARDED_BY(mutex_) = 0;       // when to look for what is due in it
  OpenRequests open_requests_ PS_GUARDED_BY(mutex_);  // if the settings keep requests
  CreditSender room_ PS_GUARDED_BY(mutex_);
  CreditReceiver taken_ PS_GUARDED_BY(mutex_);
  DeliveryReceiver received_ PS_GUARDED_BY(mutex_);
  int num_waiting_ PS_GUARDED_BY(mutex_) = 0;   // senders that wait for room
  int num_draining_ PS_GUARDED_BY(mutex_) = 0;  // threads in WaitDrained
  // For room: tell credits within a millisecond. Written under mutex_.
  std::atomic<bool> peer_waits_{false};
  int64_t wanted_room_ms_ PS_GUARDED_BY(mutex_) = 0;  // when it last said so
  unsigned bare_due_ PS_GUARDED_BY(mutex_) = 0;       // bit per FrameKind the transport had no room for
  int32_t question_ PS_GUARDED_BY(mutex_) = 0;        // of the next kAsk
  int32_t answer_to_ PS_GUARDED_BY(mutex_) = 0;       // of the next kHave
  uint32_t told_requests_ PS_GUARDED_BY(mutex_) = 0;  // credits last told
  uint64_t told_bytes_ PS_GUARDED_BY(mutex_) = 0;

  // What handlers have taken, in all; taken_ follows when it is looked at. And the totals at which they have
  // to be told, written under mutex_.
  std::atomic<uint32_t> returned_requests_{0};
  std::atomic<uint64_t> returned_bytes_{0};
  std::atomic<uint32_t> due_at_requests_{0};
  std::atomic<uint64_t> due_at_bytes_{0};

  Assembler assembler_;  // receiver's thread only; Shutdown when that has left the route
};

}  // namespace ps
#endif  // PS_VAN_ROUTE_H_
