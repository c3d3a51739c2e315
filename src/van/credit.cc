#include "van/credit.h"

#include "ps/base.h"

namespace ps {

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

}  // namespace ps
