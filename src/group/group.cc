#include "group/group.h"

#include <utility>

#include "group/group_state.h"

namespace ps {

Group::Group(const Options& options, std::unique_ptr<ResultSink> sink)
    : sink_(std::move(sink)), state_(std::make_shared<State>(options, sink_.get())) {}
Group::~Group() { Close(); }

void Group::AddKey(const Key& key, int device, const std::function<void()>& make) {
  const std::shared_ptr<State> state = state_;  // which a group that ends meanwhile takes not away
  state->AddKey(key, device, make);
}
void Group::SetMerge(int key, MergeKind merge) { state_->SetMerge(key, merge); }
Ticket Group::Contribute(int key, int device, const TensorView& data, int priority) {
  const std::shared_ptr<State> state = state_;
  return state->Contribute(key, device, data, priority);
}
Ticket Group::Distribute(int key, int device, Delivery delivery, int priority) {
  return state_->Distribute(key, device, std::move(delivery), priority);
}
std::optional<Ticket> Group::LastOf(int key, int device) { return state_->LastOf(key, device); }
void Group::SetGone(int device, const std::string& why) {
  const std::shared_ptr<State> state = state_;
  state->SetGone(device, why);
}
void Group::Close() { state_->Close(); }

}  // namespace ps
