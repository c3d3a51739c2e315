// A Gate that answers in words.
#ifndef PS_TESTS_STORE_GATE_DRIVER_H_
#define PS_TESTS_STORE_GATE_DRIVER_H_

#include <cstdint>
#include <string>

#include "ps/status.h"
#include "store/gate.h"

namespace ps {

// Events in, actions out as text: `apply w:token`, `drop w:token`, `answer w:token`, `cancel w:token`, `close
// round`.
class Driver {
 public:
  Driver(int num_participants, const Consistency& consistency) : gate(num_participants, consistency) {}

  std::string Part(int worker, std::uint64_t round, std::uint64_t token) {
    return Text(gate.Part(worker, round, token, &actions_));
  }
  std::string Close(int worker, std::uint64_t round, std::uint32_t num_parts) {
    return Text(gate.Close(worker, round, num_parts, &actions_));
  }
  // A part that is its whole round.
  std::string Add(int worker, std::uint64_t round, std::uint64_t token) {
    const Status status = gate.Part(worker, round, token, &actions_);
    return Text(status.ok() ? gate.Close(worker, round, 1, &actions_) : status);
  }
  std::string Read(int worker, std::uint64_t round, std::uint64_t token) {
    return Text(gate.Read(worker, round, token, &actions_));
  }
  std::string Leave(int worker, std::uint64_t round) { return Text(gate.Leave(worker, round, &actions_)); }
  std::string Lose(int worker) { return Text(gate.Lose(worker, &actions_)); }
  std::string Rejoin(int worker, std::uint64_t round) {
    const Result<Gate::Rejoined> result = gate.Rejoin(worker, round, &actions_);
    if (result.ok()) rejoined = result.value();
    return Text(result.status());
  }
  std::string CancelRead(int worker, std::uint64_t token) {
    gate.CancelRead(worker, token, &actions_);
    return Text(Status::Ok());
  }

  std::string Text(const Status& status) {
    std::string text = status.ok() ? "" : status.message();
    static const char* const kNames[] = {"apply", "drop", "answer", "cancel", "close"};
    for (const Gate::Action& action : actions_) {
      if (!text.empty()) text += ", ";
      text += std::string(kNames[action.kind]) + " ";
      text += action.kind == Gate::Action::kClose
                  ? std::to_string(action.round)
                  : std::to_string(action.worker) + ":" + std::to_string(action.token);
    }
    actions_.clear();
    return text;
  }

  Gate gate;
  Gate::Rejoined rejoined;

 private:
  Gate::Actions actions_;
};

}  // namespace ps
#endif  // PS_TESTS_STORE_GATE_DRIVER_H_
