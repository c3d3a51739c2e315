// Random programs of the Gate's simulation.
#ifndef PS_TESTS_SUPPORT_GATE_PROGRAM_H_
#define PS_TESTS_SUPPORT_GATE_PROGRAM_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace ps::gate_simulation {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  int Below(std::size_t bound) { return static_cast<int>(engine_() % bound); }
  int Between(int low, int high) { return low + Below(static_cast<std::size_t>(high - low + 1)); }
  double Uniform(double low, double high) {
    return low + (high - low) * (static_cast<double>(engine_() >> 11) * 0x1p-53);
  }

 private:
  std::mt19937_64 engine_;
};

struct Step {
  char op;       // A add, C close, R read
  int server;    // of an add
  double value;  // of an add
};

// What each worker does: Adds of mixed magnitude to random servers, round ends, reads; all follow one
// pattern.
struct Program {
  Program(Random* random, bool early, bool auto_close)
      : auto_close(auto_close), num_workers(random->Between(1, 5)), num_servers(random->Between(1, 3)) {
    std::string pattern;
    const std::string ops = auto_close ? "AR" : "ACR";
    for (int length = random->Between(3, 18); length > 0; --length) pattern += ops[random->Below(ops.size())];
    for (int worker = 0; worker < num_workers; ++worker) {
      const bool leaves_early = early && random->Uniform(0, 1) < 0.4;
      const int length = leaves_early ? random->Between(0, static_cast<int>(pattern.size()))
                                      : static_cast<int>(pattern.size());
      AddWorker(random, pattern.substr(0, length));
    }
  }

  void AddWorker(Random* random, const std::string& ops) {
    std::vector<Step> script;
    std::vector<double> worker_values;
    std::vector<int> adds{0};
    for (const char op : ops) {
      Step step{op, 0, 0};
      if (op == 'A') {
        step.server = random->Below(num_servers);
        step.value = random->Uniform(-1, 1) * std::pow(10.0, random->Between(-8, 8));
        worker_values.push_back(step.value);
      }
      script.push_back(step);
      if (op == 'C' || (auto_close && op == 'A')) adds.push_back(static_cast<int>(worker_values.size()));
    }
    scripts.push_back(std::move(script));
    values.push_back(std::move(worker_values));
    adds_until.push_back(std::move(adds));
  }

  int num_adds(int worker) const { return static_cast<int>(values[worker].size()); }
  // Of rounds 1 to `round`.
  int AddsUntil(int worker, std::int64_t round) const {
    const std::vector<int>& adds = adds_until[worker];
    return adds[std::clamp<std::int64_t>(round, 0, static_cast<std::int64_t>(adds.size()) - 1)];
  }

  const bool auto_close;
  const int num_workers;
  const int num_servers;
  std::vector<std::vector<Step>> scripts;    // by worker
  std::vector<std::vector<double>> values;   // by worker: of its n-th Add, whose token is n
  std::vector<std::vector<int>> adds_until;  // by worker, by round
};

}  // namespace ps::gate_simulation
#endif  // PS_TESTS_SUPPORT_GATE_PROGRAM_H_
