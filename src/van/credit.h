#ifndef PS_VAN_CREDIT_H_
#define PS_VAN_CREDIT_H_

#include <algorithm>
#include <cstdint>

namespace ps {

// Bounds the requests on their way to one peer: by number (DMLC_PS_WATER_MARK, 0 = no bound) and by bytes
// (PS_SEND_BUFFER_BYTES; one larger request may go alone). A request is on its way until a handler there has
// taken it. Totals are running counts for a pair of incarnations, so a lost or doubled message costs none.
// Pure.
class CreditSender {
 public:
  CreditSender(uint32_t max_requests, uint64_t max_bytes)
      : max_requests_(max_requests), max_bytes_(max_bytes) {}

  bool HasRoom(uint64_t bytes) const {
    const uint64_t open = bytes_open();
    const bool requests_fit = max_requests_ == 0 || requests_open() < max_requests_;
    return requests_fit && (open == 0 || (open <= max_bytes_ && bytes <= max_bytes_ - open));
  }
  void Issue(uint64_t bytes) {
    ++issued_requests_;
    issued_bytes_ += bytes;
  }
  // A request issued will never be taken (it was dropped before it was sent).
  void Withdraw(uint64_t bytes);
  // Totals taken, from a frame of the peer; older or impossible values are ignored. Returns whether there is
  // more room than before.
  bool Update(uint32_t requests_taken, uint64_t bytes_taken);

  uint32_t requests_open() const { return issued_requests_ - taken_requests_; }
  uint64_t bytes_open() const { return issued_bytes_ - taken_bytes_; }

 private:
  uint32_t max_requests_;
  uint64_t max_bytes_;
  uint32_t issued_requests_ = 0;  // modulo 2^32, like the field on the wire
  uint32_t taken_requests_ = 0;
  uint64_t issued_bytes_ = 0;
  uint64_t taken_bytes_ = 0;
};

// The receiving half: counts what handlers took and says when that must be told without waiting for a
// message that goes there anyway.
class CreditReceiver {
 public:
  CreditReceiver(uint32_t max_requests, uint64_t max_bytes)
      : half_requests_(max_requests == 0 ? kFarAway : std::max<uint32_t>(1, max_requests / 2)),
        half_bytes_(std::max<uint64_t>(1, max_bytes / 2)) {}

  void Taken(uint64_t bytes);
  // The same for who counts them elsewhere: the totals.
  void SetTaken(uint32_t requests, uint64_t bytes) {
    requests_ = requests;
    bytes_ = bytes;
  }
  uint32_t requests() const { return requests_; }
  uint64_t bytes() const { return bytes_; }
  // True when at least half a window was taken since the totals were last told. A sender whose next request
  // is larger than half the bytes may wait for less than that: it asks (kAsk), and the answer carries the
  // totals like every frame.
  bool UpdateDue() const {
    const uint32_t requests = requests_ - told_requests_;
    return requests != 0 && (requests >= half_requests_ || bytes_ - told_bytes_ >= half_bytes_);
  }
  // The totals at which it becomes true (modulo arithmetic).
  uint32_t due_at_requests() const { return told_requests_ + half_requests_; }
  uint64_t due_at_bytes() const { return told_bytes_ + half_bytes_; }
  // True when anything was taken since.
  bool UpdatePending() const { return requests_ != told_requests_; }
  // The totals are on their way.
  void Told() {
    told_requests_ = requests_;
    told_bytes_ = bytes_;
  }

 private:
  static constexpr uint32_t kFarAway = 1u << 30;  // without a bound on their number

  const uint32_t half_requests_;
  const uint64_t half_bytes_;
  uint32_t requests_ = 0;
  uint64_t bytes_ = 0;
  uint32_t told_requests_ = 0;
  uint64_t told_bytes_ = 0;
};

}  // namespace ps
#endif  // PS_VAN_CREDIT_H_
