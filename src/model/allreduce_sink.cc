#include "model/allreduce_sink.h"

#include <string>
#include <utility>

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
  merged.Own(scratch_.get());  // it becomes the sum: not in a device's array
  // The round is in the name: a worker that skips one (its merge has failed) is missed in that one, and all
  // later ones belong together as before.
  const Agreement agreed = AgreementOf(merged.key);
  const TensorView values = merged.values.view();
  const Ticket summed = collective_->AllreduceAsync(values, ReduceOp::kSum,
                                                    PrefixOf(merged.key) + std::to_string(merged.round));
  const auto round = std::make_shared<Round>(
      Round{shared_, std::move(merged), agreed, collective_->size(), std::move(done)});
  summed.Then([round](const Status& outcome) {
    if (!outcome.ok() || round->agreed.ticket.Done()) return Finish(*round, outcome);
    round->agreed.ticket.Then([round](const Status&) { Finish(*round, Status::Ok()); });
  });
}

std::string AllreduceSink::PrefixOf(int key) const {
  return "sm/" + shared_->options.model + "/" + std::to_string(key) + "/";
}

// With the first round of a key that it has, each worker says its scale, and hears which ones there are.
// Nobody asks again where that has failed: who has heard the others would not answer.
// Calls for one key come one after the other.
AllreduceSink::Agreement AllreduceSink::AgreementOf(int key) {
  {
    MutexLock lock(mutex_);
    const auto found = agreements_.find(key);
    if (found != agreements_.end()) return found->second;
  }
  Agreement made{Ticket(), std::make_shared<Scales>()};
  (*made.scales)[shared_->options.mean ? kMean : kSum] = 1;
  TensorView view;
  view.data = made.scales->data();
  view.shape = {static_cast<std::int64_t>(made.scales->size())};
  view.dtype = DType::kI32;
  made.ticket = collective_->AllreduceAsync(view, ReduceOp::kMax, PrefixOf(key) + "scale");
  made.ticket.Then([keep = made.scales](const Status&) {});
  MutexLock lock(mutex_);
  return agreements_[key] = made;
}

void AllreduceSink::Finish(const Round& round, const Status& outcome) {
  const std::shared_ptr<Shared> shared = round.shared.lock();
  if (shared == nullptr) return;  // and nobody waits for it any more
  const Status done = Guarded([&] {
    ThrowIfError(outcome);
    ThrowIfError(CheckScales(*shared, round.agreed));
    HandOn(*shared, round);
    return Status::Ok();
  });
  if (!done.ok()) round.done(done);
}

// Once it is known.
Status AllreduceSink::CheckScales(const Shared& shared, const Agreement& agreed) {
  const Status known = agreed.ticket.WaitFor({});
  if (!known.ok())
    return Status(known.code(),
                  "it is not known whether all workers have the same scale: " + known.message());
  const Scales& scales = *agreed.scales;
  if (scales[kSum] == 0 || scales[kMean] == 0) return Status::Ok();
  const bool mean = shared.options.mean;
  return Status::InvalidArgument(std::string("this worker has scale=") + (mean ? "mean" : "sum") +
                                 ", and others have scale=" + (mean ? "sum" : "mean") + ": set the same one");
}

void AllreduceSink::HandOn(const Shared& shared, const Round& round) {
  const Tensor& values = round.merged.values;
  if (shared.options.mean && round.num_workers > 1) {
    CallerStream stream;
    ThrowIfError(Scale(&stream, values.view(), 1.0 / round.num_workers));
    ThrowIfError(stream.Synchronize());
  }
  if (shared.next == nullptr) return round.done(values);
  shared.next->Take(Merged(round.merged), round.done);
}

void AllreduceSink::Read(int key, int priority, Done done) { next_->Read(key, priority, std::move(done)); }

void AllreduceSink::Close() {
  collective_->LetGo("sm/" + shared_->options.model + "/");  // others may still want the sums
  if (next_ != nullptr) next_->Close();
}

}  // namespace ps
