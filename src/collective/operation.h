#ifndef PS_COLLECTIVE_OPERATION_H_
#define PS_COLLECTIVE_OPERATION_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>

#include "app/asked.h"
#include "collective/plan.h"
#include "ps/sarray.h"
#include "ps/status.h"

namespace ps {

// Values that have come for a round, or a token of it.
struct ArrivedValues {
  std::uint32_t round = 0;
  std::uint64_t begin = 0;
  SArray<char> values;  // aligned for its elements; only read
  bool answered = false;
  Asked asked;
};

// And what is to be sent.
struct OutgoingValues {
  int to = 0;  // rank
  std::uint32_t round = 0;
  std::uint64_t begin = 0;
  SArray<char> values;  // of the library: whoever has it may keep it
  bool answered = false;
};

// Where what an operation has for others goes, at once: so the next rank begins while this one goes on.
class OperationSink {
 public:
  virtual ~OperationSink() = default;
  virtual void Send(OutgoingValues&& values) = 0;
  // Values that came were taken.
  virtual void Answer(const Asked& asked) = 0;
};

// One operation on one rank: carries out a plan as values arrive, which may be early and in any order between
// peers. Values of one peer come in the order sent. Pure: one thread, no clock, no I/O.
//
// What is sent is never the program's memory, but a copy of a piece of it, or the result of a reduction that
// nobody but the next rank needs. So nothing of the program's is in use when an operation has ended, whatever
// peers still read; and a piece is in the processor's cache when it is copied.
class Operation {
 public:
  // Pieces on their way to a peer that it has not taken; and how many it answers together.
  static constexpr int kWindow = 16;
  static constexpr int kAnsweredTogether = 4;
  // Of one peer that wait for their turn: more than any plan leaves untaken.
  static constexpr std::size_t kMostWaiting = 128;

  // The memory of the array; both may be the same.
  struct Arrays {
    const char* in = nullptr;  // element 0
    char* out = nullptr;       // where element `out_begin` goes
    std::uint64_t out_begin = 0;
  };

  // `arrays` and `sink` stay until it is not used any more.
  Operation(const Signature& signature, Plan plan, int rank, const Arrays& arrays, OperationSink* sink);

  // After an error it is not to be used any more: what came is not what the plan has (kInvalidArgument). They
  // throw std::bad_alloc.
  // Sends what needs nothing to arrive. `is_patient`: no values before everybody is there.
  Status Begin(bool is_patient);
  // Copies what goes out first while others are on their way, instead of waiting for them.
  void Prepare();
  Status Receive(int from, ArrivedValues&& arrived);
  // `from` has taken a piece that was to be answered, and those before it.
  Status OnAnswer(int from);

  // Everything has come, and all that others need was sent.
  bool done() const { return send_.round == plan_.steps.size() && take_.round == plan_.steps.size(); }
  // Everybody has said that it is there.
  bool has_all() const { return take_.round == plan_.steps.size() || !IsToken(take_.round); }
  // The most that it copies for the others before that, unless it is patient.
  std::size_t AheadBytes() const;
  // Of whom it has to hear next; -1: nobody.
  int waits_for() const;

 private:
  // A place in the plan: elements before `at` of its round are done. At the next thing to do, or the end.
  struct Cursor {
    std::size_t round = 0;
    std::uint64_t at = 0;
  };
  struct Passed {
    std::size_t round;
    std::uint64_t begin;
    SArray<char> values;
  };

  Status Advance();
  bool SendNext();
  bool MaySend(const Range& piece) const;
  bool NeedsToken(int from) const;
  bool IsMadeOfWhatComes(std::size_t sent, const Range& piece) const;
  bool GoesAgain(const Range& piece) const;
  SArray<char> CopyOf(const Range& piece) const;
  SArray<char> ValuesToSend(const Range& piece);
  Result<bool> TakeNext();  // false: nothing can be taken now
  Status CheckArrived(const ArrivedValues& arrived, const Range& piece) const;
  bool MayTake(const Range& piece) const;
  void Take(const ArrivedValues& arrived, const Range& piece);
  // To the next round in which it receives (or sends).
  void SkipIdle(Cursor* cursor, bool sends) const;
  void Move(Cursor* cursor, bool sends, const Range& piece) const;
  Range PieceAt(const Cursor& cursor, const Range& range) const;
  bool IsToken(std::size_t round) const { return plan_.steps[round].take == ps::Take::kToken; }
  std::size_t bytes(std::uint64_t elements) const { return elements * element_bytes_; }

  const Signature signature_;
  const Plan plan_;
  const int rank_;
  const Arrays arrays_;
  OperationSink* const sink_;
  const std::size_t element_bytes_;
  const bool is_answered_;
  bool is_patient_ = false;
  Cursor send_;
  Cursor take_;
  std::map<int, std::deque<ArrivedValues>> arrived_;  // by peer
  struct OnTheirWay {
    int pieces = 0;       // that are not answered
    int since_asked = 0;  // since one that is to be answered
  };
  std::map<int, OnTheirWay> on_their_way_;  // by peer
  std::deque<Passed> passed_;
  SArray<char> again_;  // what was sent last, where it is sent to the next one, too
};

}  // namespace ps

#endif  // PS_COLLECTIVE_OPERATION_H_
