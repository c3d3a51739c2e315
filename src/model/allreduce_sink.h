#ifndef PS_MODEL_ALLREDUCE_SINK_H_
#define PS_MODEL_ALLREDUCE_SINK_H_

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "group/resources.h"
#include "group/result_sink.h"
#include "ps/collective.h"

namespace ps {

// Merged values are summed over all workers of the job, or averaged, and go on to another sink where there is
// one. Workers need not take up keys in the same order, and may have different numbers of rounds under way.
// That `mean` differs between them is an error of a key's first round. Any thread.
class AllreduceSink final : public ResultSink {
 public:
  struct Options {
    std::string model;
    bool mean = false;  // divided by the number of workers; floats only
  };
  // `next` null: the sum is the result.
  AllreduceSink(std::shared_ptr<Collective> collective, const Options& options,
                std::unique_ptr<ResultSink> next);

  bool keeps_value() const override { return next_ != nullptr && next_->keeps_value(); }
  void Take(Merged&& merged, Done done) override;
  void Read(int key, int priority, Done done) override;
  void Close() override;

 private:
  struct Shared {
    Shared(const Options& options, std::unique_ptr<ResultSink> next)
        : options(options), next(std::move(next)) {}
    const Options options;
    const std::unique_ptr<ResultSink> next;
  };

  // Which scales there are among the workers: 1 where one has it.
  enum ScaleIndex { kSum, kMean };
  using Scales = std::array<std::int32_t, 2>;

  Ticket AskScales(const std::string& name, const std::shared_ptr<Scales>& scales);
  static Status CheckScales(const Shared& shared, const Scales& scales, const std::string& whom);
  static void HandOn(const Shared& shared, Merged merged, int num_workers, const Done& done);

  const std::shared_ptr<Collective> collective_;
  const std::shared_ptr<Shared> shared_;  // its operations look whether it is still there
  ResultSink* const next_;
  const std::shared_ptr<Scratch> scratch_ = std::make_shared<Scratch>();
};

}  // namespace ps

#endif  // PS_MODEL_ALLREDUCE_SINK_H_
