#include "store/fusing_link.h"

#include <algorithm>
#include <cstddef>
#include <string>

namespace ps {

// A request of a caller that travels with others: done when each of its servers has answered.
class FusedCall : public AnswerSink {
 public:
  FusedCall(std::size_t num_servers, std::shared_ptr<AnswerSink> sink)
      : open_(num_servers), sink_(std::move(sink)) {}

  // Messages of several servers end on several threads.
  Status OnAnswer(int server, const StoreAnswer& answer) override {
    MutexLock lock(mutex_);
    return sink_->OnAnswer(server, answer);
  }
  void OnDone(const Status& outcome) override {
    MutexLock lock(mutex_);
    if (outcome_.ok()) outcome_ = outcome;
    if (--open_ == 0) sink_->OnDone(outcome_);
  }
  // One of its messages is on its way.
  void Sent(const SentRequest& message) {
    MutexLock lock(mutex_);
    messages_.push_back(message);
  }
  std::vector<SentRequest> messages() {
    MutexLock lock(mutex_);
    return messages_;
  }

 private:
  Mutex mutex_;
  std::size_t open_ PS_GUARDED_BY(mutex_);
  const std::shared_ptr<AnswerSink> sink_;
  Status outcome_ PS_GUARDED_BY(mutex_);
  std::vector<SentRequest> messages_ PS_GUARDED_BY(mutex_);
};

namespace {

// Takes the answer to a message of several requests apart.
class FusedSink : public AnswerSink {
 public:
  explicit FusedSink(std::vector<Fusion::Fused::Piece> pieces)
      : pieces_(std::move(pieces)), outcomes_(pieces_.size()) {}

  Status OnAnswer(int server, const StoreAnswer& answer) override {
    std::size_t op = 0;
    std::size_t key = 0;
    std::size_t byte = 0;
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      StoreAnswer part;
      const std::size_t first_key = key;
      const std::size_t first_byte = byte;
      std::size_t end_byte = byte;
      for (std::size_t n = 0; n < pieces_[i].num_ops; ++n, ++op) {
        if (op == answer.replies.size())
          return Status::Internal("server " + std::to_string(server) + " answered too few operations");
        part.replies.push_back(answer.replies[op]);
        key += answer.replies[op].num_keys;
        end_byte = byte + answer.replies[op].num_bytes;
        byte = std::min(answer.vals.size(), AlignedValues(end_byte));
      }
      part.keys = answer.keys.segment(first_key, key);
      part.vals = answer.vals.segment(first_byte, end_byte);
      outcomes_[i] = pieces_[i].sink->OnAnswer(server, part);
    }
    return Status::Ok();
  }
  void OnDone(const Status& outcome) override {
    for (std::size_t i = 0; i < pieces_.size(); ++i)
      pieces_[i].sink->OnDone(outcome.ok() ? outcomes_[i] : outcome);
  }

 private:
  const std::vector<Fusion::Fused::Piece> pieces_;
  std::vector<Status> outcomes_;
};

}  // namespace

FusingLink::FusingLink(std::unique_ptr<ServerLink> link, const Fusion::Bounds& bounds)
    : link_(std::move(link)), fusion_(link_->num_servers(), bounds) {}

SentRequest FusingLink::Send(std::vector<Addressed>&& requests, std::shared_ptr<AnswerSink> sink) {
  std::vector<Fusion::Fused> due;
  std::shared_ptr<FusedCall> call;
  {
    MutexLock lock(mutex_);
    if (holds_ > 0 && !requests.empty()) {
      call = std::make_shared<FusedCall>(requests.size(), sink);
      for (Addressed& addressed : requests) fusion_.Add(std::move(addressed), call, &due);
    }
  }
  if (call == nullptr) return link_->Send(std::move(requests), std::move(sink));
  Send(link_.get(), std::move(due));
  return {0, std::move(call)};
}

void FusingLink::Send(ServerLink* link, std::vector<Fusion::Fused>&& fused) {
  for (Fusion::Fused& message : fused) {
    std::vector<Addressed> request;
    request.push_back({message.server, std::move(message.request)});
    const std::vector<Fusion::Fused::Piece> pieces = message.pieces;
    auto sink = std::make_shared<FusedSink>(std::move(message.pieces));
    try {
      const SentRequest sent = link->Send(std::move(request), sink);
      for (const Fusion::Fused::Piece& piece : pieces) static_cast<FusedCall&>(*piece.sink).Sent(sent);
    } catch (const Error& error) {
      sink->OnDone(error.status());
    }
  }
}

Status FusingLink::WaitUntil(const SentRequest& request, std::int64_t deadline_ms) {
  if (request.fused == nullptr) return link_->WaitUntil(request, deadline_ms);
  SendGathered();
  for (const SentRequest& message : request.fused->messages())
    PS_RETURN_IF_ERROR(link_->WaitUntil(message, deadline_ms));
  return Status::Ok();
}

void FusingLink::Close() {
  SendGathered();
  link_->Close();
}

void FusingLink::Hold() {
  MutexLock lock(mutex_);
  ++holds_;
}

void FusingLink::Release() {
  {
    MutexLock lock(mutex_);
    if (--holds_ > 0) return;
  }
  SendGathered();
}

void FusingLink::SendGathered() {
  std::vector<Fusion::Fused> due;
  {
    MutexLock lock(mutex_);
    fusion_.TakeAll(&due);
  }
  Send(link_.get(), std::move(due));
}

}  // namespace ps
