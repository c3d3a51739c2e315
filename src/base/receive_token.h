#ifndef PS_BASE_RECEIVE_TOKEN_H_
#define PS_BASE_RECEIVE_TOKEN_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "base/bell.h"
#include "base/mutex.h"

namespace ps {

// How many threads that sleep elsewhere, and open callbacks, depend on frames being taken: while there are
// some, the first frame after the helper has left wakes `ps-rx`. Any thread.
class Dependents {
 public:
  void Add() { count_.fetch_add(1); }
  void Remove() { count_.fetch_sub(1, std::memory_order_relaxed); }
  // By the helper, which is about to leave: true where nobody depends on frames, so that they may wake
  // nobody. Who is added while it looks either is seen here, or sees in WakeReceiver that it has left.
  bool MayLeave() {
    is_left_.store(true);
    if (count_.load() == 0) return true;
    is_left_.store(false);
    return false;
  }
  // Somebody takes frames, or is woken to do so.
  void SetAttended() { is_left_.store(false, std::memory_order_relaxed); }
  // Makes `ps-rx` take frames if a helper has left, and they wake nobody.
  void WakeReceiver() PS_EXCLUDES(mutex_);
  // How; null: no more.
  void SetWake(std::function<void()> wake) PS_EXCLUDES(mutex_);

 private:
  std::atomic<int> count_{0};
  std::atomic<bool> is_left_{false};
  Mutex mutex_;
  std::function<void()> wake_ PS_GUARDED_BY(mutex_);
};

// One of them, for its own life. `on` may be null.
class DependsOnFrames {
 public:
  // A thread is about to sleep. A callback can wait for `ps-io`, which sees soon that no helper comes back:
  // most who have some open help in a moment, and are not to wake `ps-rx` for each.
  enum Kind { kSleeper, kCallback };

  explicit DependsOnFrames(std::shared_ptr<Dependents> on, Kind kind = kSleeper) : on_(std::move(on)) {
    if (on_ == nullptr) return;
    on_->Add();
    if (kind == kSleeper) on_->WakeReceiver();
  }
  ~DependsOnFrames() {
    if (on_ != nullptr) on_->Remove();
  }
  DependsOnFrames(const DependsOnFrames&) = delete;
  DependsOnFrames& operator=(const DependsOnFrames&) = delete;

 private:
  const std::shared_ptr<Dependents> on_;
};

struct HelpWish;

// Who receives for a node. Frames are taken, and handed over, by whoever holds the token. A thread that waits
// for something that a frame will bring becomes the helper: it takes frames itself, which saves the wake-up
// by the thread that would do it otherwise (`ps-rx`, which sleeps meanwhile). There is one helper at a time;
// it lets go of the token while it sleeps, and when somebody wants it.
class PS_CAPABILITY("receive token") ReceiveToken {
 public:
  // A thread in Wait goes before one of the runtime that has nothing to do: the answer is for it.
  enum class Rank { kIdle, kCaller };

  void Acquire() PS_ACQUIRE();
  void Release() PS_RELEASE();
  // Lets those have it first who wait for it now.
  void Yield() PS_REQUIRES(this);
  // Somebody waits for it.
  bool wanted() const { return wanted_.load(std::memory_order_relaxed); }

  // The number of the new helper; 0: there is one already. One of a lower rank is replaced, and its bell
  // rung.
  uint64_t BeginHelp(const HelpWish& wish) PS_REQUIRES(this);
  // False for one that was replaced.
  bool IsHelper(uint64_t helper) const PS_REQUIRES(this) { return helper_ == helper; }
  void EndHelp() PS_REQUIRES(this) { helper_ = 0; }
  bool has_helper() const { return helper_ != 0; }
  // Makes the helper, if there is one, look again at what it waits for.
  void RingHelper() PS_REQUIRES(this);

  // Outlives the token.
  const std::shared_ptr<Dependents>& dependents() const { return dependents_; }

 private:
  Mutex mutex_;
  CondVar released_;
  bool is_held_ PS_GUARDED_BY(mutex_) = false;
  int num_wanting_ PS_GUARDED_BY(mutex_) = 0;
  int num_yielding_ PS_GUARDED_BY(mutex_) = 0;
  std::atomic<bool> wanted_{false};  // num_wanting_ > 0
  std::atomic<uint64_t> helper_{0};  // written by the holder; 0: none
  Rank rank_ = Rank::kIdle;          // of the helper; like its bell, of the holder
  Bell* bell_ = nullptr;
  uint64_t last_helper_ = 0;
  const std::shared_ptr<Dependents> dependents_ = std::make_shared<Dependents>();
};

// Holds `token` for its own life.
class PS_SCOPED_CAPABILITY ReceiveTokenLock {
 public:
  explicit ReceiveTokenLock(ReceiveToken& token) PS_ACQUIRE(token) : token_(token) { token_.Acquire(); }
  ~ReceiveTokenLock() PS_RELEASE() { token_.Release(); }
  ReceiveTokenLock(const ReceiveTokenLock&) = delete;
  ReceiveTokenLock& operator=(const ReceiveTokenLock&) = delete;

 private:
  ReceiveToken& token_;
};

// Lets go of a token that is held, for its own life, whatever is thrown.
class ReceiveTokenPause {
 public:
  explicit ReceiveTokenPause(ReceiveToken& token) PS_NO_THREAD_SAFETY_ANALYSIS : token_(token) {
    token_.Release();
  }
  ~ReceiveTokenPause() PS_NO_THREAD_SAFETY_ANALYSIS { token_.Acquire(); }
  ReceiveTokenPause(const ReceiveTokenPause&) = delete;
  ReceiveTokenPause& operator=(const ReceiveTokenPause&) = delete;

 private:
  ReceiveToken& token_;
};

// What a helper waits for.
struct HelpWish {
  // Looked at after frames were handed over, and after a ring of the bell; with the token held.
  std::function<bool()> is_done;
  Bell* bell = nullptr;                   // of whoever waits; only this thread sleeps on it
  int64_t deadline_ms = CondVar::kNever;  // of Clock::Real()
  ReceiveToken::Rank rank = ReceiveToken::Rank::kIdle;
};

enum class HelpOutcome {
  kRefused,  // there is nothing to help with, or another helper, or it was replaced: sleep elsewhere
  kArmed,    // done, or the deadline has passed; the next frame wakes `ps-rx`
  kUnarmed,  // the same, but the next frame wakes nobody: the helper is to come back, or to arm `ps-rx` soon
};

}  // namespace ps
#endif  // PS_BASE_RECEIVE_TOKEN_H_
