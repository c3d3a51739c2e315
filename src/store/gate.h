#ifndef PS_STORE_GATE_H_
#define PS_STORE_GATE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "ps/status.h"
#include "ps/table_spec.h"

namespace ps {

// What a Gate knows for good: goes into checkpoints and back. A plain value.
struct GateState {
  static constexpr std::uint64_t kStays = ~std::uint64_t{0};

  struct Clock {
    std::uint64_t completed = 0;  // rounds completely received, without a gap
    std::uint64_t last = kStays;  // the participant leaves after this round
  };
  std::uint64_t version = 0;      // BSP: rounds closed
  std::uint64_t num_dropped = 0;  // contributions that were never applied
  std::vector<Clock> clocks;      // by participant
};

// The only rule of consistency: when a contribution is applied and a read is answered. One per table and
// server; the participants are workers by rank. Pure: an event in, actions out; one thread at a time.
//
// Rounds count from 1, per participant and table. A round is complete when as many of its parts have come as
// its Close says, and all rounds before it are complete; so messages may overtake each other.
//
//   ASP  parts are applied at once; a read tagged j needs the reader's own j rounds to be complete
//   SSP  the same, and every participant that is still in has completed j - bound rounds
//   BSP  parts are kept until their round closes; a read tagged j needs version >= j. Round version + 1
//        closes when all of its live participants (those that do not leave before it) have completed it, or
//        all but `backup` of them. It is applied in the order of the participants, and parts of one
//        participant in the rising order of their tokens: whatever came first, the sums have the same bits.
//
// A read tagged j of BSP without backup workers is answered at exactly version j on every server, if the
// reader's parts of later rounds do not overtake it: a read of a whole table is a consistent cut.
//
// Limits. (a) With backup workers, or after a loss, each server decides for itself: a late round may count on
// some servers and be dropped on others. (b) Every message must come exactly once: that is the van's duty.
// (c) Participants with unequal numbers of rounds must Leave; the others' reads wait for them, until
// whoever holds the reads has had enough: it asks Missing whom to name.
//
// What cannot be (a round that was closed with fewer parts, a participant that does not exist) is an error
// for the sender, and changes nothing.
class Gate {
 public:
  // One thing to do. To be carried out in the order of the list.
  struct Action {
    enum Kind : std::uint8_t {
      kApply,   // the contribution `token`
      kDrop,    // the contribution `token` is never applied; num_dropped counts it
      kAnswer,  // the read `token`
      kCancel,  // the read `token` is not answered: its reader is gone, or asked for that
      kClose,   // BSP: everything of `round` has been applied. Empty rounds that close together: the last
    };
    Kind kind;
    int worker;  // of kClose: -1
    std::uint64_t round;
    std::uint64_t token;
  };
  using Actions = std::vector<Action>;

  struct Rejoined {
    std::uint64_t clock = 0;        // its next round is the one after this
    std::uint64_t lost_rounds = 0;  // rounds it had closed that this server does not have
  };

  // Rounds beyond this are refused, so that sums with them cannot overflow.
  static constexpr std::uint64_t kMaxRound = std::uint64_t{1} << 62;

  Gate(int num_participants, const Consistency& consistency);
  // Goes on from a checkpoint. BSP: rounds that had not closed are not in it. With another number of
  // participants all of them begin at the version (BSP), or at the highest clock.
  Gate(int num_participants, const Consistency& consistency, const GateState& from);

  // Events. Actions are appended to `out`; tokens are the caller's and come back in actions.

  // A contribution to round `round`. After its sender has left it counts for nothing in BSP (dropped).
  Status Part(int worker, std::uint64_t round, std::uint64_t token, Actions* out);
  // `round` has this many parts here; none is a tick.
  Status Close(int worker, std::uint64_t round, std::uint32_t num_parts, Actions* out);
  // `worker` has closed `round` rounds and wants to read.
  Status Read(int worker, std::uint64_t round, std::uint64_t token, Actions* out);
  // `worker` stops after `round`, by its own will; its messages until then may still be on their way.
  // What it left unfinished is dropped (BSP). Saying it again is harmless.
  Status Leave(int worker, std::uint64_t round, Actions* out);
  // `worker` is gone: as if it had left after its last complete round. Its reads are cancelled.
  Status Lose(int worker, Actions* out);
  // A new life of `worker`, or a worker that comes back to a restored server, having closed `round` rounds
  // (0: does not know). What the old life left unfinished is dropped, its reads are cancelled. It goes on
  // after its own clock, `round`, or, if the others went on without it, where they are.
  Result<Rejoined> Rejoin(int worker, std::uint64_t round, Actions* out);
  // Cancels one read of `worker`, if it still waits.
  void CancelRead(int worker, std::uint64_t token, Actions* out);
  // Cancels all reads of `worker` that wait.
  void DropReads(int worker, Actions* out);

  // Queries.

  std::uint64_t clock(int worker) const { return state_.clocks[static_cast<std::size_t>(worker)].completed; }
  const GateState& state() const { return state_; }
  // For whom a read tagged `round` still waits: participants whose rounds it needs; also the reader itself.
  std::vector<int> Missing(std::uint64_t round) const;
  // BSP: the lowest live participant that has not completed round version + 1; the number of participants if
  // there is none. What those below it have given to that round will be applied, and before all else: it may
  // be added up early. Only Rejoin lets it fall before the round closes. Costs one look at each participant
  // per round.
  int FirstMissing();

 private:
  static constexpr std::uint32_t kUnknown = ~std::uint32_t{0};

  // Of a round that is not complete.
  struct Progress {
    std::uint32_t received = 0;
    std::uint32_t announced = kUnknown;
  };
  struct Pending {
    int worker;
    std::uint64_t round;
    std::uint64_t token;
  };

  bool is_bsp() const { return consistency_.mode == Consistency::kBsp; }
  int num_participants() const { return static_cast<int>(state_.clocks.size()); }
  GateState::Clock& ClockOf(int worker) { return state_.clocks[static_cast<std::size_t>(worker)]; }
  Progress& NextOf(int worker) { return next_[static_cast<std::size_t>(worker)]; }

  Status Check(int worker, std::uint64_t round) const;
  Result<Progress*> Open(int worker, std::uint64_t round);
  void Place(const Pending& part, Actions* out);
  void Drop(const Pending& part, Actions* out);
  void Forget(int worker, std::uint64_t after, Actions* out);
  void DropStaged(int worker, std::uint64_t after, Actions* out);
  void Advance(int worker, Actions* out);
  void Moved(int worker, std::uint64_t before);
  void MembersChanged();
  void CountDelivered();
  void FindFloor();

  void Hold(const Pending& read, Actions* out);
  void HoldEarly(int worker, Actions* out);
  template <typename Which>
  void Cancel(const Which& which, Actions* out);
  std::uint64_t ReadLimit() const;
  void AnswerReads(Actions* out);

  void Pump(Actions* out);
  bool CanClose() const;
  std::uint64_t EmptyRoundsUntil();
  void CloseRound(Actions* out);

  const Consistency consistency_;
  GateState state_;
  std::vector<Progress> next_;  // by participant: its round clock + 1
  // Rounds beyond those; seldom any.
  std::map<std::pair<int, std::uint64_t>, Progress> ahead_;

  // SSP: the least clock of those still in (kStays: nobody is), and how many have it.
  std::uint64_t floor_ = 0;
  int num_at_floor_ = 0;
  // BSP, of round version + 1.
  int num_live_ = 0;
  int num_delivered_ = 0;
  int first_missing_ = 0;                                 // nobody below it is missing
  std::map<std::uint64_t, std::vector<Pending>> staged_;  // by round, all above the version
  std::map<std::uint64_t, std::vector<Pending>> reads_;   // by round, all above ReadLimit()
  std::vector<Pending> early_reads_;                      // before their reader's own parts
  std::vector<std::uint64_t> scratch_;
};

}  // namespace ps
#endif  // PS_STORE_GATE_H_
