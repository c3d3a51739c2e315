// libzmq alone, DEALER to ROUTER over loopback TCP: what a transport over it can not beat.
#include <unistd.h>
#include <zmq.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "tests/bench/floors/floor.h"
#include "tests/bench/floors/pattern.h"
#include "tests/bench/floors/peer.h"
#include "tests/bench/floors/stream.h"

namespace ps::floors {
namespace {

constexpr size_t kCopiedBytes = 4096;  // larger messages refer to the sender's memory
constexpr size_t kQueuedBytes = 32 << 20;

class Message {
 public:
  Message() { zmq_msg_init(&message_); }
  // Refers to `bytes`, or holds a copy of them if they are few.
  Message(char* bytes, size_t size) {
    if (size > kCopiedBytes) {
      const auto keep = [](void*, void*) {};
      Require(zmq_msg_init_data(&message_, bytes, size, keep, nullptr) == 0, "zmq_msg_init_data");
      return;
    }
    Require(zmq_msg_init_size(&message_, size) == 0, "zmq_msg_init_size");
    std::memcpy(zmq_msg_data(&message_), bytes, size);
  }
  ~Message() { zmq_msg_close(&message_); }
  Message(const Message&) = delete;
  Message& operator=(const Message&) = delete;

  zmq_msg_t* get() { return &message_; }
  const char* data() { return static_cast<const char*>(zmq_msg_data(&message_)); }
  size_t size() { return zmq_msg_size(&message_); }

 private:
  zmq_msg_t message_;
};

class Socket {
 public:
  Socket(int type, size_t bytes) : context_(zmq_ctx_new()), socket_(zmq_socket(context_, type)) {
    Require(socket_ != nullptr, "zmq_socket");
    const int queued = static_cast<int>(std::clamp<size_t>(kQueuedBytes / bytes, 2, 1000));
    const int linger = 0;
    zmq_setsockopt(socket_, ZMQ_SNDHWM, &queued, sizeof(queued));
    zmq_setsockopt(socket_, ZMQ_RCVHWM, &queued, sizeof(queued));
    zmq_setsockopt(socket_, ZMQ_LINGER, &linger, sizeof(linger));
  }
  ~Socket() {
    zmq_close(socket_);
    zmq_ctx_term(context_);
  }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  // Returns the endpoint.
  std::string Bind() {
    Require(zmq_bind(socket_, "tcp://127.0.0.1:*") == 0, "zmq_bind");
    char endpoint[64];
    size_t length = sizeof(endpoint);
    Require(zmq_getsockopt(socket_, ZMQ_LAST_ENDPOINT, endpoint, &length) == 0, "ZMQ_LAST_ENDPOINT");
    return endpoint;
  }
  void Connect(const std::string& endpoint) {
    Require(zmq_connect(socket_, endpoint.c_str()) == 0, "zmq_connect");
  }
  void Send(Message* message, int flags) {
    Require(zmq_msg_send(message->get(), socket_, flags) >= 0, "zmq_msg_send");
  }
  void Receive(Message* message) { Require(zmq_msg_recv(message->get(), socket_, 0) >= 0, "zmq_msg_recv"); }

 private:
  void* const context_;
  void* const socket_;
};

void CheckMessage(Message* message, size_t bytes) {
  Require(message->size() == bytes, "a message of another size");
  CheckPattern(message->data(), bytes, kCheckStride);
}

// A DEALER here; in a second process `serve` with a ROUTER.
class ZmqFloor : public Floor {
 protected:
  ZmqFloor(const Task& task, void (*serve)(const Task&, Socket*))
      : task_(task),
        buffer_(task.bytes),
        endpoint_(static_cast<char*>(MapShared(64))),
        peer_([this, serve] { Serve(serve); }),
        dealer_(ZMQ_DEALER, task.bytes) {
    FillPattern(buffer_.data(), buffer_.size());
    char bound = 0;
    Require(read(bound_.ends[0], &bound, 1) == 1, "the other process has not bound its socket");
    dealer_.Connect(endpoint_);
  }

  const Task task_;
  std::vector<char> buffer_;

 private:
  struct Pipe {
    Pipe() { Require(pipe(ends) == 0, "pipe"); }
    ~Pipe() {
      close(ends[0]);
      close(ends[1]);
    }
    int ends[2];
  };

  void Serve(void (*serve)(const Task&, Socket*)) {
    Socket router(ZMQ_ROUTER, task_.bytes);
    std::strcpy(endpoint_, router.Bind().c_str());
    Require(write(bound_.ends[1], "", 1) == 1, "write");
    serve(task_, &router);
  }

  char* const endpoint_;
  Pipe bound_;
  Peer peer_;

 protected:
  Socket dealer_;
};

class ZmqPing : public ZmqFloor {
 public:
  explicit ZmqPing(const Task& task) : ZmqFloor(task, Echo) {}

  Figures Run() override {
    return bench::LatencyFigures(bench::TimeEach(task_.count, kPingLimitS, [this] {
      Message there(buffer_.data(), buffer_.size());
      dealer_.Send(&there, 0);
      Message back;
      dealer_.Receive(&back);
      CheckMessage(&back, task_.bytes);
    }));
  }

 private:
  static void Echo(const Task&, Socket* router) {
    while (true) {
      Message from, message;
      router->Receive(&from);
      router->Receive(&message);
      router->Send(&from, ZMQ_SNDMORE);
      router->Send(&message, 0);
    }
  }
};

class ZmqStream : public ZmqFloor {
 public:
  explicit ZmqStream(const Task& task) : ZmqFloor(task, Drain) {}

  Figures Run() override {
    const auto start = bench::SteadyClock::now();
    for (int i = MessagesOf(task_); i > 0; --i) {
      Message message(buffer_.data(), buffer_.size());
      dealer_.Send(&message, 0);
    }
    Message confirmed;
    dealer_.Receive(&confirmed);
    return StreamFigures(task_, bench::SecondsSince(start));
  }

 private:
  static void Drain(const Task& task, Socket* router) {
    while (true) {
      Message from;
      for (int i = MessagesOf(task); i > 0; --i) {
        Message message;
        router->Receive(&from);
        router->Receive(&message);
        CheckMessage(&message, task.bytes);
      }
      Message confirmed;
      router->Send(&from, ZMQ_SNDMORE);
      router->Send(&confirmed, 0);
    }
  }
};

}  // namespace

std::unique_ptr<Floor> MakeZmqPing(const Task& task) { return std::make_unique<ZmqPing>(task); }
std::unique_ptr<Floor> MakeZmqStream(const Task& task) { return std::make_unique<ZmqStream>(task); }

}  // namespace ps::floors
