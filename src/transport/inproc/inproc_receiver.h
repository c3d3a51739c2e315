#ifndef PS_TRANSPORT_INPROC_INPROC_RECEIVER_H_
#define PS_TRANSPORT_INPROC_INPROC_RECEIVER_H_

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/receive_token.h"
#include "transport/inproc/inbox.h"
#include "transport/transport.h"

namespace ps {

// The receiving half of an inproc transport: takes parcels out of its inbox, in Poll or in Help.
class InprocReceiver : public SharedReception {
 public:
  explicit InprocReceiver(std::shared_ptr<Inbox> inbox) : inbox_(std::move(inbox)) {}

  // As Transport has it, until `deadline_ms` of the real clock.
  int Poll(FrameSink* sink, int64_t deadline_ms) PS_EXCLUDES(token_);

  ReceiveToken& token() PS_RETURN_CAPABILITY(token_) override { return token_; }
  HelpOutcome Help(FrameSink* sink, const HelpWish& wish) PS_EXCLUDES(token_) override;

 private:
  // Hands over what has come.
  int Take(FrameSink* sink) PS_REQUIRES(token_);
  // True when the wish is done or its deadline has passed; false when this helper was replaced.
  bool Attend(FrameSink* sink, const HelpWish& wish, uint64_t helper) PS_REQUIRES(token_);
  // Lets those go first who want the token. False for one that was replaced.
  bool StaysHelper(uint64_t helper) PS_REQUIRES(token_);
  void LeaveHelp(uint64_t helper) PS_REQUIRES(token_);

  const std::shared_ptr<Inbox> inbox_;
  ReceiveToken token_;  // before everything that a sink locks
  std::vector<Parcel> taken_ PS_GUARDED_BY(token_);
};

}  // namespace ps
#endif  // PS_TRANSPORT_INPROC_INPROC_RECEIVER_H_
