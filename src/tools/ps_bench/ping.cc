#include "tools/ps_bench/ping.h"

#include <cstdio>
#include <memory>
#include <optional>
#include <stdexcept>

#include "base/address.h"
#include "ps/environment.h"
#include "tools/ps_bench/turns.h"
#include "transport/factory.h"
#include "van/control.h"
#include "van/handshake.h"
#include "van/identity.h"
#include "van/listen.h"

namespace ps::bench {
namespace {

// Keeps the answer to our question.
class AnswerSink : public FrameSink {
 public:
  explicit AnswerSink(uint64_t asker) : asker_(asker) {}

  void OnFrame(Frame&& frame, const ReturnPath&) override {
    const Result<Header> header = DecodeHeader(frame.head.data(), frame.head.size());
    if (!header.ok() || header.value().kind != FrameKind::kHandshake) return;
    const Result<HandshakeParts> parts = ReadHandshake(header.value(), frame);
    if (!parts.ok() || header.value().receiver_incarnation != asker_) return;
    step_ = static_cast<HandshakeStep>(header.value().head);
    has_token_ = parts.value().proof.has_token;
    const Result<Notice> notice = DecodeNotice(parts.value().body);
    text_ = notice.ok() ? notice.value().text : notice.status().message();
  }

  bool TakeAnswered() {
    const bool answered = step_.has_value();
    if (answered) last_step_ = *step_;
    step_.reset();
    return answered;
  }
  std::string Saying() const {
    if (last_step_ == HandshakeStep::kChallenge) return "it belongs to a job with a PS_JOB_TOKEN";
    if (!has_token_) return "it belongs to a job without PS_JOB_TOKEN";
    return "it refuses: " + text_;
  }

 private:
  const uint64_t asker_;
  std::optional<HandshakeStep> step_;  // of an answer nobody has looked at
  HandshakeStep last_step_{};
  bool has_token_ = false;
  std::string text_;
};

// Where the job is, and its keys; the rest of the environment does not matter.
Result<Config> ConfigOf(const PingOptions& options) {
  Environment::Map entries = {{"DMLC_ROLE", "worker"}, {"DMLC_NUM_WORKER", "1"}, {"DMLC_NUM_SERVER", "1"}};
  if (!options.scheduler.empty()) {
    const Result<Address> address = ParseAddress(options.scheduler);
    PS_RETURN_IF_ERROR(address.status());
    entries["DMLC_PS_ROOT_URI"] = address.value().host;
    entries["DMLC_PS_ROOT_PORT"] = std::to_string(address.value().port);
  }
  return Config::FromEnvironment(Environment(entries));
}

Frame Question(const Handshake& handshake) {
  Registration nobody;
  nobody.node.role = Node::WORKER;
  nobody.node.hostname = "ps-bench-ping";  // for whoever reads the log over there
  nobody.node.port = 1;                    // must be one; nobody listens there
  nobody.node.incarnation = handshake.my_incarnation();
  return handshake.Register(EncodeRegistration(nobody), Digest{});
}

// Microseconds until the answer came.
Result<double> AskOnce(const Frame& question, Link* link, Transport* transport, AnswerSink* sink,
                       double timeout_s) {
  const SteadyClock::time_point start = SteadyClock::now();
  if (link->TrySend(question) != SendResult::kSent)
    return Status::Unavailable("the question can not be sent");
  while (!sink->TakeAnswered()) {
    const double left = timeout_s - SecondsSince(start);
    if (left <= 0) return Status::DeadlineExceeded("no answer");
    transport->Poll(sink, static_cast<int>(left * 1000) + 1);
  }
  return SecondsSince(start) * 1e6;
}

Status AskAll(const Config& config, const PingOptions& options) {
  const Result<TransportFactory> factory = MakeTransportFactory(config);
  PS_RETURN_IF_ERROR(factory.status());
  const Result<std::unique_ptr<Transport>> transport = factory.value()(0);
  PS_RETURN_IF_ERROR(transport.status());
  const Address root = RootAddress(config);
  const Result<std::unique_ptr<Link>> link = transport.value()->Connect(root);
  PS_RETURN_IF_ERROR(link.status());
  const Handshake handshake(RandomId(), "ping", Digest{});
  const Frame question = Question(handshake);
  AnswerSink sink(handshake.my_incarnation());
  std::vector<double> microseconds;
  for (int i = 0; i < options.count; ++i) {
    const Result<double> one =
        AskOnce(question, link.value().get(), transport.value().get(), &sink, options.timeout_s);
    if (!one.ok()) {
      return Status(one.status().code(), one.status().message() + " from " + root.ToString() + ": " +
                                             transport.value()->Probe(root));
    }
    if (i == 0)
      std::printf("%s answers after %.0f us, %s\n", root.ToString().c_str(), one.value(),
                  sink.Saying().c_str());
    if (i > 0) microseconds.push_back(one.value());
  }
  if (microseconds.empty()) return Status::Ok();
  const Spread spread = SpreadOf(microseconds);
  std::printf("then %zu round trips: %.0f us (%.0f to %.0f)\n", microseconds.size(), spread.median,
              spread.min, spread.max);
  return Status::Ok();
}

}  // namespace

int Ping(const PingOptions& options) {
  const Result<Config> config = ConfigOf(options);
  const Status outcome = config.ok() ? AskAll(config.value(), options) : config.status();
  if (outcome.ok()) return 0;
  std::fprintf(stderr, "ps_bench ping: %s\n", outcome.message().c_str());
  return 1;
}

}  // namespace ps::bench
