#include "ps/van.h"

#include <algorithm>
#include <climits>
#include <exception>
#include <utility>

#include "base/log.h"
#include "message/codec.h"
#include "transport/factory.h"
#include "van/node_van.h"

namespace ps {
namespace {

template <typename HandOn>
void HandOnGuarded(HandOn hand_on) {
  try {
    hand_on();
  } catch (const std::exception& error) {
    PS_LOG(kError, "", "a received message was dropped: " << error.what());
  }
}

}  // namespace

void VanSink::OnMessages(std::vector<Message>* messages) {
  for (Message& message : *messages) HandOnGuarded([&] { OnMessage(std::move(message)); });
}

void VanSink::OnAnswers(const std::vector<BareAnswer>& answers) {
  for (const BareAnswer& answer : answers) HandOnGuarded([&] { OnMessage(answer.AsMessage()); });
}

Van::Van(const Config& config, TransportFactory transport)
    : request_timeout_ms_(config.request_timeout_ms),
      core_(std::make_unique<NodeVan>(config, std::move(transport))) {}

Van::~Van() { core_->Close(); }

int Van::Send(const Message& message) {
  ThrowIfError(CheckSendable(message));
  Message copy = message;
  SendOptions options;
  options.room_timeout_ms = request_timeout_ms_;
  ThrowIfError(core_->Send(std::move(copy), options));
  return static_cast<int>(std::min<int64_t>(message.meta.data_size, INT_MAX));
}

const Node& Van::my_node() const {
  if (core_->state().node.id == Node::kEmpty) {
    ThrowIfError(Status::FailedPrecondition("this node has no id yet: call Start() first"));
  }
  // Set once, before the roster made the Van ready, and kept after Finalize; a reference stays good for the
  // Van's life.
  std::call_once(node_once_, [this] { node_ = core_->state().node; });
  return node_;
}

int Van::GetTimestamp() { return next_timestamp_.fetch_add(1); }

bool Van::IsReady() const { return core_->state().is_ready; }

Result<std::unique_ptr<Van>> DefaultVan(const Config& config) {
  Result<TransportFactory> factory = MakeTransportFactory(config);
  PS_RETURN_IF_ERROR(factory.status());
  return std::make_unique<Van>(config, std::move(factory).value());
}

}  // namespace ps
