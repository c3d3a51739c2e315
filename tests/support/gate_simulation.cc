#include "tests/support/gate_simulation.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "tests/support/gate_program.h"
#include "tests/support/gate_server.h"

namespace ps {
namespace {

using gate_simulation::Answer;
using gate_simulation::Message;
using gate_simulation::Program;
using gate_simulation::Random;
using gate_simulation::Server;
using gate_simulation::Step;

constexpr std::int64_t kEnd = 1000000000;

struct Reading {
  int worker;
  std::uint64_t round;
  std::vector<int> applied;
  std::vector<double> sums;             // by server
  std::vector<std::uint64_t> versions;  // by server
};

// One program under one random schedule.
class Play {
 public:
  Play(const Program& program, const GateCase& one, Random* random)
      : program_(program), one_(one), random_(random), workers_(program.num_workers) {
    Consistency consistency = one.consistency;
    consistency.backup = std::min(consistency.backup, program.num_workers - 1);
    for (int server = 0; server < program.num_servers; ++server) servers_.emplace_back(program, consistency);
    for (Worker& worker : workers_) worker.unsent.resize(program.num_servers);
    channels_.resize(program.num_workers * program.num_servers);
  }

  // Until nothing can happen any more.
  void Run() {
    for (;;) {
      std::vector<int> choices;  // workers, then channels
      for (int w = 0; w < program_.num_workers; ++w) {
        if (!workers_[w].gone && !workers_[w].waits) choices.push_back(w);
      }
      for (std::size_t channel = 0; channel < channels_.size(); ++channel) {
        if (!channels_[channel].empty()) choices.push_back(program_.num_workers + static_cast<int>(channel));
      }
      if (choices.empty()) return;
      const int choice = choices[random_->Below(choices.size())];
      choice < program_.num_workers ? DoStep(choice) : Deliver(choice - program_.num_workers);
    }
  }

  void Count(GateTotals* totals) const {
    totals->reads += static_cast<std::int64_t>(readings_.size());
    totals->deadlocks +=
        std::any_of(workers_.begin(), workers_.end(), [](const Worker& w) { return w.waits; });
    for (const Reading& reading : readings_) totals->wrong += !IsRight(reading);
    totals->lost += LosesParts();
    for (const Server& server : servers_) {
      totals->dropped += server.dropped();
      totals->refused += server.refused();
      totals->early_sums += server.wrong_early_sums();
    }
  }

  // By worker, in its own order.
  std::vector<std::tuple<int, std::uint64_t, std::vector<double>>> Sums() const {
    std::vector<std::tuple<int, std::uint64_t, std::vector<double>>> sums;
    for (int w = 0; w < program_.num_workers; ++w) {
      for (const Reading& reading : readings_) {
        if (reading.worker == w) sums.emplace_back(w, reading.round, reading.sums);
      }
    }
    return sums;
  }

 private:
  struct Worker {
    std::size_t at = 0;
    std::uint64_t rounds = 0;
    std::uint64_t num_adds = 0;
    std::vector<std::uint32_t> unsent;  // parts of the open round, by server
    std::map<int, Answer> answers;      // by server
    bool waits = false;
    bool gone = false;
  };

  void Send(int w, int server, Message message) {
    channels_[w * program_.num_servers + server].push_back(std::move(message));
  }
  void SendAll(int w, Message::Kind kind) {
    for (int s = 0; s < program_.num_servers; ++s)
      Send(w, s, {kind, workers_[w].rounds, {}, workers_[w].unsent[s]});
  }

  void DoStep(int w) {
    Worker& worker = workers_[w];
    if (worker.at == program_.scripts[w].size()) {
      worker.gone = true;
      return SendAll(w, Message::kLeave);
    }
    const Step step = program_.scripts[w][worker.at++];
    if (step.op == 'R') {
      worker.waits = true;
      return SendAll(w, Message::kRead);
    }
    if (step.op == 'A' && !program_.auto_close) {
      ++worker.unsent[step.server];
      return Send(w, step.server, {Message::kPart, worker.rounds + 1, {worker.num_adds++}, 0});
    }
    ++worker.rounds;
    if (!program_.auto_close) {
      SendAll(w, Message::kClose);
      std::fill(worker.unsent.begin(), worker.unsent.end(), 0);
      return;
    }
    const std::uint64_t token = worker.num_adds++;
    for (int s = 0; s < program_.num_servers; ++s) {
      Message message{Message::kAuto, worker.rounds, {}, 0};
      if (s == step.server) message.tokens.push_back(token);
      Send(w, s, std::move(message));
    }
  }

  void Deliver(int channel) {
    std::deque<Message>& queue = channels_[channel];
    const int at = one_.reorder ? random_->Below(queue.size()) : 0;
    const Message message = std::move(queue[at]);
    queue.erase(queue.begin() + at);
    const int s = channel % program_.num_servers;
    for (Answer& answer : servers_[s].Handle(channel / program_.num_servers, message)) {
      Worker& reader = workers_[answer.worker];
      const int w = answer.worker;
      reader.answers.emplace(s, std::move(answer));
      if (static_cast<int>(reader.answers.size()) == program_.num_servers) EndRead(w);
    }
  }

  void EndRead(int w) {
    Reading reading{w, workers_[w].rounds, std::vector<int>(program_.num_workers), {}, {}};
    for (const auto& [server, answer] : workers_[w].answers) {
      for (int v = 0; v < program_.num_workers; ++v) reading.applied[v] += answer.applied[v];
      reading.sums.push_back(answer.sum);
      reading.versions.push_back(answer.version);
    }
    readings_.push_back(std::move(reading));
    workers_[w].answers.clear();
    workers_[w].waits = false;
  }

  bool IsRight(const Reading& r) const {
    const Consistency& c = one_.consistency;
    const auto round = static_cast<std::int64_t>(r.round);
    const bool is_bsp = c.mode == Consistency::kBsp;
    const bool exact = is_bsp && c.backup == 0;
    const std::int64_t promised = exact ? round : c.mode == Consistency::kSsp ? round - c.bound : 0;
    for (int w = 0; w < program_.num_workers; ++w) {
      const int least = program_.AddsUntil(w, promised);
      if (exact ? r.applied[w] != least : r.applied[w] < least) return false;
    }
    if (!is_bsp) return r.applied[r.worker] >= program_.AddsUntil(r.worker, round);
    return std::all_of(r.versions.begin(), r.versions.end(), [&](std::uint64_t version) {
      return exact ? version == r.round : version >= r.round;
    });
  }

  // After the last message: applied is what was closed (BSP) or sent (SSP, ASP); the rest was dropped or is
  // kept.
  bool LosesParts() const {
    const Consistency& c = one_.consistency;
    for (int w = 0; w < program_.num_workers; ++w) {
      int applied = 0;
      for (const Server& server : servers_) applied += server.applied()[w];
      const int most = c.mode == Consistency::kBsp ? program_.AddsUntil(w, kEnd) : program_.num_adds(w);
      if (applied > most || (c.backup == 0 && applied < most)) return true;
    }
    return !std::all_of(servers_.begin(), servers_.end(),
                        [](const Server& s) { return s.AccountsForEveryPart(); });
  }

  const Program& program_;
  const GateCase& one_;
  Random* const random_;
  std::vector<Worker> workers_;
  std::deque<Server> servers_;
  std::vector<std::deque<Message>> channels_;  // by worker and server
  std::vector<Reading> readings_;
};

std::uint64_t SeedOf(std::uint64_t seed, const GateCase& one, int program) {
  const std::size_t name = std::hash<std::string>()(one.name);
  return std::hash<std::string>()(std::to_string(seed) + "/" + std::to_string(name) + "/" +
                                  std::to_string(program));
}

}  // namespace

std::vector<GateCase> GateCases() {
  std::vector<GateCase> cases = {
      {"bsp, in order, each Add a round", Consistency::Bsp(), false, false, true},
      {"bsp, in order, each Add a round, early leavers", Consistency::Bsp(), true, false, true},
      {"bsp, reordered", Consistency::Bsp(), false, true, false},
      {"bsp, reordered, early leavers", Consistency::Bsp(), true, true, false},
      {"bsp, reordered, backup 1", Consistency::Bsp(1), false, true, false},
      {"bsp, reordered, backup 2, early leavers", Consistency::Bsp(2), true, true, false},
  };
  for (const int bound : {0, 1, 3}) {
    cases.push_back({"ssp, in order, each Add a round", Consistency::Ssp(bound), false, false, true});
  }
  for (const int bound : {0, 1, 3}) {
    cases.push_back({"ssp, reordered, early leavers", Consistency::Ssp(bound), true, true, false});
  }
  cases.push_back({"asp, reordered, early leavers", Consistency::Asp(), true, true, false});
  return cases;
}

std::ostream& operator<<(std::ostream& out, const GateTotals& totals) {
  return out << totals.reads << " reads, " << totals.deadlocks << " deadlocks, " << totals.wrong << " wrong, "
             << totals.lost << " lost, " << totals.early_sums << " early sums wrong, " << totals.bits_differ
             << " with other bits, " << totals.refused << " refused, " << totals.dropped << " dropped";
}

GateTotals SimulateGate(const GateCase& one, int num_programs, std::uint64_t seed) {
  GateTotals totals;
  const bool exact = one.consistency.mode == Consistency::kBsp && one.consistency.backup == 0;
  for (int i = 0; i < num_programs; ++i) {
    Random random(SeedOf(seed, one, i));
    const Program program(&random, one.early, one.auto_close);
    Play play(program, one, &random);
    play.Run();
    play.Count(&totals);
    if (!exact) continue;
    Play again(program, one, &random);
    again.Run();
    again.Count(&totals);
    totals.bits_differ += play.Sums() != again.Sums();
  }
  return totals;
}

}  // namespace ps
