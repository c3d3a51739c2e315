#ifndef PS_MAILBOX_H_
#define PS_MAILBOX_H_

#include <cstddef>
#include <cstdint>
#include <utility>

#include "ps/message.h"
#include "ps/status.h"

namespace ps {

class Customer;
class Postoffice;

// How messages may come.
class MailboxWishes {
 public:
  // Whether the values of such messages may come as they lie in the sender's memory (Meta::borrowed). A
  // message that has come so is delivered although that has changed meanwhile. Any thread; must not block.
  virtual bool Borrows(const Meta& /*meta*/) const { return false; }

 protected:
  ~MailboxWishes() = default;
};

// How they come.
class MailboxSlot {
 public:
  // A request or response for this mailbox, in order.
  virtual void Deliver(Message&& message) = 0;
  // Several that came right after each other, in order: all of them requests, or all of them answers.
  virtual void DeliverAll(Message* first, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) Deliver(std::move(first[i]));
  }
  virtual void DeliverAnswers(const BareAnswer* first, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) Deliver(first[i].AsMessage());
  }

 protected:
  ~MailboxSlot() = default;
};

// Where a Postoffice puts the messages of one (app id, customer id). Implemented by Customer. All calls come
// from threads of the runtime, none may block or call back into Attach and Detach; after Postoffice::Detach
// returned none is running or will come.
class Mailbox : public MailboxWishes, public MailboxSlot {
 public:
  virtual ~Mailbox() = default;
  virtual int app_id() const = 0;
  virtual int customer_id() const = 0;
  // The Customer behind it, for Postoffice::GetCustomer; null if there is none.
  virtual Customer* customer() { return nullptr; }

  // A request or response sent from here will not arrive.
  virtual void OnUndelivered(const Meta& meta, const Status& why) = 0;
  // No answer will come from this node any more to what was asked until now. `incarnation` names the life of
  // it that has ended; the next one may be there already.
  virtual void OnNodeGone(int node_id, uint64_t incarnation, const Status& why) = 0;
  // This node was declared lost itself: the others drop what it says. OnNodeGone of each of them follows.
  virtual void OnOwnLoss(const Status& /*why*/) {}
  // Who is in the cluster has changed (Postoffice::Members).
  virtual void OnRoster() {}
  // The node ends: everything pending fails with `why`.
  virtual void OnClose(const Status& why) = 0;
  // Checks deadlines; returns when it wants to be called next (monotonic ms, INT64_MAX = never).
  virtual int64_t OnTimer(int64_t now_ms) = 0;
  // Blocks until no request sent from here is open; each ends by its own deadline at the latest. After
  // OnClose: until none of its callbacks runs. Called when the node ends; returns at once on a thread of this
  // mailbox.
  virtual void WaitIdle() = 0;
  // When it is detached with open requests: the timestamp after the last one given out, else 0. A mailbox
  // that takes its name later is told to go on from there, so that late answers to the old requests meet
  // nobody.
  virtual int ReservedTimestamps() { return 0; }
  virtual void BeginTimestampsAt(int /*first*/) {}
  // Late decision of a mailbox built before Start: it belongs to this node from now on.
  virtual void OnMoved(Postoffice* to) = 0;
};

}  // namespace ps
#endif  // PS_MAILBOX_H_
