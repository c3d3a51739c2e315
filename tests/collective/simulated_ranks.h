// All ranks of an operation in one thread.
#ifndef PS_TESTS_COLLECTIVE_SIMULATED_RANKS_H_
#define PS_TESTS_COLLECTIVE_SIMULATED_RANKS_H_

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "collective/operation.h"

namespace ps {

// Carries messages between them: of two ranks in the order sent, else in any order that the seed gives, some
// before their receiver has begun.
class SimulatedRanks {
 public:
  SimulatedRanks(int size, unsigned seed) : random_(seed), operations_(static_cast<std::size_t>(size)) {}

  // The memory of rank after rank; each begins when its turn comes.
  void Add(int rank, const Signature& signature, Plan plan, const Operation::Arrays& arrays) {
    sinks_[rank] = std::make_unique<Sink>(this, rank);
    operations_[static_cast<std::size_t>(rank)] =
        std::make_unique<Operation>(signature, std::move(plan), rank, arrays, sinks_[rank].get());
    unbegun_.push_back(rank);
  }

  // Until all are done; false: nothing moves any more. Throws Error.
  bool Run() {
    while (!unbegun_.empty() || !ways_.empty()) {
      const std::size_t choice = random_() % (unbegun_.size() + ways_.size());
      if (choice < unbegun_.size()) {
        Begin(choice);
      } else {
        Deliver(std::next(ways_.begin(), static_cast<std::ptrdiff_t>(choice - unbegun_.size())));
      }
    }
    for (const auto& operation : operations_)
      if (!operation->done()) return false;
    return true;
  }
  std::uint64_t num_messages() const { return num_messages_; }
  std::uint64_t bytes_of(int rank) { return bytes_[rank]; }  // that it has sent

 private:
  using Way = std::pair<int, int>;  // from, to
  struct OnTheWay {
    bool is_answer = false;
    OutgoingValues values;
  };
  class Sink : public OperationSink {
   public:
    Sink(SimulatedRanks* ranks, int rank) : ranks_(ranks), rank_(rank) {}
    void Send(OutgoingValues&& values) override {
      ++ranks_->num_messages_;
      ranks_->bytes_[rank_] += values.values.size();
      const int to = values.to;
      ranks_->ways_[{rank_, to}].push_back({false, std::move(values)});
    }
    void Answer(const Asked& asked) override { ranks_->ways_[{rank_, asked.sender}].push_back({true, {}}); }

   private:
    SimulatedRanks* const ranks_;
    const int rank_;
  };
  using Ways = std::map<Way, std::deque<OnTheWay>>;

  void Begin(std::size_t choice) {
    const int rank = unbegun_[choice];
    unbegun_.erase(unbegun_.begin() + static_cast<std::ptrdiff_t>(choice));
    ThrowIfError(At(rank).Begin(random_() % 4 == 0));
    for (auto& [from, messages] : early_[rank])
      for (OnTheWay& message : messages) Hand(from, rank, std::move(message));
    early_.erase(rank);
    At(rank).Prepare();
  }
  void Deliver(Ways::iterator way) {
    const auto [from, to] = way->first;
    OnTheWay message = std::move(way->second.front());
    way->second.pop_front();
    if (way->second.empty()) ways_.erase(way);
    const bool has_begun = std::find(unbegun_.begin(), unbegun_.end(), to) == unbegun_.end();
    if (!has_begun) return early_[to][from].push_back(std::move(message));
    Hand(from, to, std::move(message));
  }
  void Hand(int from, int to, OnTheWay&& message) {
    if (message.is_answer) {
      ThrowIfError(At(to).OnAnswer(from));
    } else {
      Asked asked;
      asked.sender = from;
      const OutgoingValues& values = message.values;
      ThrowIfError(At(to).Receive(from, {values.round, values.begin, values.values, values.answered, asked}));
    }
  }
  Operation& At(int rank) { return *operations_[static_cast<std::size_t>(rank)]; }

  std::mt19937 random_;
  std::vector<std::unique_ptr<Operation>> operations_;
  std::map<int, std::unique_ptr<Sink>> sinks_;
  std::vector<int> unbegun_;
  Ways ways_;
  std::map<int, std::map<int, std::deque<OnTheWay>>> early_;
  std::map<int, std::uint64_t> bytes_;
  std::uint64_t num_messages_ = 0;
};

}  // namespace ps

#endif  // PS_TESTS_COLLECTIVE_SIMULATED_RANKS_H_
