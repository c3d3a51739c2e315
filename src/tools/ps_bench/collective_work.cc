// Allreduce among the workers.
#include <cstddef>
#include <limits>
#include <memory>
#include <vector>

#include "ps/collective.h"
#include "tools/ps_bench/turns.h"
#include "tools/ps_bench/work.h"

namespace ps::bench {
namespace {

// In the program's own memory, which is used again and again: values grow until they are set anew.
class AllreduceWork : public Work {
 public:
  explicit AllreduceWork(const Bench& bench)
      : count_(static_cast<int>(bench.Setting("count"))),
        terms_(RandomValues(static_cast<std::size_t>(bench.Setting("bytes")) / sizeof(float), 2)),
        values_(terms_.begin(), terms_.end()),
        collective_(Collective::Of()) {}

  Figures Run() override {
    collective_->Barrier();
    std::vector<double> us;
    for (int done = 0; done < count_; done += kAtATime) {
      values_.assign(terms_.begin(), terms_.end());
      collective_->Barrier();
      const std::vector<double> some =
          TimeEach(kAtATime, kNoLimit, [this] { Allreduce(values_.data(), values_.size()); });
      us.insert(us.end(), some.begin(), some.end());
      Check(static_cast<int>(some.size()));
    }
    return LatencyFigures(us);
  }

 private:
  // A rank that stopped early by itself would leave the others alone.
  static constexpr double kNoLimit = std::numeric_limits<double>::infinity();
  static constexpr int kAtATime = 5;  // sums of whole numbers stay exact

  void Check(int times) {
    double factor = 1;
    for (int i = 0; i < times; ++i) factor *= collective_->size();
    SArray<float> values(values_.data(), values_.size());
    CheckMultiple(values, terms_, factor);
  }

  const int count_;
  const SArray<float> terms_;  // the same on each rank
  std::vector<float> values_;
  const std::shared_ptr<Collective> collective_;
};

}  // namespace

std::unique_ptr<Work> MakeAllreduce(const Bench& bench) { return std::make_unique<AllreduceWork>(bench); }

}  // namespace ps::bench
