#include "transport/shm/inlets.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "transport/sink_batch.h"

namespace ps {

Status Inlets::Add(uint64_t tag, Reception::Guest guest) {
  auto inlet = std::make_unique<Inlet>(tag, std::move(guest));
  PS_RETURN_IF_ERROR(poll_set_->Add(inlet->fd(), tag));
  inlet->BeginSleep(Sleeper::kInPoll);  // until somebody looks
  inlets_.push_back(std::move(inlet));
  return Status::Ok();
}

Inlet* Inlets::Find(uint64_t tag) {
  const auto found = std::find_if(inlets_.begin(), inlets_.end(),
                                  [tag](const std::unique_ptr<Inlet>& inlet) { return inlet->tag() == tag; });
  return found == inlets_.end() ? nullptr : found->get();
}

int Inlets::Drain(FrameSink* sink, int most) {
  int count = 0;
  bool some_are_done = false;
  const size_t number = inlets_.size();
  {
    const SinkBatch batch(sink);
    for (size_t i = 0; i < number && count < most; ++i) {
      Inlet& inlet = *inlets_[(next_ + i) % number];
      count += inlet.Drain(sink, most - count);
      some_are_done = some_are_done || inlet.is_done();
    }
  }
  if (number > 0) next_ = (next_ + 1) % number;
  if (some_are_done) ForgetDone(sink);
  return count;
}

void Inlets::ForgetDone(FrameSink* sink) {
  const auto first_done = std::stable_partition(
      inlets_.begin(), inlets_.end(), [](const std::unique_ptr<Inlet>& inlet) { return !inlet->is_done(); });
  std::vector<std::unique_ptr<Inlet>> done(std::make_move_iterator(first_done),
                                           std::make_move_iterator(inlets_.end()));
  inlets_.erase(first_done, inlets_.end());
  for (const std::unique_ptr<Inlet>& inlet : done) {
    poll_set_->Remove(inlet->fd());
    if (!inlet->hello().is_reply) sink->OnPeerClosed(inlet->path());
  }
}

bool Inlets::HasMore() const {
  return std::any_of(inlets_.begin(), inlets_.end(),
                     [](const std::unique_ptr<Inlet>& inlet) { return inlet->HasMore(); });
}

bool Inlets::BeginSleep(Sleeper sleeper) {
  for (const std::unique_ptr<Inlet>& inlet : inlets_) inlet->BeginSleep(sleeper);
  return !HasMore();
}

void Inlets::GetWords(Inlet::Words* words) const {
  for (const std::unique_ptr<Inlet>& inlet : inlets_) inlet->AddWord(words);
}

bool Inlets::ArmPoll() {
  for (const std::unique_ptr<Inlet>& inlet : inlets_) inlet->ArmPoll();
  return !HasMore();
}

void Inlets::EndSleep() {
  for (const std::unique_ptr<Inlet>& inlet : inlets_) inlet->EndSleep();
}

}  // namespace ps
