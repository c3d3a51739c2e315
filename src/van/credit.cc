#include "van/credit.h"

#include <algorithm>

#include "base/test_point.h"
#include "ps/base.h"

namespace ps {

bool CreditSender::HasRoom(uint64_t bytes) const {
  const uint64_t open = bytes_open();
  const bool requests_fit = max_requests_ == 0 || requests_open() < max_requests_;
  const bool has_room = requests_fit && (open == 0 || (open <= max_bytes_ && bytes <= max_bytes_ - open));
  if (!has_room) PS_TEST_POINT("room.none");
  return has_room;
}

void CreditSender::Issue(uint64_t bytes) {
  ++issued_requests_;
  issued_bytes_ += bytes;
}

void CreditSender::Withdraw(uint64_t bytes) {
  PS_DCHECK(requests_open() > 0 && bytes_open() >= bytes);
  --issued_requests_;
  issued_bytes_ -= bytes;
}

bool CreditSender::Update(uint32_t requests_taken, uint64_t bytes_taken) {
  // Modulo arithmetic: a total from the past, or one beyond what was issued, is far away.
  const uint32_t requests = requests_taken - taken_requests_;
  const uint64_t bytes = bytes_taken - taken_bytes_;
  if (requests > requests_open() || bytes > bytes_open()) return false;
  taken_requests_ = requests_taken;
  taken_bytes_ = bytes_taken;
  return requests != 0 || bytes != 0;
}

void CreditReceiver::Taken(uint64_t bytes) {
  ++requests_;
  bytes_ += bytes;
}

uint32_t CreditReceiver::due_at_requests() const {
  constexpr uint32_t kFarAway = 1u << 30;
  return told_requests_ + (max_requests_ == 0 ? kFarAway : std::max<uint32_t>(1, max_requests_ / 2));
}

uint64_t CreditReceiver::due_at_bytes() const { return told_bytes_ + std::max<uint64_t>(1, max_bytes_ / 2); }

bool CreditReceiver::UpdateDue() const {
  const uint32_t requests = requests_ - told_requests_;
  if (max_requests_ != 0 && requests >= due_at_requests() - told_requests_) return true;
  return requests != 0 && bytes_ - told_bytes_ >= due_at_bytes() - told_bytes_;
}

void CreditReceiver::Told() {
  told_requests_ = requests_;
  told_bytes_ = bytes_;
}

}  // namespace ps
