#ifndef PS_TRANSPORT_SHM_SHM_RECEIVER_H_
#define PS_TRANSPORT_SHM_SHM_RECEIVER_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>

#include "base/receive_token.h"
#include "transport/poll_set.h"
#include "transport/shm/inlets.h"
#include "transport/shm/reception.h"
#include "transport/shm/spin.h"
#include "transport/transport.h"

namespace ps {

// The receiving half of ShmTransport: all rings that others have handed over, those who want to hand one
// over, and the transport inside. `ps-rx` is in Poll; whoever else waits for frames may be in Help.
//
// A ring says who has to be woken by the next frame: `ps-rx` sleeps in an epoll and is rung through the
// ring's socket; a helper sleeps on the words of all rings, so that the peer wakes it directly.
class ShmReceiver : public SharedReception {
 public:
  struct Host {
    Transport* inner = nullptr;  // outlives this object, needs a poll_fd
    std::shared_ptr<PollSet> poll_set;
    std::function<uint64_t()> next_tag;               // of the poll set
    std::function<void(uint64_t tag)> on_other_bell;  // a tag that is not of this object
    std::function<void(const Status&)> say_trouble;
  };
  // `spin_us` as in ShmOptions.
  ShmReceiver(Host host, std::unique_ptr<Reception> reception, int64_t spin_us);

  // Lets the poll set watch what is there already, under these tags. Once, before all else.
  Status Watch(uint64_t inner_tag, uint64_t reception_tag);

  // As Transport has them.
  int Poll(FrameSink* sink, int timeout_ms) PS_EXCLUDES(token_);
  void Wake();
  // Poll and Help do nothing any more; nobody is in them.
  void Close() PS_EXCLUDES(token_);

  ReceiveToken& token() PS_RETURN_CAPABILITY(token_) override { return token_; }
  HelpOutcome Help(FrameSink* sink, const HelpWish& wish) PS_EXCLUDES(token_) override;
  // Null when there is none.
  Inlet* FindInlet(uint64_t tag) PS_REQUIRES(token_) { return inlets_.Find(tag); }

 private:
  int PollInner(FrameSink* sink) PS_REQUIRES(token_);
  // Looks at everything but the rings, and waits for any of it, and for the rings, up to `timeout_ms` (-1:
  // for ever). Returns how many frames that gave; what is in rings is left there.
  int Look(FrameSink* sink, int64_t timeout_ms) PS_REQUIRES(token_);
  void Sleep(int timeout_ms) PS_REQUIRES(token_);
  void OnTag(uint64_t tag) PS_REQUIRES(token_);
  void Receive(FrameSink* sink, int64_t now_ms) PS_REQUIRES(token_);

  // A helper's part. True when it may go on; false: what it waits for can not be waited for here.
  bool Attend(FrameSink* sink, const HelpWish& wish, uint64_t helper) PS_REQUIRES(token_);
  // Lets those go first who want the token. False for one that was replaced, or has nothing to help with.
  bool StaysHelper(uint64_t helper) PS_REQUIRES(token_);
  // Until there is something to look at. False when it can not be slept on.
  bool Idle(const HelpWish& wish, uint64_t helper, uint32_t rings) PS_REQUIRES(token_);
  bool SleepAsHelper(const HelpWish& wish, uint64_t helper, uint32_t rings) PS_REQUIRES(token_);
  bool HasNews(const Bell& bell, uint32_t rings) PS_REQUIRES(token_);
  int64_t SpinBudgetUs(int64_t now_us) PS_REQUIRES(token_);
  HelpOutcome LeaveHelp(uint64_t helper, bool is_of_use) PS_REQUIRES(token_);

  const Host host_;
  uint64_t inner_tag_ = 0;
  uint64_t reception_tag_ = 0;

  ReceiveToken token_;  // before everything that a sink locks
  std::unique_ptr<Reception> reception_ PS_GUARDED_BY(token_);
  Inlets inlets_ PS_GUARDED_BY(token_);
  bool inner_has_more_ PS_GUARDED_BY(token_) = false;
  int busy_polls_ PS_GUARDED_BY(token_) = 0;
  SpinPolicy spin_ PS_GUARDED_BY(token_);
  std::thread::id spinner_ PS_GUARDED_BY(token_);
  int64_t budget_us_ PS_GUARDED_BY(token_) = 0;
  int64_t count_switches_us_ PS_GUARDED_BY(token_) = 0;  // when next

  PollSet::Ready ready_;  // of the thread in Poll

  // Set before the other one is read, on both sides, so that one of them sees the other.
  std::atomic<bool> woken_{false};
  std::atomic<bool> asleep_{false};
  std::atomic<bool> closed_{false};
};

}  // namespace ps
#endif  // PS_TRANSPORT_SHM_SHM_RECEIVER_H_
