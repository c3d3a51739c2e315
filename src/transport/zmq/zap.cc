#include "transport/zmq/zap.h"

#include <zmq.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <exception>
#include <utility>

#include "base/clock.h"
#include "base/log.h"
#include "transport/zmq/curve.h"

namespace ps {
namespace {

constexpr const char* kEndpoint = "inproc://zeromq.zap.01";
constexpr const char* kVersion = "1.0";
constexpr int64_t kLineEveryMs = 1000;
enum RequestFrame {
  kRequestVersion,
  kRequestId,
  kDomain,
  kAddress,
  kRoutingId,
  kMechanism,
  kKey,
  kNumFrames
};
constexpr size_t kStatus = 2;  // of a reply: version, request id, status, text, user, metadata
constexpr const char* kAdmitted = "200";

// False when the context has ended.
bool Receive(void* socket, ZapFrames* frames) {
  std::array<char, 256> part{};  // the longest are an address and a routing id
  for (int more = 1; more != 0;) {
    const int size = zmq_recv(socket, part.data(), part.size(), 0);
    if (size < 0 && zmq_errno() == EINTR) continue;
    if (size < 0) return false;
    frames->emplace_back(part.data(), std::min(static_cast<size_t>(size), part.size()));
    size_t bytes = sizeof(more);
    if (zmq_getsockopt(socket, ZMQ_RCVMORE, &more, &bytes) != 0) return false;
  }
  return true;
}

// Fails only when the context has ended.
void Send(void* socket, const ZapFrames& frames) {
  for (size_t i = 0; i < frames.size(); ++i) {
    const int flags = i + 1 < frames.size() ? ZMQ_SNDMORE : 0;
    while (zmq_send(socket, frames[i].data(), frames[i].size(), flags) < 0 && zmq_errno() == EINTR) {
    }
  }
}

// Answers one request. False when the context has ended.
bool ServeOne(void* socket, const std::string& admitted_key, int64_t* next_line_ms) {
  ZapFrames request;
  if (!Receive(socket, &request)) return false;
  const ZapFrames reply = AnswerZap(request, admitted_key);
  const int64_t now = Clock::Real().NowMs();
  if (reply[kStatus] != kAdmitted && now >= *next_line_ms) {
    *next_line_ms = now + kLineEveryMs;
    PS_LOG(kWarning, "",
           "refused a connection from " << (request.size() > kAddress ? request[kAddress] : "nowhere")
                                        << ": its key is not that of PS_CURVE_DIR");
  }
  Send(socket, reply);
  return true;
}

// Closes the socket with whoever holds it last: the thread, or who could not start it.
using SharedSocket = std::shared_ptr<void>;

// Until the context ends, whatever happens: without a handler the library would admit strangers.
void Serve(const SharedSocket& shared, const std::string& admitted_key) {
  void* const socket = shared.get();
  int64_t next_line_ms = 0;
  for (bool more = true; more;) {
    try {
      more = ServeOne(socket, admitted_key, &next_line_ms);
    } catch (const std::exception&) {
      zmq_send(socket, "", 0, 0);  // out of memory: no reply, which admits nobody, and on to the next
    }
  }
}

}  // namespace

ZapFrames AnswerZap(const ZapFrames& request, const std::string& admitted_key) {
  const std::string id = request.size() > kRequestId ? request[kRequestId] : "";
  if (request.size() <= kMechanism || request[kRequestVersion] != kVersion) {
    return {kVersion, id, "500", "no request", "", ""};
  }
  const bool is_member =
      request.size() == kNumFrames && request[kMechanism] == "CURVE" && request[kKey] == admitted_key;
  if (!is_member) return {kVersion, id, "400", "not of this job", "", ""};
  return {kVersion, id, kAdmitted, "", "job", ""};
}

Result<std::unique_ptr<ZapHandler>> ZapHandler::Start(const ZmqContext& context,
                                                      const std::string& public_key) {
  const Result<std::string> admitted_key = KeyBytes(public_key);
  if (!admitted_key.ok()) return admitted_key.status();
  void* const socket = zmq_socket(context.handle(), ZMQ_REP);
  if (socket == nullptr) {
    return Status::ResourceExhausted("cannot open a ZeroMQ socket: " + ZmqErrorText(zmq_errno()));
  }
  SharedSocket shared(socket, [](void* open) { zmq_close(open); });
  const int linger_ms = 0;
  zmq_setsockopt(socket, ZMQ_LINGER, &linger_ms, sizeof(linger_ms));
  if (zmq_bind(socket, kEndpoint) != 0) {
    return Status::Internal(std::string(kEndpoint) + ": " + ZmqErrorText(zmq_errno()));
  }
  return std::unique_ptr<ZapHandler>(new ZapHandler(std::move(shared), admitted_key.value()));
}

ZapHandler::ZapHandler(std::shared_ptr<void> socket, std::string admitted_key)
    : thread_("ps-zap", [socket = std::move(socket), key = std::move(admitted_key)]() mutable {
        Serve(socket, key);
        socket = nullptr;  // the context waits for this
      }) {}

}  // namespace ps
