#include "group/caller_stream.h"

#include <utility>

#include "base/copy.h"
#include "device/cpu_stream.h"

namespace ps {
namespace {

class PastEvent final : public Event {
 public:
  explicit PastEvent(Status outcome) : outcome_(std::move(outcome)) {}
  bool Done() override { return true; }
  Status Wait() override { return outcome_; }

 private:
  const Status outcome_;
};

}  // namespace

void CallerStream::Copy(void* to, const void* from, std::size_t bytes) { CopyBytes(to, from, bytes); }

void CallerStream::Run(std::function<void()> code) {
  const Status outcome = RunOn(device_, code);
  if (failure_.ok()) failure_ = outcome;
}

std::shared_ptr<Event> CallerStream::Record() { return std::make_shared<PastEvent>(failure_); }

void CallerStream::After(const std::shared_ptr<Event>& event) {
  // As of every stream: the other one tells of its failures.
  static_cast<void>(event->Wait());
}

Status CallerStream::Synchronize() { return std::exchange(failure_, Status::Ok()); }

}  // namespace ps
