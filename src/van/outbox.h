#ifndef PS_VAN_OUTBOX_H_
#define PS_VAN_OUTBOX_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "ps/message.h"
#include "ps/status.h"
#include "van/delivery.h"
#include "van/send_queue.h"

namespace ps {

// A data message that will not arrive.
struct Undelivered {
  Meta meta;
  Status why;
};

// What one peer has not acknowledged: messages that wait in the queue, and frames sent. Knows which frames
// belong to one message, so that a message is given up as a whole and reported once, however many chunks it
// has. Pure.
class Outbox {
 public:
  struct GivenUp {
    std::vector<Undelivered> reported;
    std::vector<uint64_t> withdrawn;  // bytes of each request of which nothing was sent: its room is free
    bool copied = false;              // memory of frames already sent was replaced by copies
    int64_t next_ms = 0;              // of Expire: when the next of what is there now is due
  };

  // `peer_id` is the receiver, and the `self_id` of the functions the sender, of the metas that are reported.
  Outbox(uint64_t chunk_bytes, int64_t ask_after_ms, int peer_id);

  SendQueue& queue() { return *queue_; }
  const SendQueue& queue() const { return *queue_; }
  DeliverySender& sent() { return *sent_; }
  const DeliverySender& sent() const { return *sent_; }
  bool drained() const { return queue_->empty() && sent_->unacknowledged() == 0; }

  // Gives up requests that have waited in the queue, or of which a frame is unacknowledged, for
  // `timeout_ms`; answers wait as long as the peer is there. What was sent stays in the sequence, or the peer
  // could never go on, but as a copy: the memory is its owner's again.
  GivenUp Expire(int64_t now_ms, int64_t timeout_ms, const Status& why, int self_id);
  // Requests of this customer, or (not -1) the one of this timestamp: dropped if nothing of them was sent,
  // else copied. Reports none.
  GivenUp Release(int app_id, int customer_id, int timestamp = -1);
  // The meta of a request as it is reported.
  Meta MetaOf(const Header& header, int self_id) const;
  // Drops everything; the data messages in it are reported, but for those that were given up before.
  std::vector<Undelivered> Clear(const Status& why, int self_id);

 private:
  // Unique among the data messages on their way to one peer: app, customer, timestamp, is a request.
  using Name = std::tuple<int, int, int, bool>;
  using Match = std::function<bool(const Header&)>;

  static Name NameOf(const Header& header);
  void Drop(const std::function<bool(const Outgoing&)>& match, GivenUp* out);
  bool CopyBegun(const Match& match);

  const uint64_t chunk_bytes_;
  const int64_t ask_after_ms_;
  const int peer_id_;
  std::optional<SendQueue> queue_;      // never empty; made anew by Clear
  std::optional<DeliverySender> sent_;  // the same
  std::set<Name> given_up_;             // reported, though frames of it are still on their way
};

}  // namespace ps
#endif  // PS_VAN_OUTBOX_H_
