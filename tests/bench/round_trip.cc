// Push + Wait of one worker against one server, over ZeroMQ (loopback TCP) and in memory, beside the floor: a
// raw TCP round trip of as many bytes. Pairs are interleaved; a figure is the median of the ratios, with the
// smallest and largest.
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <thread>
#include <vector>

#include "ps/local_cluster.h"
#include "ps/ps.h"

namespace {

using ps::Config;
using ps::Postoffice;

constexpr int kPairs = 7;

double UsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
}

bool Transfer(int socket, char* bytes, size_t size, bool write) {
  for (size_t done = 0; done < size;) {
    const ssize_t moved = write ? send(socket, bytes + done, size - done, MSG_NOSIGNAL)
                                : recv(socket, bytes + done, size - done, 0);
    if (moved <= 0) return false;
    done += static_cast<size_t>(moved);
  }
  return true;
}

// The floor: `bytes` one way, one byte back, over loopback TCP.
class TcpFloor {
 public:
  explicit TcpFloor(size_t bytes) : bytes_(bytes) {
    const int listener = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof(address);
    CHECK_EQ(bind(listener, reinterpret_cast<sockaddr*>(&address), length), 0);
    CHECK_EQ(listen(listener, 1), 0);
    CHECK_EQ(getsockname(listener, reinterpret_cast<sockaddr*>(&address), &length), 0);
    near_ = socket(AF_INET, SOCK_STREAM, 0);
    CHECK_EQ(connect(near_, reinterpret_cast<sockaddr*>(&address), length), 0);
    far_ = accept(listener, nullptr, nullptr);
    close(listener);
    const int on = 1;
    setsockopt(near_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    setsockopt(far_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    echo_ = std::thread([this] {
      std::vector<char> buffer(bytes_);
      while (Transfer(far_, buffer.data(), bytes_, false) && Transfer(far_, buffer.data(), 1, true)) {
      }
    });
  }

  ~TcpFloor() {
    shutdown(near_, SHUT_RDWR);
    echo_.join();
    close(near_);
    close(far_);
  }

  void RoundTrip() {
    CHECK(Transfer(near_, buffer_.data(), bytes_, true));
    CHECK(Transfer(near_, buffer_.data(), 1, false));
  }

 private:
  const size_t bytes_;
  std::vector<char> buffer_ = std::vector<char>(bytes_);
  int near_ = -1;
  int far_ = -1;
  std::thread echo_;
};

// One worker and one server, each node on threads of this process.
class Pair {
 public:
  explicit Pair(bool zmq) {
    if (zmq) {
      for (const ps::Role role : {ps::Role::kScheduler, ps::Role::kServer, ps::Role::kWorker}) {
        Config config;
        config.role = role;
        config.root_port = FreePort();
        owned_.push_back(std::make_unique<Postoffice>(config));
        nodes_.push_back(owned_.back().get());
      }
    } else {
      cluster_ = std::make_unique<ps::LocalCluster>(1, 1);
      nodes_ = cluster_->nodes();
    }
    ForAll([](Postoffice* node) { node->Start(0, nullptr, true); });
    server_ = std::make_unique<ps::KVServer<float>>(nodes_[1], 0);
    server_->set_request_handle([](const ps::KVMeta& meta, const ps::KVPairs<float>&,
                                   ps::KVServer<float>* server) { server->Response(meta); });
    worker_ = std::make_unique<ps::KVWorker<float>>(nodes_[2], 0, 0);
  }

  ~Pair() {
    ForAll([](Postoffice* node) { node->Finalize(0, true); });
    worker_.reset();
    server_.reset();
  }

  ps::KVWorker<float>& worker() { return *worker_; }

 private:
  static void ForAll(const std::vector<Postoffice*>& nodes, const std::function<void(Postoffice*)>& step) {
    std::vector<std::thread> threads;
    for (Postoffice* node : nodes) threads.emplace_back(step, node);
    for (std::thread& thread : threads) thread.join();
  }
  void ForAll(const std::function<void(Postoffice*)>& step) { ForAll(nodes_, step); }

  // Chosen once per process; nobody else asks for ports here.
  static int FreePort() {
    static const int port = [] {
      const int probe = socket(AF_INET, SOCK_STREAM, 0);
      sockaddr_in address{};
      address.sin_family = AF_INET;
      address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
      socklen_t length = sizeof(address);
      CHECK_EQ(bind(probe, reinterpret_cast<sockaddr*>(&address), length), 0);
      CHECK_EQ(getsockname(probe, reinterpret_cast<sockaddr*>(&address), &length), 0);
      close(probe);
      return static_cast<int>(ntohs(address.sin_port));
    }();
    return port;
  }

  std::unique_ptr<ps::LocalCluster> cluster_;
  std::vector<std::unique_ptr<Postoffice>> owned_;
  std::vector<Postoffice*> nodes_;
  std::unique_ptr<ps::KVServer<float>> server_;
  std::unique_ptr<ps::KVWorker<float>> worker_;
};

struct Spread {
  double median, min, max;
};

Spread SpreadOf(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return {values[values.size() / 2], values.front(), values.back()};
}

void Measure(const char* name, Pair* pair, size_t floats, int count) {
  ps::SArray<ps::Key> keys = {1};
  ps::SArray<float> vals(floats, 1.0f);
  ps::SArray<int> lens = {static_cast<int>(floats)};
  TcpFloor floor(128 + floats * sizeof(float));
  std::vector<double> ratios, ours, floors;
  for (int i = -1; i < kPairs; ++i) {  // the first pair warms up
    auto start = std::chrono::steady_clock::now();
    for (int n = 0; n < count; ++n) floor.RoundTrip();
    const double floor_us = UsSince(start) / count;
    start = std::chrono::steady_clock::now();
    for (int n = 0; n < count; ++n) pair->worker().Wait(pair->worker().ZPush(keys, vals, lens));
    const double our_us = UsSince(start) / count;
    if (i < 0) continue;
    floors.push_back(floor_us);
    ours.push_back(our_us);
    ratios.push_back(our_us / floor_us);
  }
  const Spread ratio = SpreadOf(ratios);
  std::printf("%-8s %10zu %12.1f %12.1f %8.2f  (%.2f to %.2f)\n", name, floats * sizeof(float),
              SpreadOf(floors).median, SpreadOf(ours).median, ratio.median, ratio.min, ratio.max);
}

}  // namespace

int main() {
  std::printf(
      "push + wait, 1 worker, 1 server, in one process; floor: raw TCP round trip of as many bytes\n");
  std::printf("%-8s %10s %12s %12s %8s\n", "path", "bytes", "floor us", "push us", "ratio");
  for (const bool zmq : {true, false}) {
    Pair pair(zmq);
    const char* const name = zmq ? "zmq" : "inproc";
    Measure(name, &pair, 16, 1000);
    Measure(name, &pair, 16 << 10, 300);
    Measure(name, &pair, 256 << 10, 100);
    Measure(name, &pair, 4 << 20, 10);
  }
  return 0;
}
