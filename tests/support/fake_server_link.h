// A ServerLink whose answers the test gives.
#ifndef PS_TESTS_SUPPORT_FAKE_SERVER_LINK_H_
#define PS_TESTS_SUPPORT_FAKE_SERVER_LINK_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "store/client_table.h"
#include "store/server_link.h"

namespace ps {

// For one thread: WaitUntil says whether the request is done already.
class FakeServerLink : public ServerLink {
 public:
  struct Sent {
    std::vector<Addressed> requests;
    std::shared_ptr<AnswerSink> sink;
    bool done = false;

    // Answers with one ok reply per operation, then ends.
    void Answer() {
      for (const Addressed& request : requests) {
        StoreAnswer answer;
        answer.replies.resize(request.request.ops.size());
        (void)sink->OnAnswer(request.server, answer);
      }
      End(Status::Ok());
    }
    void End(const Status& outcome) {
      done = true;
      sink->OnDone(outcome);
    }
  };

  explicit FakeServerLink(int num_servers = 2, int num_workers = 1)
      : num_servers_(num_servers), num_workers_(num_workers) {}

  int num_servers() const override { return num_servers_; }
  int num_workers() const override { return num_workers_; }
  int worker() const override { return 0; }
  void set_message_limit(std::uint64_t bytes) { limit_.bytes = bytes; }
  SentRequest Send(std::vector<Addressed>&& requests, std::shared_ptr<AnswerSink> sink) override {
    if (closed) ThrowIfError(Status::FailedPrecondition("closed"));
    sent.push_back(std::make_unique<Sent>(Sent{std::move(requests), std::move(sink), false}));
    return {static_cast<int>(sent.size()) - 1, nullptr};
  }
  Status WaitUntil(const SentRequest& request, std::int64_t) override {
    waited.push_back(request.timestamp);
    return sent.at(static_cast<std::size_t>(request.timestamp))->done ? Status::Ok()
                                                                      : Status::DeadlineExceeded("not yet");
  }
  Status CheckMayWait() override { return Status::Ok(); }
  bool Post(std::function<void()> code) override {
    if (!closed) posted.push_back(std::move(code));
    return !closed;
  }
  void Close() override { closed = true; }
  Status Barrier(std::int64_t) override { return Status::Ok(); }

  std::vector<std::unique_ptr<Sent>> sent;
  std::vector<int> waited;
  std::vector<std::function<void()>> posted;
  bool closed = false;

 private:
  const int num_servers_;
  const int num_workers_;
};

// A table of 6 rows on two servers, 0 to 2 and 3 to 5, whose client sends to `link`.
inline std::shared_ptr<ClientTable> SixRowTable(const std::shared_ptr<FakeServerLink>& link,
                                                const Consistency& consistency, bool auto_close = true) {
  TableSpec spec;
  spec.name = "w";
  spec.rows = 6;
  spec.min_split = 0;
  spec.consistency = consistency;
  spec.auto_close = auto_close;
  return ClientTable::Make({link, std::make_shared<Unacknowledged>(), nullptr}, spec, false, {0, 0}).value();
}

// Keeps what it is told.
class KeepingSink : public AnswerSink {
 public:
  Status OnAnswer(int server, const StoreAnswer& answer) override {
    answers.emplace_back(server, answer);
    return verdict;
  }
  void OnDone(const Status& outcome) override { outcomes.push_back(outcome); }

  std::vector<std::pair<int, StoreAnswer>> answers;
  std::vector<Status> outcomes;
  Status verdict;
};

inline StoreRequest RequestOf(OpCode code, std::vector<Key> keys = {}, std::size_t num_bytes = 0) {
  StoreRequest request;
  request.keys = SArray<Key>(keys);
  request.vals = SArray<char>(num_bytes, 'v');
  Op op;
  op.code = code;
  op.num_keys = keys.size();
  op.num_bytes = num_bytes;
  request.ops.push_back(op);
  return request;
}

}  // namespace ps

#endif  // PS_TESTS_SUPPORT_FAKE_SERVER_LINK_H_
