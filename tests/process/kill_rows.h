// At which points of the protocol (base/test_point.h) a node of each role is killed (R2).
#ifndef PS_TESTS_PROCESS_KILL_ROWS_H_
#define PS_TESTS_PROCESS_KILL_ROWS_H_

#include <string>
#include <vector>

namespace ps {

// What the others see of the death.
enum class Death {
  kInStart,   // perhaps before the roster: they give up with Start's deadline, or learn who is lost
  kNoticed,   // of a member: each gets an error that names it, or has all it needs and ends in order
  kHarmless,  // after the last barrier: they end in order
};

struct KillRow {
  std::string point;  // with ":n": the n-th time
  Death death = Death::kNoticed;
};

inline const std::vector<KillRow>& WorkerRows() {
  static const std::vector<KillRow> rows = {
      {"register.before_send", Death::kInStart},
      {"register.after_send", Death::kInStart},
      {"register.answered", Death::kInStart},
      {"timer.before:2", Death::kInStart},
      {"control.received"},  // the roster
      {"roster.before_accept"},
      {"roster.after_accept"},
      {"barrier.before_send"},  // of Start
      {"control.before_send"},
      {"control.after_send"},
      {"barrier.after_send"},
      {"barrier.released"},
      {"request.before_send"},
      {"data.before_send"},
      {"chunk.after_send"},
      {"chunk.after_send:4"},
      {"data.after_send"},
      {"request.after_send:2"},
      {"room.none"},
      {"data.after_send:5"},
      {"data.received"},
      {"answer.handle"},
      {"request.finish"},
      {"barrier.before_send:2"},  // of the workers, in a round
      {"barrier.after_send:2"},
      {"barrier.released:2"},
      {"chunk.received"},  // of a pull
      {"answer.handle:7"},
      {"request.finish:4"},
      {"barrier.released:5"},
      {"finalize.begin"},
      {"finalize.before_barrier"},
      {"finalize.after_barrier", Death::kHarmless},
      {"leave.before_drain", Death::kHarmless},
      {"leave.after_drain", Death::kHarmless},
      {"leave.after_send", Death::kHarmless},
      {"close.before", Death::kHarmless},
      {"close.after", Death::kHarmless},
  };
  return rows;
}

inline const std::vector<KillRow>& ServerRows() {
  static const std::vector<KillRow> rows = {
      {"register.before_send", Death::kInStart},
      {"register.after_send", Death::kInStart},
      {"timer.before:2", Death::kInStart},
      {"roster.before_accept"},
      {"roster.after_accept"},
      {"barrier.before_send"},
      {"barrier.after_send"},
      {"barrier.released"},
      {"chunk.received"},
      {"chunk.received:4"},
      {"data.received"},
      {"handle.before"},
      {"handle.after"},
      {"response.before_send"},
      {"data.before_send"},
      {"response.after_send"},
      {"response.after_send:5"},  // one of two workers has its answer
      {"handle.before:7"},        // a pull
      {"chunk.after_send"},
      {"data.after_send:7"},
      {"handle.after:10"},
      {"finalize.begin"},
      {"finalize.before_barrier"},
      {"finalize.after_barrier", Death::kHarmless},
      {"leave.after_send", Death::kHarmless},
      {"close.before", Death::kHarmless},
  };
  return rows;
}

inline const std::vector<KillRow>& SchedulerRows() {
  static const std::vector<KillRow> rows = {
      {"register.received", Death::kInStart},
      {"register.received:4", Death::kInStart},
      {"roster.before_accept", Death::kInStart},
      {"roster.after_accept", Death::kInStart},
      {"roster.before_send", Death::kInStart},
      {"roster.before_send:4", Death::kInStart},
      {"roster.after_send", Death::kInStart},
      {"barrier.received:2", Death::kInStart},
      {"barrier.before_release"},
      {"barrier.before_release:3"},
      {"barrier.received:7"},  // a worker's, in the first round
      {"barrier.received:8"},
      {"barrier.before_release:7"},
      {"barrier.received:9"},
      {"timer.before:6", Death::kInStart},
      {"finalize.begin"},
      {"finalize.before_barrier"},
      {"finalize.after_barrier"},  // perhaps before the releases are out
      {"leave.after_drain", Death::kHarmless},
      {"leave.received:3", Death::kHarmless},
      {"close.after", Death::kHarmless},
  };
  return rows;
}

}  // namespace ps

#endif  // PS_TESTS_PROCESS_KILL_ROWS_H_
