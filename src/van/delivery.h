#ifndef PS_VAN_DELIVERY_H_
#define PS_VAN_DELIVERY_H_

#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "transport/transport.h"
#include "van/kept_frames.h"

namespace ps {

// Sequence numbers first..last, both included.
struct SeqRange {
  uint64_t first = 0;
  uint64_t last = 0;
  bool operator==(const SeqRange& o) const { return first == o.first && last == o.last; }
};

// Frames on their way to one peer; sender's and receiver's windows are equal.
constexpr uint64_t kDeliveryWindow = 1024;
// The same in bytes of payload; one larger frame may go alone. It bounds what a transport reads ahead of a
// receiver that is slower than the link.
constexpr uint64_t kDeliveryWindowBytes = 32 << 20;

// The sending half of exactly-once delivery to one incarnation of a peer. Numbers frames, keeps them by
// reference until they are acknowledged, and says when to ask for what is missing. Never resends unasked.
// Pure.
//
// When it asks: `ask_after_ms` after the oldest unacknowledged frame was sent. Then, or when one of the last
// few answers reported a loss, a little more than a measured round trip after (1 ms to 1 s), and where there
// are losses again after a quarter of that; when questions stay unanswered the time doubles. Round trips are
// those of questions and their answers, because acknowledgements may be late on purpose.
class DeliverySender {
 public:
  explicit DeliverySender(int64_t ask_after_ms) : ask_after_ms_(ask_after_ms) {}

  bool HasRoom() const {
    return kept_.empty() || (kept_.size() < kDeliveryWindow && kept_.bytes() < kDeliveryWindowBytes);
  }
  // The number the next frame gets.
  uint64_t next_sequence() const { return kept_.next(); }
  // Keeps `frame`, which carries next_sequence(). Needs HasRoom().
  void Keep(Frame frame, int64_t now_ms);
  // The same in two steps, for who makes the frame in its place: where it goes (a frame without parts; if it
  // is not sent after all its parts are taken out again), and that it was sent.
  Frame* NextPlace() { return kept_.Place(); }
  void KeepNext(uint64_t payload_bytes, int64_t now_ms) { kept_.Add(payload_bytes, now_ms); }
  // Everything up to `ack` has arrived. Returns whether that was news. Values never sent are ignored.
  bool Acknowledge(uint64_t ack);
  // When to ask next; -1 if everything is acknowledged.
  int64_t next_ask_ms() const;
  // A question was just sent.
  void Asked(int64_t now_ms);
  // How many questions have been asked: the number of the last one. It travels with it and comes back with
  // the answer.
  uint64_t question() const { return questions_; }
  // The frames to send again after the answer "all up to `ack`, and `held`" (ascending, disjoint) to question
  // number `question` (0: the last one): those not held that were last sent long enough before it, because a
  // question may overtake a frame. Each question condemns once, so late and doubled answers cost nothing. The
  // frames count as sent now; the pointers are valid until the next call that is not const.
  std::vector<const Frame*> Missing(uint64_t ack, const std::vector<SeqRange>& held, int64_t now_ms,
                                    uint64_t question = 0);

  // Calls `visit(sequence, Frame& frame, int64_t first_sent_ms)` for every frame that is not acknowledged,
  // in order.
  template <typename Visit>
  void ForEachKept(Visit visit) {
    for (uint64_t number = kept_.first(); number < kept_.next(); ++number)
      visit(number, kept_[number].frame, kept_[number].first_sent_ms);
  }

  size_t unacknowledged() const { return kept_.size(); }

 private:
  bool IsLossy() const { return lossy_answers_ > 0; }
  int64_t PatienceMs() const;
  int64_t Answered(uint64_t question, int64_t now_ms);

  const int64_t ask_after_ms_;
  KeptFrames kept_;
  uint64_t questions_ = 0;
  std::deque<int64_t> asked_ms_;  // of the questions not answered yet, the last one at the end
  int64_t last_asked_ms_ = -1;
  int unanswered_ = 0;          // questions since the last sign that the peer hears us
  int64_t round_trip_ms_ = -1;  // smoothed; -1 before the first answer
  int lossy_answers_ = 0;       // answers without a loss until the last loss is forgotten
};

// The receiving half: delivers in sequence, keeps what came early in a window bounded in frames and bytes,
// drops what it already has. Pure. Frames it keeps must own their memory.
class DeliveryReceiver {
 public:
  enum class Verdict { kReady, kEarly, kDuplicate, kBeyondWindow };

  // `*ready` receives the frames that are now in sequence, in order (appended; empty unless kReady).
  Verdict Accept(uint64_t sequence, Frame frame, std::vector<Frame>* ready);
  // The short way for what comes most: true for the next one while none came early. It then counts as
  // received, and is the caller's to deliver. False: nothing was done, Accept is for it.
  bool AcceptNext(uint64_t sequence, uint64_t payload_bytes) {
    if (sequence != next_ || !early_.empty()) return false;
    untold_bytes_ += payload_bytes;
    ++next_;
    return true;
  }

  // All up to this number have been received.
  uint64_t acknowledged() const { return next_ - 1; }
  // What is held beyond it.
  std::vector<SeqRange> Held() const;
  // True when half a window (a quarter in bytes) was received since the acknowledgement was last told.
  bool AckDue() const {
    return acknowledged() - told_ >= kDeliveryWindow / 2 || untold_bytes_ >= kDeliveryWindowBytes / 4;
  }
  // True when something was received that has not been acknowledged to the sender yet.
  bool AckPending() const { return acknowledged() != told_; }
  void Told() {
    told_ = acknowledged();
    untold_bytes_ = 0;
  }

 private:
  void Ready(Frame frame, std::vector<Frame>* ready);

  uint64_t next_ = 1;
  uint64_t told_ = 0;
  uint64_t untold_bytes_ = 0;
  std::map<uint64_t, Frame> early_;
  uint64_t early_bytes_ = 0;
};

}  // namespace ps
#endif  // PS_VAN_DELIVERY_H_
