#ifndef PS_VAN_LEADER_H_
#define PS_VAN_LEADER_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/counters.h"
#include "base/mutex.h"
#include "ps/config.h"
#include "van/coordinator.h"

namespace ps {

// What a Leader does through the rest of its node. Calls come on ps-rx.
class LeaderHost {
 public:
  virtual ~LeaderHost() = default;
  virtual void SendAnswer(const Coordinator::Answer& answer) = 0;
  virtual void SendControl(int node, Control::Command command, SArray<char> body) = 0;
  virtual void AskForLife(int node) = 0;
  virtual void AcceptRoster(const Roster& roster) = 0;
  // The scheduler's own part in a barrier.
  virtual void OnReleased(const BarrierNotice& release) = 0;
  virtual void OnLost(const Node& node, const Status& why) = 0;
  virtual void LogLife(const std::string& text) const = 0;
};

// The scheduler's half of a Van: the shell around Coordinator. Events come on ps-rx, and what was decided is
// done there, so that everybody is told in the order of the decisions; the const functions and the waiting
// ones are for any thread. No lock is held while the host is called.
class Leader {
 public:
  // `host`, `transport` and `counters` outlive it.
  Leader(const Config& config, const Node& scheduler, LeaderHost* host, Transport* transport,
         Counters* counters);
  ~Leader();

  void OnRegister(const Registration& registration, const ReturnPath& from);
  // The scheduler gives up its start, or its job has ended: see Coordinator::OnEnd.
  void OnEnd(const std::string& why);
  void OnBarrier(int node, const BarrierNotice& arrival);
  void OnLeave(int node, const std::string& reason);
  void Heard(int node);
  // The connection `from` has closed, which was that of member `node` (0: of nobody who is one). If nobody
  // listens at the member's address any more, it is lost.
  void OnConnectionClosed(int node, const ReturnPath& from);
  // Deadlines, signs of life, checks of addresses. Due at NextDue.
  void OnTimer();
  int64_t NextDue() const;

  std::string Progress() const;
  std::vector<int> Silent(int64_t timeout_ms, int64_t now_ms) const;
  // True when nobody but the scheduler is left; false at the deadline. EndWait makes it return.
  bool WaitAllGone(int64_t deadline_ms);
  void EndWait();

 private:
  // A member whose connection has closed, until it is heard again, or known to be gone, or that took too
  // long. A process that ends closes its connections first and its address a moment later: one look is not
  // enough.
  struct Check {
    uint64_t incarnation = 0;
    int64_t closed_ms = 0;
    int64_t asked_ms = 0;
    std::unique_ptr<ReachCheck> reach;
  };

  void Perform(const Coordinator::Output& output);
  void TellLost(const Coordinator::Gone& gone);
  void SendRoster();
  void Release(const Coordinator::Output& output);
  Roster CurrentRoster() const;
  void LookAtChecks(int64_t now_ms);
  ReachCheck::State LookAt(int node, Check* check, int64_t now_ms) const PS_REQUIRES(mutex_);
  void Ask(const Node& member, Check* check, int64_t now_ms) const;

  LeaderHost* const host_;
  Transport* const transport_;
  Counters* const counters_;
  bool roster_sent_ = false;  // ps-rx only

  mutable Mutex mutex_;
  CondVar someone_gone_;
  Coordinator coordinator_ PS_GUARDED_BY(mutex_);
  std::map<int, Check> checks_ PS_GUARDED_BY(mutex_);  // by member
  int64_t next_look_ms_ PS_GUARDED_BY(mutex_) = 0;     // at them
  bool ending_ PS_GUARDED_BY(mutex_) = false;
};

}  // namespace ps
#endif  // PS_VAN_LEADER_H_
