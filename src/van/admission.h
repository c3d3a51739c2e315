#ifndef PS_VAN_ADMISSION_H_
#define PS_VAN_ADMISSION_H_

#include <array>
#include <cstdint>
#include <map>
#include <utility>

#include "base/counters.h"
#include "message/codec.h"
#include "van/roster.h"

namespace ps {

// Decides what becomes of a frame by its header: incarnations fence, ids are never believed alone. Pure.
//
// Handshakes pass (their rules are Membership's). Anything else must be meant for this incarnation of mine
// and come from the incarnation the roster names under that id. An older one, or one declared lost, is stale;
// one the roster does not know yet is parked until the next roster: it knows my random incarnation, so the
// scheduler has admitted it. Who does not know it is a stranger, or, if the roster has it, misrouted.
class Admission {
 public:
  static constexpr int64_t kTellEveryMs = 100;

  enum class Verdict { kAccept, kPark, kDrop };
  struct Decision {
    Verdict verdict = Verdict::kDrop;
    Counter reason = Counter{};  // for kDrop
  };

  explicit Admission(uint64_t my_incarnation) : my_incarnation_(my_incarnation) {}

  // Knows the scheduler before the first roster (from its answer to the registration); the roster overrules
  // it.
  void AdmitScheduler(uint64_t incarnation);
  // Replaces the roster: who was in the old one and is not in this one is fenced. The caller keeps older
  // epochs out.
  void SetRoster(const Roster& roster);
  // Declared lost: nothing of this incarnation passes any more.
  void Fence(int node, uint64_t incarnation);

  Decision Judge(const Header& header);
  // Whether the sender of what was dropped as stale is to be told that it was declared lost: it knows me, and
  // nobody has told it for kTellEveryMs. Answering yes counts as having told it.
  bool TellsFenced(const Header& header, int64_t now_ms);
  // The node that sends without an id because the roster has not reached it yet; 0 if there is none.
  uint32_t IdOf(uint64_t incarnation) const;

 private:
  struct Fenced {
    bool is_lost = false;  // else only replaced
    int64_t told_ms = -1;  // -1: never
  };

  struct Accepted {
    uint32_t sender = 0;
    uint64_t incarnation = 0;
  };
  Decision Decide(const Header& header) const;

  const uint64_t my_incarnation_;
  // Who was accepted since the rules changed last, by the last bits of the id: the next frame of the same
  // sender needs no further look.
  std::array<Accepted, 64> accepted_{};
  bool have_roster_ = false;
  std::map<uint32_t, uint64_t> incarnation_of_;
  std::map<std::pair<uint32_t, uint64_t>, Fenced>
      fenced_;  // by id and incarnation; as many as there were losses
};

}  // namespace ps
#endif  // PS_VAN_ADMISSION_H_
