#ifndef PS_GROUP_GROUP_STATE_H_
#define PS_GROUP_GROUP_STATE_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "group/group.h"
#include "group/group_ticket.h"
#include "group/job_queue.h"
#include "group/resources.h"
#include "group/rounds.h"

namespace ps {

// What a Group shares with its threads and with what its sink still brings. One lock, under which nothing is
// copied or summed and nobody's code runs.
class Group::State : public std::enable_shared_from_this<Group::State> {
 public:
  // `sink` stays until the end of Close.
  State(const Options& options, ResultSink* sink);

  void AddKey(const Key& key, int device, const std::function<void()>& make) PS_EXCLUDES(mutex_);
  void SetMerge(int key, MergeKind merge) PS_EXCLUDES(mutex_);
  Ticket Contribute(int key, int device, const TensorView& data, int priority) PS_EXCLUDES(mutex_);
  Ticket Distribute(int key, int device, Delivery delivery, int priority) PS_EXCLUDES(mutex_);
  std::optional<Ticket> LastOf(int key, int device) PS_EXCLUDES(mutex_);
  void SetGone(int device, const std::string& why) PS_EXCLUDES(mutex_);
  void Close() PS_EXCLUDES(mutex_);

 private:
  using Promise = std::shared_ptr<GroupTicket>;
  struct Pull {
    Delivery delivery;
    int priority = 0;
    Promise ticket;
    bool is_running = false;  // a thread is at it
    bool is_read = false;     // of the value, and not of a round
    std::uint64_t round = 0;  // whose result waits for a thread; and what it is to tell of it
    Status error;
  };
  // Operations that end: told, and let go of with what their callbacks hold, when the lock is gone, because
  // that may be code of the program's.
  class Outcomes {
   public:
    Outcomes() = default;
    ~Outcomes() {
      for (const auto& [ticket, outcome] : ended_) ticket->Finish(outcome);
    }
    Outcomes(const Outcomes&) = delete;
    Outcomes& operator=(const Outcomes&) = delete;
    void Add(Promise ticket, const Status& outcome) { ended_.emplace_back(std::move(ticket), outcome); }
    // There is no such pull any more.
    void Add(std::shared_ptr<Pull>* pull, const Status& outcome) {
      Add((*pull)->ticket, outcome);
      pulls_.push_back(std::move(*pull));
      *pull = nullptr;
    }

   private:
    std::vector<std::shared_ptr<Pull>> pulls_;
    std::vector<std::pair<Promise, Status>> ended_;
  };
  // The result of a round.
  struct Outcome {
    std::uint64_t round = 0;  // 0: of none, but the value then
    Status status;
    Tensor values;
    bool is_lent = false;  // it goes when it was copied
  };
  // What has failed after the pushes of these rounds were done, and no pull has told.
  using Untold = std::map<std::uint64_t, Status>;
  // Counts a call that may wait; Close returns when there is none.
  class Calling {
   public:
    explicit Calling(State* state);
    ~Calling();
    Calling(const Calling&) = delete;
    Calling& operator=(const Calling&) = delete;

   private:
    State* const state_;
  };
  struct Slot {
    std::shared_ptr<Pull> pull;  // that is not done; null: none
    std::shared_ptr<Pull> next;  // that has come while its callback runs
    Outcome kept;                // of `next`, once there is one
    Promise last;
    Untold untold;  // to the slot
  };
  struct OpenRound {
    std::vector<TensorView> parts;   // by slot
    std::map<int, Promise> tickets;  // by slot
    int priority = 0;                // the highest
  };
  struct KeyState {
    KeyState(const Key& key, const Rounds::Options& options)
        : key(key), rounds(options), slots(static_cast<std::size_t>(options.num_slots)) {}

    Key key;
    bool is_made = false;
    Rounds rounds;
    std::map<std::uint64_t, OpenRound> open;
    std::map<std::uint64_t, std::int64_t> since_ms;  // all have pushed these rounds, which have no result
    Outcome last;
    std::vector<Slot> slots;
  };

  int SlotOf(int device) const;
  int DeviceOf(int slot) const { return options_.devices[static_cast<std::size_t>(slot)]; }
  std::string Devices(const std::vector<int>& slots) const;
  Status CheckOpen() const PS_REQUIRES(mutex_);
  KeyState* Find(int key, int device) PS_REQUIRES(mutex_);
  Status Gone(int slot) const PS_REQUIRES(mutex_);
  Status Named(const KeyState& state, int slot, const char* what, const Status& why) const;
  void AwaitRoom(KeyState* state, int slot) PS_REQUIRES(mutex_);
  // Of the slot, which is told by what is thrown for it; once.
  Status TakeUntold(KeyState* state, int slot) PS_REQUIRES(mutex_);
  Status WhyWaits(const KeyState& state, const std::string& what, std::uint64_t round) const
      PS_REQUIRES(mutex_);
  // How much longer than its own time who waits for round `round` (0: for the value) gives the sink, whose
  // own error says who is missing, and what the sink has brought.
  std::int64_t MoreTime(const KeyState& state, std::uint64_t round) const PS_REQUIRES(mutex_);
  // WhyWaits, of who has given up.
  Status AfterTimeout(const Status& why) const;
  Promise NewTicket(std::function<Status(State*, bool gives_up, GroupTicket*)> overdue,
                    std::function<std::int64_t()> more_ms = nullptr);

  static Status OfRound(const KeyState& state, std::uint64_t round, const Status& why);

  // Threads of the group.
  void StartMerge(KeyState* state) PS_REQUIRES(mutex_);
  void RunMerge(KeyState* state, std::uint64_t round) PS_EXCLUDES(mutex_);
  void HandOn(KeyState* state, std::uint64_t round, MergedValue merged, int priority) PS_EXCLUDES(mutex_);
  // `tells`: pulls alone tell an error of it, or of those who do not pull their next Push.
  void OnResult(KeyState* state, Outcome outcome, bool tells = true) PS_EXCLUDES(mutex_);
  void Answer(KeyState* state, int slot, Rounds::Answer answer, Outcomes* outcomes) PS_REQUIRES(mutex_);
  void StartRead(KeyState* state, int slot) PS_REQUIRES(mutex_);
  void StartDelivery(KeyState* state, int slot, Outcome outcome) PS_REQUIRES(mutex_);
  void RunDelivery(KeyState* state, int slot, const std::weak_ptr<Pull>& of, const Outcome& outcome)
      PS_EXCLUDES(mutex_);
  void EndPull(KeyState* state, int slot, const Status& outcome) PS_EXCLUDES(mutex_);
  Status GiveUp(int key, int slot, GroupTicket* ticket, bool gives_up) PS_EXCLUDES(mutex_);
  // The slot's pulls that nobody has begun to copy.
  static void CancelPulls(KeyState* state, int slot, const Status& why, Outcomes* outcomes);
  static void CancelAll(KeyState* state, const Status& why, Outcomes* outcomes);
  void Lose(KeyState* state, int slot, Outcomes* outcomes) PS_REQUIRES(mutex_);
  // Something of the group uses arrays of the slot.
  bool Uses(int slot) const PS_REQUIRES(mutex_);

  const Options options_;
  ResultSink* const sink_;  // null: none
  Resources resources_;
  Mutex mutex_;
  CondVar changed_;  // room among the rounds, a key that is made, a device that is gone, work done, the end
  std::map<int, std::unique_ptr<KeyState>> keys_ PS_GUARDED_BY(mutex_);  // once made they stay
  std::map<int, std::string> gone_ PS_GUARDED_BY(mutex_);                // slots, and why
  bool closed_ PS_GUARDED_BY(mutex_) = false;
  int num_callers_ PS_GUARDED_BY(mutex_) = 0;  // that may wait inside a call
  JobQueue jobs_;
};

}  // namespace ps

#endif  // PS_GROUP_GROUP_STATE_H_
