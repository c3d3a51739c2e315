// A node of a job that trains with KVStore, in any role. Workers do rounds on one key, each pushes 1:
//
//   kv_trainer rounds <n> <of the last worker> <end>   so many; the last worker then ends as `end` says:
//                                                      leave (goes on living), exit (its store goes), quit
//                                                      (at once)
//   kv_trainer until <sum> <n>     until n rounds had this sum
//   kv_trainer endless <word>      until it is stopped; the word only names the job
//
// Exit code 3, and the reason as a line: a round failed.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "ps/kvstore.h"
#include "ps/ps.h"

namespace {

constexpr int kFailed = 3;
constexpr int kRoundsUnderWay = 5;

class Training {
 public:
  Training() : store_(ps::KVStore::Create("dist_sync")) { store_->Init("w", {ps::Tensor::Full({1000}, 0)}); }

  bool is_last() const { return store_->rank() == store_->num_workers() - 1; }
  ps::KVStore& store() { return *store_; }

  // The sum of the round.
  float Round() {
    store_->Push("w", {ps::Tensor::Full({1000}, 1)});
    store_->Pull("w", {sum_});
    const float sum = *static_cast<const float*>(sum_.Data());
    if (++rounds_ == kRoundsUnderWay) Say("under way");
    return sum;
  }
  int rounds() const { return rounds_; }
  static void Say(const std::string& what) {
    std::printf("%s\n", what.c_str());
    std::fflush(stdout);
  }

 private:
  const std::unique_ptr<ps::KVStore> store_;
  const ps::Tensor sum_ = ps::Tensor::Empty({1000});
  int rounds_ = 0;
};

void Rounds(Training* training, int all, int of_last, const std::string& end) {
  const int rounds = training->is_last() ? of_last : all;
  for (int i = 1; i <= rounds; ++i)
    Training::Say("round " + std::to_string(i) + ": " + std::to_string(static_cast<int>(training->Round())));
  if (!training->is_last()) return;
  if (end == "leave") training->store().Leave();
  if (end == "quit") std::_Exit(0);
}

void Until(Training* training, int sum, int rounds) {
  while (rounds > 0) {
    if (static_cast<int>(training->Round()) == sum) --rounds;
  }
  training->store().Barrier();  // it has heard of the loss, too
  Training::Say("workers " + std::to_string(training->store().num_workers()));
}

void Train(int argc, char** argv) {
  const std::string what = argv[1];
  const auto number = [&](int i) { return i < argc ? std::atoi(argv[i]) : 0; };
  Training training;
  try {
    if (what == "rounds") Rounds(&training, number(2), number(3), argc > 4 ? argv[4] : "");
    if (what == "until") Until(&training, number(2), number(3));
    while (what == "endless") static_cast<void>(training.Round());
  } catch (const ps::Error& error) {
    Training::Say("after " + std::to_string(training.rounds()) + " rounds: " + error.what());
    std::_Exit(kFailed);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: kv_trainer rounds|until|endless ...\n");
    return 2;
  }
  try {
    if (ps::IsWorker()) {
      Train(argc, argv);
    } else {
      ps::RunServer();
    }
  } catch (const ps::Error& error) {
    std::fprintf(stderr, "kv_trainer: %s\n", error.what());
    return 1;
  }
  return 0;
}
