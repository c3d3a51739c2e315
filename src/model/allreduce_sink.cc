#include "model/allreduce_sink.h"

#include <utility>

#include "base/copy.h"
#include "base/guarded.h"
#include "device/kernels.h"
#include "group/caller_stream.h"

namespace ps {

AllreduceSink::AllreduceSink(std::shared_ptr<Collective> collective, const Options& options,
                             std::unique_ptr<ResultSink> next)
    : collective_(std::move(collective)),
      shared_(std::make_shared<Shared>(options, std::move(next))),
      next_(shared_->next.get()) {}

void AllreduceSink::Take(Merged&& merged, Done done) {
  if (merged.is_lent) {
    // It becomes the sum: not in a device's array.
    const TensorView& lent = merged.values.view();
    const Tensor own = scratch_->TakeTensor(lent.shape, lent.dtype, DeviceId::Cpu());
    CopyBytes(own.view().data, lent.data, lent.bytes());
    merged.values = own;
    merged.is_lent = false;
  }
  // The round is in the name: a worker that skips one (its merge has failed) is missed in that one, and all
  // later ones belong together as before.
  const std::string name = "sm/" + shared_->options.model + "/" + std::to_string(merged.key) + "/";
  const std::string round = std::to_string(merged.round);
  const auto scales = std::make_shared<Scales>();
  const Ticket agreed = merged.round == 1 ? AskScales(name + "scale", scales) : Ticket();
  const TensorView values = merged.values.view();
  const Ticket summed = collective_->AllreduceAsync(values, ReduceOp::kSum, name + round);
  const std::string whom = "key " + std::to_string(merged.key) + ", round " + round + ": ";
  AllOf({agreed, summed})
      .Then([weak = std::weak_ptr<Shared>(shared_), merged = std::move(merged), scales, whom,
             num_workers = collective_->size(), done = std::move(done)](const Status& outcome) {
        if (!outcome.ok()) return done(Status(outcome.code(), whom + outcome.message()));
        const std::shared_ptr<Shared> shared = weak.lock();
        if (shared == nullptr) return;  // and nobody waits for it any more
        const Status handed_on = Guarded([&] {
          ThrowIfError(CheckScales(*shared, *scales, whom));
          HandOn(*shared, merged, num_workers, done);
          return Status::Ok();
        });
        if (!handed_on.ok()) done(handed_on);
      });
}

// With the first round of a key each worker says its scale, and hears which ones there are.
Ticket AllreduceSink::AskScales(const std::string& name, const std::shared_ptr<Scales>& scales) {
  (*scales)[shared_->options.mean ? kMean : kSum] = 1;
  TensorView view;
  view.data = scales->data();
  view.shape = {static_cast<std::int64_t>(scales->size())};
  view.dtype = DType::kI32;
  return collective_->AllreduceAsync(view, ReduceOp::kMax, name);
}

Status AllreduceSink::CheckScales(const Shared& shared, const Scales& scales, const std::string& whom) {
  if (scales[kSum] == 0 || scales[kMean] == 0) return Status::Ok();
  const bool mean = shared.options.mean;
  return Status::InvalidArgument(whom + "this worker has scale=" + (mean ? "mean" : "sum") +
                                 ", and others have scale=" + (mean ? "sum" : "mean") + ": set the same one");
}

void AllreduceSink::HandOn(const Shared& shared, Merged merged, int num_workers, const Done& done) {
  if (shared.options.mean && num_workers > 1) {
    CallerStream stream;
    ThrowIfError(Scale(&stream, merged.values.view(), 1.0 / num_workers));
    ThrowIfError(stream.Synchronize());
  }
  if (shared.next == nullptr) return done(merged.values);
  shared.next->Take(std::move(merged), done);
}

void AllreduceSink::Read(int key, int priority, Done done) { next_->Read(key, priority, std::move(done)); }

void AllreduceSink::Close() {
  if (next_ != nullptr) next_->Close();
}

}  // namespace ps
