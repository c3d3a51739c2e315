// What PS_CURVE_DIR costs: push + wait, and pushes with 32 in flight, of one worker to one server over
// loopback TCP, without and with keys. Both jobs live at the same time and take turns; a figure is the median
// of the ratios of neighbouring turns, with the smallest and largest. Below it what the cipher alone takes:
// CURVE seals each message once and opens it once, on the library's I/O threads.
//
// A network slower than the cipher hides it. As root, over a link of 1 Gbit/s:
//   unshare -n sh -c "ip link set lo mtu 1500 up;
//     tc qdisc add dev lo root tbf rate 1gbit burst 1mb latency 50ms; build/bench/curve"
#include <netinet/in.h>
#include <sodium.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "ps/ps.h"
#include "transport/key_files.h"
#include "transport/zmq/curve.h"

namespace {

constexpr int kTurns = 9;
constexpr int kInFlight = 32;

double Microseconds(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
}

// One scheduler, server and worker on threads of this process.
class OneJob {
 public:
  explicit OneJob(const std::string& curve_dir) {
    ps::Config config;
    config.curve_dir = curve_dir;
    config.van_type = "zmq";  // shared memory is not encrypted
    config.root_port = FreePort();
    for (const ps::Role role : {ps::Role::kScheduler, ps::Role::kServer, ps::Role::kWorker}) {
      config.role = role;
      nodes_.push_back(std::make_unique<ps::Postoffice>(config));
    }
    ForAll([](ps::Postoffice* node) { node->Start(0, nullptr, true); });
    server_ = std::make_unique<ps::KVServer<float>>(nodes_[1].get(), 0);
    server_->set_request_handle([](const ps::KVMeta& meta, const ps::KVPairs<float>&,
                                   ps::KVServer<float>* server) { server->Response(meta); });
    worker_ = std::make_unique<ps::KVWorker<float>>(nodes_[2].get(), 0, 0);
  }
  ~OneJob() {
    ForAll([](ps::Postoffice* node) { node->Finalize(0, true); });
    worker_.reset();
    server_.reset();
  }

  // Microseconds per push; `in_flight` of them are not waited for.
  double Push(const ps::SArray<float>& vals, int count, int in_flight) {
    const ps::SArray<ps::Key> keys = {1};
    const ps::SArray<int> lens = {static_cast<int>(vals.size())};
    const auto run = [&] {
      std::vector<int> pushed;
      for (int i = 0; i < count; ++i) {
        pushed.push_back(worker_->ZPush(keys, vals, lens));
        if (i >= in_flight - 1) worker_->Wait(pushed[static_cast<size_t>(i - in_flight + 1)]);
      }
      for (int i = std::max(0, count - in_flight + 1); i < count; ++i)
        worker_->Wait(pushed[static_cast<size_t>(i)]);
    };
    return Microseconds(run) / count;
  }

 private:
  void ForAll(const std::function<void(ps::Postoffice*)>& step) {
    std::vector<std::thread> threads;
    for (const auto& node : nodes_) threads.emplace_back(step, node.get());
    for (std::thread& thread : threads) thread.join();
  }

  static int FreePort() {
    const int probe = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof(address);
    CHECK_EQ(bind(probe, reinterpret_cast<sockaddr*>(&address), length), 0);
    CHECK_EQ(getsockname(probe, reinterpret_cast<sockaddr*>(&address), &length), 0);
    close(probe);
    return static_cast<int>(ntohs(address.sin_port));
  }

  std::vector<std::unique_ptr<ps::Postoffice>> nodes_;
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

void Measure(OneJob* plain, OneJob* secure, size_t bytes, int in_flight) {
  const ps::SArray<float> vals(bytes / sizeof(float), 1.0f);
  const int count = static_cast<int>(std::min<size_t>(2000, std::max<size_t>(64, (16 << 20) / bytes)));
  std::vector<double> without, with, ratios;
  for (int i = -1; i < kTurns; ++i) {  // the first turn warms up
    const double plain_us = plain->Push(vals, count, in_flight);
    const double secure_us = secure->Push(vals, count, in_flight);
    if (i < 0) continue;
    without.push_back(plain_us);
    with.push_back(secure_us);
    ratios.push_back(secure_us / plain_us);
  }
  const Spread ratio = SpreadOf(ratios);
  std::printf("%9d %10zu %10.1f %10.1f %10.0f %10.0f %8.2f  (%.2f to %.2f)\n", in_flight, bytes,
              SpreadOf(without).median, SpreadOf(with).median,
              static_cast<double>(bytes) / SpreadOf(without).median,
              static_cast<double>(bytes) / SpreadOf(with).median, ratio.median, ratio.min, ratio.max);
}

void MeasureCipher(size_t bytes) {
  unsigned char key[crypto_box_BEFORENMBYTES] = {1};
  unsigned char nonce[crypto_box_NONCEBYTES] = {2};
  std::vector<unsigned char> open(bytes), sealed(bytes + crypto_box_MACBYTES);
  const int count = static_cast<int>((64 << 20) / bytes);
  std::vector<double> seal_us, open_us;
  for (int turn = 0; turn < kTurns; ++turn) {
    seal_us.push_back(Microseconds([&] {
                        for (int i = 0; i < count; ++i)
                          CHECK_EQ(crypto_box_easy_afternm(sealed.data(), open.data(), bytes, nonce, key), 0);
                      }) /
                      count);
    open_us.push_back(
        Microseconds([&] {
          for (int i = 0; i < count; ++i)
            CHECK_EQ(crypto_box_open_easy_afternm(open.data(), sealed.data(), sealed.size(), nonce, key), 0);
        }) /
        count);
  }
  const double seal = SpreadOf(seal_us).median;
  const double unseal = SpreadOf(open_us).median;
  std::printf("cipher alone, %zu bytes: seal %.1f us, open %.1f us; %.0f MB/s each way at most\n", bytes,
              seal, unseal, static_cast<double>(bytes) / std::max(seal, unseal));
}

}  // namespace

int main() {
  std::string keys = std::filesystem::temp_directory_path() / "curve-bench-XXXXXX";
  CHECK_NE(mkdtemp(keys.data()), nullptr);
  const ps::Result<ps::KeyPair> pair = ps::MakeKeyPair();
  CHECK(pair.ok()) << pair.status();
  const ps::Status written = ps::WriteKeyPair(keys, pair.value(), false);
  CHECK(written.ok()) << written;
  {
    OneJob plain("");
    OneJob secure(keys);
    std::printf("pushes over loopback TCP without and with PS_CURVE_DIR, %d turns each, medians\n", kTurns);
    std::printf("%9s %10s %10s %10s %10s %10s %8s\n", "in flight", "bytes", "plain us", "curve us",
                "plain MB/s", "curve MB/s", "ratio");
    for (const int in_flight : {1, kInFlight}) {
      for (const size_t bytes : {size_t{64}, size_t{4096}, size_t{65536}, size_t{1} << 20}) {
        Measure(&plain, &secure, bytes, in_flight);
      }
    }
  }
  MeasureCipher(65536);
  std::filesystem::remove_all(keys);
  return 0;
}
