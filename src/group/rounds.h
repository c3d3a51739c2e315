#ifndef PS_GROUP_ROUNDS_H_
#define PS_GROUP_ROUNDS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

namespace ps {

// Which contribution of which device belongs to which round of one key, and which pull is answered by which
// result. Devices are slots from 0; rounds count from 1. Pure: one thread, no memory of anybody.
//
//   push     a slot's j-th contribution is of round j; at most `max_ahead` more than have results
//   merge    a round to which all slots have contributed, in the order of the rounds, one at a time
//   result   of a merged round, in any order (a sink may have several under way)
//   pull     asks for the round of the slot's last push. Slots are free, wait for a result, have it (until
//            the copy is made), or are in their callback, which may ask again: for the same round as if it
//            were done, whatever comes until then
class Rounds {
 public:
  struct Options {
    int num_slots = 1;
    int max_ahead = 2;
    bool keeps_value = false;  // there is something to pull without any push, and newer than the last result
  };
  // What becomes of a pull.
  enum class Answer {
    kRefused,  // the slot has one that is not done
    kWait,     // it is told of by OnResult
    kResult,   // of the last round, at once
    kValue,    // the value that the sink keeps, which is to be asked
    kLater,    // when the callback under way is done: OnDone says what then, or OnResult before
    kKept,  // the last round's: whoever hears this keeps it until the callback is done, which is told again
    kGone,  // never: a slot that is gone is missing
  };

  explicit Rounds(const Options& options);

  // --- pushes ---
  bool MayPush(int slot) const { return slots_[Index(slot)].pushed < finished_ + max_ahead(); }
  // Its round.
  std::uint64_t Push(int slot);
  // The round that is to be merged now, if there is one: it is under way then.
  std::optional<std::uint64_t> TakeMerge();
  // It is merged: the next one may be.
  void OnMerged();
  // Its result is there, or its error. Those who get it; of those in their callback it is to be kept until
  // OnDone says kKept. A second one of the same round changes nothing: nobody.
  std::vector<int> OnResult(std::uint64_t round);

  // --- pulls ---
  Answer Pull(int slot);
  // What a slot got has been copied: it may ask again, while its callback runs.
  void OnCopied(int slot);
  // The callback is done, too. What becomes of a pull that has come meanwhile; nothing: there is none.
  std::optional<Answer> OnDone(int slot);
  // The slot gives up a pull that nobody has begun to copy: which waits, or has come during its callback.
  // False: there is none.
  bool Cancel(int slot);

  // --- losses ---
  // It contributes no more; what it has, to rounds that others still lack, is withdrawn. Those who waited for
  // it in vain, who wait no longer.
  std::vector<int> SetGone(int slot);
  // Rounds that all have contributed to are (to be) merged.
  bool HasMerges() const { return is_merging_ || merged_ < Complete(); }
  // One that a push of `slot` would wait for and that is gone; nothing: there is none.
  std::optional<int> GoneBefore(std::uint64_t round) const;
  // Who has not contributed to a round.
  std::vector<int> MissingOf(std::uint64_t round) const;

  // --- what there is ---
  std::uint64_t pushed(int slot) const { return slots_[Index(slot)].pushed; }
  // The round that a push of this slot has to wait for: it has no result yet.
  std::uint64_t Blocking() const { return finished_ + 1; }
  bool HasResult(std::uint64_t round) const { return round <= finished_ || early_.count(round) != 0; }
  // The round that a pull of the slot waits for.
  std::uint64_t WaitedFor(int slot) const { return slots_[Index(slot)].wanted; }
  std::uint64_t last_result() const { return last_result_; }
  bool has_pushes() const;

 private:
  enum class State { kFree, kWaiting, kCopying, kInCallback };
  struct Slot {
    std::uint64_t pushed = 0;
    State state = State::kFree;
    std::uint64_t wanted = 0;           // the round of the last pull
    std::uint64_t answered = 0;         // the last round that a pull has got
    std::optional<Answer> asked_again;  // in its callback: kLater (a round without result), kKept or kValue
    bool is_gone = false;
  };

  static std::size_t Index(int slot) { return static_cast<std::size_t>(slot); }
  std::uint64_t max_ahead() const { return static_cast<std::uint64_t>(options_.max_ahead); }
  std::uint64_t Complete() const;
  Answer Decide(Slot* slot) const;

  const Options options_;
  std::vector<Slot> slots_;
  std::uint64_t merged_ = 0;  // begun
  bool is_merging_ = false;
  std::uint64_t finished_ = 0;  // all rounds up to it have results
  std::uint64_t last_result_ = 0;
  std::set<std::uint64_t> early_;  // with results, beyond finished_
};

}  // namespace ps

#endif  // PS_GROUP_ROUNDS_H_
