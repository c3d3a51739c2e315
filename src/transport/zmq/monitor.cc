#include "transport/zmq/monitor.h"

#include <cstdint>
#include <cstring>

namespace ps {
namespace {

constexpr const char* kEndpoint = "inproc://monitor";

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

}  // namespace

Result<std::unique_ptr<Monitor>> Monitor::Attach(const ZmqContext& context, ZmqSocket* socket) {
  Result<std::unique_ptr<ZmqSocket>> reports = ZmqSocket::Open(context, ZMQ_PAIR);
  if (!reports.ok()) return reports.status();
  // Without a bound: at a bound the library's thread would stand still.
  PS_RETURN_IF_ERROR(reports.value()->SetInt(ZMQ_RCVHWM, 0));
  int error = socket->Monitor(kEndpoint, ZMQ_EVENT_ACCEPTED | ZMQ_EVENT_DISCONNECTED);
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
    if (report.event != ZMQ_EVENT_ACCEPTED && report.event != ZMQ_EVENT_DISCONNECTED) continue;
    event->kind = report.event == ZMQ_EVENT_ACCEPTED ? ConnectionEvent::Kind::kAccepted
                                                     : ConnectionEvent::Kind::kClosed;
    event->fd = report.value;
    return true;
  }
  return false;
}

}  // namespace ps
