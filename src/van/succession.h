#ifndef PS_VAN_SUCCESSION_H_
#define PS_VAN_SUCCESSION_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ps/status.h"
#include "van/roster.h"

namespace ps {

// Who takes the place of whom once a cluster is complete. Pure; times are monotonic milliseconds.
//
// A newcomer is treated by the first line that fits (spec runtime.md, L7):
// a. it asks for the rank, or has the key, of a lost node: it takes that place;
// b. it matches a living node (key, rank wish, or the same fixed address): that one is asked for signs of
// life, and if
//    none comes for kProbeMs it is lost, and (a) applies;
// c. it matches nobody, and a node of its role is lost: it takes that place (the one it had before, else the
// lowest
//    rank);
// d. else it waits, in case a loss has not been noticed yet, and is refused after `park_ms`, but not while
// (b) is
//    undecided.
// A living node is never replaced.
class Succession {
 public:
  static constexpr int64_t kProbeMs = 2000;
  static constexpr int64_t kAskEveryMs = 500;

  struct Outcome {
    uint64_t newcomer = 0;   // its incarnation
    int node = 0;            // whose place it takes; 0: it is refused
    bool was_alive = false;  // that node has not been declared lost yet: it has not answered
    Status why;              // of a refusal
  };

  explicit Succession(int64_t park_ms) : park_ms_(park_ms) {}

  // `registration` is that of member `node`, now or again.
  void SetMember(int node, const Registration& registration);
  void SetLost(int node);
  // It left in order: its place stays empty.
  void SetLeft(int node);

  // A registration that fits the job but has no place. A repeat is harmless. False when too many wait
  // already.
  bool Register(const Registration& newcomer, int64_t now_ms);
  bool IsWaiting(uint64_t newcomer) const;
  // What a newcomer that waits will be told if it gets no place.
  Status Refusal(uint64_t newcomer) const;
  // It gave up.
  void Forget(uint64_t newcomer);
  // The asker stood still: what members have answered meanwhile has not been read yet, and no loss was
  // noticed.
  void AskAgain(int64_t now_ms);
  // A sign of life of a member.
  void Heard(int node, int64_t now_ms);

  // What can be decided now; the newcomers it names wait no longer. The caller tells of losses and places
  // (SetLost, SetMember) before it asks again. `*probe` receives members to ask for a sign of life.
  std::vector<Outcome> Decide(int64_t now_ms, std::vector<int>* probe);
  // When to call Decide at the latest; CondVar::kNever if nobody waits.
  int64_t NextDue() const;
  // The registration of a newcomer that Decide has named; until Forget.
  const Registration& registration(uint64_t newcomer) const { return registrations_.at(newcomer); }

 private:
  enum class State { kAlive, kLost, kLeft };
  struct Member {
    Registration registration;
    State state = State::kAlive;
    int64_t heard_ms = -1;
  };
  struct Newcomer {
    uint64_t incarnation = 0;
    int64_t park_until_ms = 0;
    int probed = 0;            // a member; 0: none yet
    uint64_t probed_life = 0;  // its incarnation
    int64_t asked_ms = 0;      // it was asked first
    int64_t silent_ms = 0;     // since then, or since it was heard after that
    int64_t ask_ms = 0;        // when to ask again
  };

  void Probe(Newcomer* newcomer, int member, int64_t now_ms, std::vector<int>* probe) const;
  bool DecideOne(Newcomer* newcomer, int64_t now_ms, Outcome* outcome, std::vector<int>* probe);
  bool IsAsked(const Newcomer& newcomer) const;
  int FindMatch(const Registration& newcomer, State state) const;
  int FindLost(const Registration& newcomer) const;

  const int64_t park_ms_;
  std::map<int, Member> members_;
  std::vector<Newcomer> newcomers_;                 // in order of arrival
  std::map<uint64_t, Registration> registrations_;  // of newcomers, by incarnation
};

}  // namespace ps
#endif  // PS_VAN_SUCCESSION_H_
