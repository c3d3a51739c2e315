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
  // Names come again when what had them is done: of a key no more rounds than these are under way.
  const auto place = merged.round % static_cast<std::uint64_t>(shared_->options.max_rounds);
  const std::string name =
      "sm/" + shared_->options.model + "/" + std::to_string(merged.key) + "/" + std::to_string(place);
  const TensorView values = merged.values.view();
  const Ticket ticket = collective_->AllreduceAsync(values, ReduceOp::kSum, name);
  ticket.Then([weak = std::weak_ptr<Shared>(shared_), merged = std::move(merged),
               num_workers = collective_->size(), done = std::move(done)](const Status& outcome) {
    if (!outcome.ok()) return done(outcome);
    const std::shared_ptr<Shared> shared = weak.lock();
    if (shared == nullptr) return;  // and nobody waits for it any more
    const Status handed_on = Guarded([&] {
      HandOn(*shared, merged, num_workers, done);
      return Status::Ok();
    });
    if (!handed_on.ok()) done(handed_on);
  });
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
