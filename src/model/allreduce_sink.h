#ifndef PS_MODEL_ALLREDUCE_SINK_H_
#define PS_MODEL_ALLREDUCE_SINK_H_

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "base/mutex.h"
#include "group/resources.h"
#include "group/result_sink.h"
#include "ps/collective.h"
#include "ps/ticket.h"

namespace ps {

// Merged values are summed over all workers of the job, or averaged, and go on to another sink where there is
// one. Workers need not take up keys in the same order, and may have different numbers of rounds under way.
// That `mean` differs between them, or that it is not known, is an error of all rounds of a key. Any thread.
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
  // A key's scales are there when the ticket is done.
  struct Agreement {
    Ticket ticket;
    std::shared_ptr<Scales> scales;
  };

  // A round under way.
  struct Round {
    std::weak_ptr<Shared> shared;
    Merged merged;
    Agreement agreed;
    int num_workers = 0;
    Done done;
  };

  std::string PrefixOf(int key) const;
  Agreement AgreementOf(int key) PS_EXCLUDES(mutex_);
  static void Finish(const Round& round, const Status& outcome);
  static Status CheckScales(const Shared& shared, const Agreement& agreed);
  static void HandOn(const Shared& shared, const Round& round);

  const std::shared_ptr<Collective> collective_;
  const std::shared_ptr<Shared> shared_;  // its operations look whether it is still there
  ResultSink* const next_;
  const std::shared_ptr<Scratch> scratch_ = std::make_shared<Scratch>();
  Mutex mutex_;
  std::map<int, Agreement> agreements_ PS_GUARDED_BY(mutex_);  // of keys that have been asked for
};

}  // namespace ps

#endif  // PS_MODEL_ALLREDUCE_SINK_H_
