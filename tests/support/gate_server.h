// A server of the Gate's simulation.
#ifndef PS_TESTS_SUPPORT_GATE_SERVER_H_
#define PS_TESTS_SUPPORT_GATE_SERVER_H_

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "store/gate.h"
#include "tests/support/gate_program.h"

namespace ps::gate_simulation {

struct Message {
  enum Kind { kAuto, kPart, kClose, kRead, kLeave } kind;
  std::uint64_t round;
  std::vector<std::uint64_t> tokens;  // of kAuto and kPart
  std::uint32_t num_parts;            // of kClose
};

struct Answer {
  int worker;
  std::vector<int> applied;
  double sum;
  std::uint64_t version;
};

// A shard behind a Gate: carries out the Gate's actions and counts them.
class Server {
 public:
  Server(const Program& program, const Consistency& consistency)
      : program_(program),
        is_bsp_(consistency.mode == Consistency::kBsp),
        gate_(program.num_workers, consistency),
        applied_(program.num_workers) {}

  std::vector<Answer> Handle(int worker, const Message& message) {
    Gate::Actions actions;
    for (const std::uint64_t token : message.tokens) {
      ++received_;
      if (is_bsp_) unapplied_[message.round].insert({worker, token});
      Take(gate_.Part(worker, message.round, token, &actions));
    }
    switch (message.kind) {
      case Message::kAuto:
        Take(gate_.Close(worker, message.round, static_cast<std::uint32_t>(message.tokens.size()), &actions));
        break;
      case Message::kPart: break;
      case Message::kClose: Take(gate_.Close(worker, message.round, message.num_parts, &actions)); break;
      case Message::kRead: Take(gate_.Read(worker, message.round, 0, &actions)); break;
      case Message::kLeave: Take(gate_.Leave(worker, message.round, &actions)); break;
    }
    std::vector<Answer> answers;
    for (const Gate::Action& action : actions) CarryOut(action, &answers);
    if (is_bsp_) SumEarly();
    return answers;
  }

  bool AccountsForEveryPart() const {
    std::size_t kept = 0;
    for (const auto& [round, parts] : unapplied_) {
      if (!parts.empty() && round <= gate_.state().version) return false;
      kept += parts.size();
    }
    std::int64_t applied = 0;
    for (const int count : applied_) applied += count;
    return received_ == applied + dropped_ + static_cast<std::int64_t>(kept) &&
           dropped_ == static_cast<std::int64_t>(gate_.state().num_dropped);
  }

  const std::vector<int>& applied() const { return applied_; }
  std::int64_t dropped() const { return dropped_; }
  std::int64_t refused() const { return refused_; }
  std::int64_t wrong_early_sums() const { return wrong_early_sums_; }

 private:
  void Take(const Status& status) { refused_ += status.ok() ? 0 : 1; }

  void CarryOut(const Gate::Action& action, std::vector<Answer>* answers) {
    switch (action.kind) {
      case Gate::Action::kApply: {
        ++applied_[action.worker];
        const double value = program_.values[action.worker][action.token];
        sum_ += value;
        merged_ += value;
        if (is_bsp_) ++in_round_;
        unapplied_[action.round].erase({action.worker, action.token});
        break;
      }
      case Gate::Action::kDrop:
        ++dropped_;
        unapplied_[action.round].erase({action.worker, action.token});
        break;
      case Gate::Action::kAnswer:
        answers->push_back({action.worker, applied_, sum_, gate_.state().version});
        break;
      case Gate::Action::kCancel: ++refused_; break;
      case Gate::Action::kClose: EndRound(); break;
    }
  }

  // Adds to the open round's sum what may be added before it closes.
  void SumEarly() {
    const int end = gate_.FirstMissing();
    for (const auto& [worker, token] : unapplied_[gate_.state().version + 1]) {
      const auto part = std::make_pair(worker, token);
      if (worker >= end) break;
      if (last_summed_ >= part) continue;
      early_ += program_.values[worker][token];
      ++num_early_;
      last_summed_ = part;
    }
  }

  // What was summed early are the first parts of the round: the same bits as far as they go.
  void EndRound() {
    if (num_early_ > in_round_ || (num_early_ == in_round_ && early_ != merged_)) ++wrong_early_sums_;
    merged_ = early_ = 0;
    in_round_ = num_early_ = 0;
    last_summed_ = {-1, 0};
  }

  using Part = std::pair<int, std::uint64_t>;
  const Program& program_;
  const bool is_bsp_;
  Gate gate_;
  std::vector<int> applied_;
  std::map<std::uint64_t, std::set<Part>> unapplied_;  // BSP: by round
  double sum_ = 0;
  double merged_ = 0;  // of the round that is being applied
  double early_ = 0;
  int in_round_ = 0;
  int num_early_ = 0;
  Part last_summed_{-1, 0};
  std::int64_t received_ = 0;
  std::int64_t dropped_ = 0;
  std::int64_t refused_ = 0;
  std::int64_t wrong_early_sums_ = 0;
};

}  // namespace ps::gate_simulation
#endif  // PS_TESTS_SUPPORT_GATE_SERVER_H_
