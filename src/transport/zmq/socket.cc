#include "transport/zmq/socket.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

namespace ps {
namespace {

// A socket per peer; what is not used costs twelve bytes.
constexpr int kMaxSockets = 16384;

// What a lent message refers to. The claim stands first: its room is given back when the bytes are free.
struct Lent {
  std::shared_ptr<void> claim;
  SArray<char> bytes;
};

extern "C" void ReleaseLent(void* /*data*/, void* hint) {
  std::unique_ptr<Lent>(static_cast<Lent*>(hint)).reset();
}

IoResult ResultOfError(int error) {
  if (error == EAGAIN) return IoResult::kNothing;
  return error == EHOSTUNREACH ? IoResult::kGone : IoResult::kFailed;
}

Status ResourceError(const std::string& what, int error) {
  std::string text = what + ": " + ZmqErrorText(error);
  if (error == EMFILE) text += "; raise the limit of open files (ulimit -n)";
  return Status::ResourceExhausted(text);
}

}  // namespace

ZmqMessage::ZmqMessage(size_t size) {
  if (zmq_msg_init_size(&message_, size) != 0) throw std::bad_alloc();
}

ZmqMessage::ZmqMessage(const void* bytes, size_t size) : ZmqMessage(size) {
  if (size > 0) std::memcpy(data(), bytes, size);
}

ZmqMessage::ZmqMessage(const SArray<char>& bytes, std::shared_ptr<void> claim) {
  auto lent = std::make_unique<Lent>(Lent{std::move(claim), bytes});
  if (zmq_msg_init_data(&message_, bytes.data(), bytes.size(), &ReleaseLent, lent.get()) != 0)
    throw std::bad_alloc();
  lent.release();  // ReleaseLent owns it now
}

ZmqMessage::ZmqMessage(ZmqMessage&& other) noexcept : ZmqMessage() {
  zmq_msg_move(&message_, &other.message_);
}

SArray<char> ArrayOf(ZmqMessage&& message) {
  const auto owner = std::make_shared<ZmqMessage>(std::move(message));
  SArray<char> array;
  array.reset(owner->data(), owner->size(), [owner](char*) {});
  return array;
}

Result<std::shared_ptr<ZmqContext>> ZmqContext::Make(int io_threads) {
  void* handle = zmq_ctx_new();
  if (handle == nullptr) return ResourceError("cannot make a ZeroMQ context", zmq_errno());
  auto context = std::make_shared<ZmqContext>(handle);
  if (zmq_ctx_set(handle, ZMQ_IO_THREADS, io_threads) != 0 ||
      zmq_ctx_set(handle, ZMQ_MAX_SOCKETS, kMaxSockets) != 0) {
    return Status::InvalidArgument("ZeroMQ refuses " + std::to_string(io_threads) + " io threads");
  }
  return context;
}

void ZmqContext::Terminate() {
  if (handle_ == nullptr) return;
  // A signal interrupts it; it goes on where it was.
  while (zmq_ctx_term(handle_) != 0 && zmq_errno() == EINTR) {
  }
  handle_ = nullptr;
}

Result<std::unique_ptr<ZmqSocket>> ZmqSocket::Open(const ZmqContext& context, int type) {
  void* handle = zmq_socket(context.handle(), type);
  if (handle == nullptr) return ResourceError("cannot open a ZeroMQ socket", zmq_errno());
  auto socket = std::make_unique<ZmqSocket>(handle);
  PS_RETURN_IF_ERROR(socket->SetInt(ZMQ_LINGER, 0));
  return socket;
}

Status ZmqSocket::Set(int option, const void* value, size_t size) {
  if (zmq_setsockopt(handle_, option, value, size) == 0) return Status::Ok();
  return Status::Internal("ZeroMQ refuses option " + std::to_string(option) + ": " +
                          ZmqErrorText(zmq_errno()));
}

Status ZmqSocket::SetInt(int option, int value) { return Set(option, &value, sizeof(value)); }

Status ZmqSocket::SetInt64(int option, int64_t value) { return Set(option, &value, sizeof(value)); }

Status ZmqSocket::SetText(int option, const std::string& value) {
  return Set(option, value.data(), value.size());
}

int ZmqSocket::Bind(const std::string& endpoint) {
  return zmq_bind(handle_, endpoint.c_str()) == 0 ? 0 : zmq_errno();
}

int ZmqSocket::Connect(const std::string& endpoint) {
  return zmq_connect(handle_, endpoint.c_str()) == 0 ? 0 : zmq_errno();
}

int ZmqSocket::Monitor(const char* endpoint, int events) {
  return zmq_socket_monitor(handle_, endpoint, events) == 0 ? 0 : zmq_errno();
}

std::string ZmqSocket::LastEndpoint() const {
  std::array<char, 256> text{};
  size_t size = text.size();
  if (zmq_getsockopt(handle_, ZMQ_LAST_ENDPOINT, text.data(), &size) != 0) return "";
  return std::string(text.data());
}

int ZmqSocket::Descriptor() const {
  int descriptor = -1;
  size_t size = sizeof(descriptor);
  return zmq_getsockopt(handle_, ZMQ_FD, &descriptor, &size) == 0 ? descriptor : -1;
}

bool ZmqSocket::Readable() const {
  int events = 0;
  size_t size = sizeof(events);
  return zmq_getsockopt(handle_, ZMQ_EVENTS, &events, &size) == 0 && (events & ZMQ_POLLIN) != 0;
}

IoResult ZmqSocket::Send(ZmqMessage* message, bool more) {
  const int flags = ZMQ_DONTWAIT | (more ? ZMQ_SNDMORE : 0);
  while (zmq_msg_send(&message->message_, handle_, flags) < 0) {
    if (zmq_errno() != EINTR) return ResultOfError(zmq_errno());
  }
  return IoResult::kDone;
}

IoResult ZmqSocket::Receive(ZmqMessage* message) {
  while (zmq_msg_recv(&message->message_, handle_, ZMQ_DONTWAIT) < 0) {
    if (zmq_errno() != EINTR) return ResultOfError(zmq_errno());
  }
  return IoResult::kDone;
}

void ZmqSocket::Close(int linger_ms) {
  if (handle_ == nullptr) return;
  zmq_setsockopt(handle_, ZMQ_LINGER, &linger_ms, sizeof(linger_ms));
  zmq_close(handle_);
  handle_ = nullptr;
}

std::string ZmqErrorText(int error) { return zmq_strerror(error); }

}  // namespace ps
