#include "app/kv_request.h"

#include <utility>

#include "base/log.h"
#include "ps/kv_worker.h"

namespace ps {
namespace {

struct RunningCallback {
  const Status* outcome;
  bool* observed;
};

thread_local const RunningCallback* running = nullptr;

}  // namespace

KVRequest::KVRequest(std::optional<Gather> gather, std::function<void()> callback)
    : gather_(std::move(gather)), callback_(std::move(callback)) {}

KVRequest::KVRequest(const Gather::Pull& pull, int rank, SArray<Key> keys, std::function<void()> callback)
    : gather_(std::in_place, pull, rank, std::move(keys)), callback_(std::move(callback)) {}

Status KVRequest::OnAnswer(const Message& answer) {
  return gather_ ? gather_->Add(answer.meta.sender, answer) : Status::Ok();
}

Status KVRequest::OnDone(const Status& so_far) {
  Status outcome = so_far;
  try {
    if (outcome.ok() && gather_) outcome = gather_->Write();
  } catch (const std::exception& error) {
    outcome = Status::ResourceExhausted(std::string("no memory for what was pulled: ") + error.what());
  }
  gather_.reset();
  if (callback_) RunCallback(outcome);
  return outcome;
}

void KVRequest::RunCallback(const Status& outcome) {
  // Moved out, so that what it holds goes before Wait returns.
  const std::function<void()> callback = std::move(callback_);
  callback_ = nullptr;
  const RunningCallback here{&outcome, &observed_};
  const RunningCallback* const before = running;
  running = &here;
  try {
    callback();
  } catch (const std::exception& error) {
    PS_LOG(kError, "", "the callback of a request threw: " << error.what());
  } catch (...) {
    PS_LOG(kError, "", "the callback of a request threw");
  }
  running = before;
}

Status KVRequest::OfCallback() {
  if (running == nullptr) return Status::Ok();
  *running->observed = true;
  return *running->outcome;
}

Status CallbackStatus() { return KVRequest::OfCallback(); }

}  // namespace ps
