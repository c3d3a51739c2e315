#include "transport/zmq/monitor.h"

#include <cerrno>
#include <cstdint>
#include <cstring>

namespace ps {
namespace {

constexpr const char* kEndpoint = "inproc://monitor";
constexpr int kEvents = ZMQ_EVENT_ACCEPTED | ZMQ_EVENT_DISCONNECTED | ZMQ_EVENT_HANDSHAKE_SUCCEEDED |
                        ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL | ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL |
                        ZMQ_EVENT_HANDSHAKE_FAILED_AUTH;

// The first part of a report: 16 bits of event, 32 bits of value, in the machine's order.
struct Report {
  uint16_t event = 0;
  int32_t value = 0;
};

Report ReportOf(ZmqMessage* message) {
  Report report;
  if (message->size() != sizeof(report.event) + sizeof(report.value)) return report;
  std::memcpy(&report.event, message->data(), sizeof(report.event));
  std::memcpy(&report.value, message->data() + sizeof(report.event), sizeof(report.value));
  return report;
}

ConnectionEvent::Kind KindOf(const Report& report) {
  switch (report.event) {
    case ZMQ_EVENT_ACCEPTED: return ConnectionEvent::Kind::kAccepted;
    case ZMQ_EVENT_DISCONNECTED: return ConnectionEvent::Kind::kClosed;
    case ZMQ_EVENT_HANDSHAKE_SUCCEEDED: return ConnectionEvent::Kind::kReady;
    case ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL: {
      const bool left = report.value == EPIPE || report.value == ECONNRESET;
      return left ? ConnectionEvent::Kind::kBrokenOff : ConnectionEvent::Kind::kRefused;
    }
    default: return ConnectionEvent::Kind::kRefused;
  }
}

}  // namespace

Result<std::unique_ptr<Monitor>> Monitor::Attach(const ZmqContext& context, ZmqSocket* socket) {
  Result<std::unique_ptr<ZmqSocket>> reports = ZmqSocket::Open(context, ZMQ_PAIR);
  if (!reports.ok()) return reports.status();
  // Without a bound: at a bound the library's thread would stand still.
  PS_RETURN_IF_ERROR(reports.value()->SetInt(ZMQ_RCVHWM, 0));
  int error = socket->Monitor(kEndpoint, kEvents);
  auto monitor = std::make_unique<Monitor>(socket, std::move(reports).value());
  if (error == 0) error = monitor->reports_->Connect(kEndpoint);
  if (error != 0)
    return Status::ResourceExhausted("cannot watch the connections of a socket: " + ZmqErrorText(error));
  return monitor;
}

bool Monitor::Read(ConnectionEvent* event) {
  ZmqMessage message;
  while (reports_->Receive(&message) == IoResult::kDone) {
    const bool first = message.more();  // the second part names the endpoint
    if (!first) continue;
    const Report report = ReportOf(&message);
    if ((report.event & kEvents) == 0) continue;
    event->kind = KindOf(report);
    event->fd = report.value;
    return true;
  }
  return false;
}

}  // namespace ps
