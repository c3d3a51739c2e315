// A node of a job whose workers sum arrays, again and again: `collective_worker <elements> <how>`. `how`:
// `calls`, or `tickets`. Workers say "under way", and, when a sum fails, why and that the next one does; they
// end with 0 if both name somebody. Without a failure they sum for ever.
#include <cstdint>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include "ps/collective.h"
#include "ps/ps.h"

namespace {

class Summing {
 public:
  Summing(std::size_t count, bool by_ticket)
      : by_ticket_(by_ticket), collective_(ps::Collective::Of()), values_(count) {}

  // The error; Ok after a sum that is right.
  ps::Status Once() {
    const auto mine = static_cast<std::int64_t>(collective_->rank() + 1);
    for (std::size_t i = 0; i < values_.size(); ++i) values_[i] = mine + static_cast<std::int64_t>(i % 13);
    try {
      Sum();
    } catch (const ps::Error& error) {
      return error.status();
    }
    const auto size = static_cast<std::int64_t>(collective_->size());
    for (std::size_t i = 0; i < values_.size(); ++i) {
      if (values_[i] != size * (size + 1) / 2 + size * static_cast<std::int64_t>(i % 13))
        throw std::runtime_error("element " + std::to_string(i) + " is wrong");
    }
    return ps::Status::Ok();
  }

 private:
  void Sum() {
    ps::TensorView view;
    view.data = values_.data();
    view.shape = {static_cast<std::int64_t>(values_.size())};
    view.dtype = ps::DType::kI64;
    if (by_ticket_) {
      collective_->AllreduceAsync(view, ps::ReduceOp::kSum, "sum").Wait();
    } else {
      collective_->Allreduce(view);
    }
  }

  const bool by_ticket_;
  const std::shared_ptr<ps::Collective> collective_;
  std::vector<std::int64_t> values_;
};

void Work(std::size_t count, bool by_ticket) {
  Summing summing(count, by_ticket);
  ps::Status outcome;
  for (int done = 0; outcome.ok(); ++done) {
    outcome = summing.Once();
    if (done == 20) {
      std::printf("under way\n");
      std::fflush(stdout);
    }
  }
  std::printf("failed: %s\n", outcome.ToString().c_str());
  std::printf("and then: %s\n", summing.Once().ToString().c_str());
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char* argv[]) {
  try {
    if (argc != 3) throw std::runtime_error("usage: collective_worker <elements> <calls|tickets>");
    ps::Start(0);
    if (ps::IsWorker()) Work(std::stoul(argv[1]), std::string(argv[2]) == "tickets");
    const ps::Status ended = ps::TryFinalize(0, true);  // tells of the loss
    if (!ended.ok()) std::printf("at the end: %s\n", ended.ToString().c_str());
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "collective_worker: %s\n", error.what());
    return 1;
  }
}
