#include "store/network_link.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "app/customer_core.h"
#include "base/clock.h"
#include "postoffice/binding.h"
#include "postoffice/router.h"
#include "ps/postoffice.h"
#include "store/store_message.h"

namespace ps {
namespace {

// A server that runs without a store refuses as for any app: says what that means.
Status Explained(const Status& outcome) {
  if (outcome.message().find(NoCustomerText(kStoreApp)) == std::string::npos) return outcome;
  return Status(outcome.code(), outcome.message() +
                                    ": it serves no store. Servers of a store build a ps::StoreServer, call "
                                    "ps::RunServer, or are ps_node");
}

// Hands the answers of one request to the sink of the store.
class RequestAnswers : public RequestSink {
 public:
  explicit RequestAnswers(std::shared_ptr<AnswerSink> sink) : sink_(std::move(sink)) {}

  Status OnAnswer(const Message& answer) override {
    const Result<StoreAnswer> content = UnpackAnswer(answer);
    PS_RETURN_IF_ERROR(content.status());
    return sink_->OnAnswer(Postoffice::IDtoRank(answer.meta.sender), content.value());
  }
  Status OnDone(const Status& so_far) override {
    const Status outcome = Explained(so_far);
    sink_->OnDone(outcome);
    return outcome;
  }
  // A ticket tells it.
  bool observed() const override { return true; }

 private:
  const std::shared_ptr<AnswerSink> sink_;
};

class PostedCode : public RequestSink {
 public:
  explicit PostedCode(std::function<void()> code) : code_(std::move(code)) {}
  Status OnDone(const Status& so_far) override {
    code_();
    return so_far;
  }
  bool observed() const override { return true; }

 private:
  const std::function<void()> code_;
};

}  // namespace

NetworkLink::NetworkLink(Postoffice* postoffice)
    : ServerLink({static_cast<std::uint64_t>(postoffice->config().max_message_bytes)}),
      postoffice_(postoffice) {
  MakeCustomer(postoffice, kStoreApp, 0);
  // Answers are copied where they belong before OnAnswer returns.
  obj_->core().borrowing.of_answers.store(true);
  obj_->Open();
}

NetworkLink::~NetworkLink() { CloseCustomer(); }

int NetworkLink::num_servers() const { return postoffice_->num_servers(); }
int NetworkLink::num_workers() const { return postoffice_->num_workers(); }
int NetworkLink::worker() const { return postoffice_->my_rank(); }

SentRequest NetworkLink::Send(std::vector<Addressed>&& requests, std::shared_ptr<AnswerSink> sink) {
  CustomerCore& core = obj_->core();
  RequestTracker::Request request;
  for (const Addressed& addressed : requests)
    request.receivers.Add(Postoffice::ServerRankToID(addressed.server));
  request.sink = std::make_shared<RequestAnswers>(std::move(sink));
  request.direct = true;
  request.lent = true;
  const int timestamp = core.Issue(std::move(request));
  for (Addressed& addressed : requests) {
    Message message = PackRequest(std::move(addressed.request));
    message.meta.head = 0;
    message.meta.pull = true;
    message.meta.timestamp = timestamp;
    message.meta.recver = Postoffice::ServerRankToID(addressed.server);
    core.SendRequest(std::move(message));
  }
  return {timestamp, nullptr};
}

Status NetworkLink::WaitUntil(const SentRequest& request, std::int64_t deadline_ms) {
  constexpr std::int64_t kYearMs = 365LL * 24 * 3600 * 1000;  // a sum with the time of day must not overflow
  const std::int64_t left_ms = std::clamp<std::int64_t>(deadline_ms - Clock::Real().NowMs(), 0, kYearMs);
  return obj_->WaitFor(request.timestamp, std::chrono::milliseconds(left_ms));
}

Status NetworkLink::CheckMayWait() {
  if (CustomerCore::Current() != &obj_->core() && !RunsInlineHandle()) return Status::Ok();
  return Status::FailedPrecondition(
      "waiting inside a handle or a continuation of the same store would never end");
}

bool NetworkLink::Post(std::function<void()> code) {
  RequestTracker::Request request;  // nobody has to answer: it is done at once, on the customer's thread
  request.sink = std::make_shared<PostedCode>(std::move(code));
  try {
    obj_->core().Issue(std::move(request));
  } catch (const Error&) {
    return false;
  }
  return true;
}

Status NetworkLink::Barrier(std::int64_t timeout_ms) {
  return postoffice_->TryBarrier(0, kWorkerGroup, timeout_ms);
}

// All answers go to their sinks.
void NetworkLink::Process(const Message& message) {
  if (message.meta.request)
    obj_->core().SendError(message.meta,
                           Status::InvalidArgument(obj_->core().Describe() + " is no server of the store"));
}

}  // namespace ps
