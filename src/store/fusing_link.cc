#include "store/fusing_link.h"

#include <algorithm>
#include <cstddef>
#include <exception>
#include <optional>
#include <string>

namespace ps {

// A request of a caller that travels with others: done when each of its servers has answered.
class FusedCall : public AnswerSink {
 public:
  FusedCall(std::size_t num_servers, std::shared_ptr<AnswerSink> sink)
      : open_(num_servers), unsent_(num_servers), sink_(std::move(sink)) {}

  // Messages of several servers end on several threads.
  Status OnAnswer(int server, const StoreAnswer& answer) override {
    MutexLock lock(mutex_);
    return sink_->OnAnswer(server, answer);
  }
  // In the end it lets go of the sink: what the sink tells knows this call.
  void OnDone(const Status& outcome) override {
    std::shared_ptr<AnswerSink> sink;
    Status first;
    {
      MutexLock lock(mutex_);
      if (outcome_.ok()) outcome_ = outcome;
      if (--open_ != 0) return;
      sink = std::move(sink_);
      first = outcome_;
    }
    sink->OnDone(first);
  }
  // One of its messages is on its way; null: it could not be sent.
  void Sent(const SentRequest* message) {
    MutexLock lock(mutex_);
    if (message != nullptr) messages_.push_back(*message);
    if (--unsent_ == 0) all_sent_.NotifyAll();
  }
  // Its messages, once all have been sent, by whichever thread. None at `deadline_ms`.
  std::optional<std::vector<SentRequest>> WaitUntilSent(std::int64_t deadline_ms) {
    MutexLock lock(mutex_);
    bool in_time = true;
    while (unsent_ != 0 && in_time) in_time = all_sent_.WaitUntil(mutex_, deadline_ms);
    if (unsent_ != 0) return std::nullopt;
    return messages_;
  }

 private:
  Mutex mutex_;
  CondVar all_sent_;
  std::size_t open_ PS_GUARDED_BY(mutex_);
  std::size_t unsent_ PS_GUARDED_BY(mutex_);
  std::shared_ptr<AnswerSink> sink_ PS_GUARDED_BY(mutex_);  // null in the end
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
    : ServerLink(link->message_limit()),
      link_(std::move(link)),
      fusion_(link_->num_servers(), bounds.Within(message_limit())) {}

SentRequest FusingLink::Send(std::vector<Addressed>&& requests, std::shared_ptr<AnswerSink> sink) {
  std::shared_ptr<FusedCall> call;
  {
    MutexLock lock(mutex_);
    const bool may_overtake = is_sending_ || !due_.empty();
    if (!closed_ && !requests.empty() && (holds_ > 0 || may_overtake)) {
      call = std::make_shared<FusedCall>(requests.size(), sink);
      for (Addressed& addressed : requests) fusion_.Add(std::move(addressed), call, &due_);
      if (holds_ == 0) fusion_.TakeAll(&due_);
    }
  }
  if (call == nullptr) return link_->Send(std::move(requests), std::move(sink));
  SendDue();
  return {0, std::move(call)};
}

// Without the lock: sending may wait for room.
void FusingLink::SendDue() {
  while (true) {
    std::vector<Fusion::Fused> due;
    {
      MutexLock lock(mutex_);
      if (is_sending_ || due_.empty()) return;
      is_sending_ = true;
      due.swap(due_);
    }
    for (Fusion::Fused& message : due) SendOne(std::move(message));
    MutexLock lock(mutex_);
    is_sending_ = false;
  }
}

void FusingLink::SendOne(Fusion::Fused&& message) {
  std::vector<Addressed> request;
  request.push_back({message.server, std::move(message.request)});
  const std::vector<Fusion::Fused::Piece> pieces = message.pieces;
  auto sink = std::make_shared<FusedSink>(std::move(message.pieces));
  const auto tell = [&pieces](const SentRequest* sent) {
    for (const Fusion::Fused::Piece& piece : pieces) static_cast<FusedCall&>(*piece.sink).Sent(sent);
  };
  Status failed;
  try {
    const SentRequest sent = link_->Send(std::move(request), sink);
    return tell(&sent);
  } catch (const Error& error) {
    failed = error.status();
  } catch (const std::exception& error) {
    failed = Status::ResourceExhausted(error.what());
  }
  sink->OnDone(failed);
  tell(nullptr);
}

Status FusingLink::WaitUntil(const SentRequest& request, std::int64_t deadline_ms) {
  if (request.fused == nullptr) return link_->WaitUntil(request, deadline_ms);
  SendGathered();
  const auto messages = request.fused->WaitUntilSent(deadline_ms);
  if (!messages) return Status::DeadlineExceeded("the operation was not sent in the time given to this wait");
  for (const SentRequest& message : *messages) PS_RETURN_IF_ERROR(link_->WaitUntil(message, deadline_ms));
  return Status::Ok();
}

void FusingLink::Close() {
  {
    MutexLock lock(mutex_);
    closed_ = true;
  }
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
    fusion_.TakeAll(&due_);
  }
  SendDue();
}

void FusingLink::SendGathered() {
  {
    MutexLock lock(mutex_);
    fusion_.TakeAll(&due_);
  }
  SendDue();
}

}  // namespace ps
