// case-25, R8, R9: whatever connects to a node's port, the job goes on as if nothing had happened.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdio>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "message/codec.h"
#include "ps/kv_app.h"
#include "tests/support/figure.h"
#include "tests/support/job.h"
#include "tests/support/log_capture.h"
#include "tests/support/memory.h"
#include "tests/support/process.h"
#include "tests/support/socket_cluster.h"
#include "tests/support/watchdog.h"
#include "tests/transport/zmq/raw_peer.h"
#include "transport/zmq/socket_check.h"
#include "van/van_core.h"

namespace ps {
namespace {

using std::chrono::seconds;

const Counters& CountersOf(Postoffice& node) { return node.van()->core().counters(); }

Address AddressOf(Postoffice& node) {
  const Node& self = node.van()->my_node();
  return {self.hostname, self.port};
}

// Waits for what a node's own thread is about to count.
bool Eventually(const std::function<bool()>& done) {
  const int64_t deadline_ms = Clock::Real().NowMs() + 20000;
  while (!done() && Clock::Real().NowMs() < deadline_ms) std::this_thread::yield();
  return done();
}

// Two servers and two workers that push and pull all the time.
class BusyJob {
 public:
  BusyJob() : cluster_(2, 2) {
    EXPECT_EQ(cluster_.Start(), Status::Ok());
    for (int rank = 0; rank < 2; ++rank) {
      servers_.push_back(std::make_unique<KVServer<float>>(&cluster_.server(rank), 0));
      servers_.back()->set_request_handle(KVServerDefaultHandle<float>());
    }
    for (int rank = 0; rank < 2; ++rank) threads_.emplace_back([this, rank] { Work(rank); });
  }

  // Ends the job; true if every push was applied once.
  bool FinishesWithExactSums() {
    done_ = true;
    for (std::thread& thread : threads_) thread.join();
    std::vector<float> sums;
    {
      KVWorker<float> reader(&cluster_.worker(0), 0, 0);
      EXPECT_EQ(reader.WaitFor(reader.Pull(keys_, &sums), seconds(20)), Status::Ok());
    }
    std::printf("%d rounds of push and pull\n", static_cast<int>(rounds_));
    const bool exact = sums == std::vector<float>(keys_.size(), static_cast<float>(rounds_));
    servers_.clear();
    EXPECT_EQ(cluster_.Finalize(), Status::Ok());
    return exact && rounds_ > 0;
  }

  std::vector<Postoffice*> nodes() {
    return {&cluster_.scheduler(), &cluster_.server(0), &cluster_.server(1), &cluster_.worker(0),
            &cluster_.worker(1)};
  }

 private:
  void Work(int rank) {
    KVWorker<float> worker(&cluster_.worker(rank), 0, 0);
    std::vector<float> pulled;
    while (!done_) {
      const Status pushed = worker.WaitFor(worker.Push(keys_, {1, 1, 1, 1}), seconds(20));
      const Status got = worker.WaitFor(worker.Pull(keys_, &pulled), seconds(20));
      EXPECT_TRUE(pushed.ok() && got.ok()) << pushed << got;
      if (!pushed.ok()) return;
      ++rounds_;
    }
  }

  SocketCluster cluster_;
  const std::vector<Key> keys_ = {1, 2, kMaxKey - 1, kMaxKey};
  std::vector<std::unique_ptr<KVServer<float>>> servers_;
  std::atomic<bool> done_{false};
  std::atomic<int> rounds_{0};
  std::vector<std::thread> threads_;
};

std::string RandomBytes(size_t size, std::mt19937_64* random) {
  std::string bytes(size, ' ');
  for (char& byte : bytes) byte = static_cast<char>((*random)());
  return bytes;
}

// A frame as the job's own, but for who sends it.
std::string Forged(Control::Command command, uint32_t sender, std::mt19937_64* random) {
  Header header;
  header.kind = FrameKind::kControl;
  header.head = command;
  header.sender = sender;
  header.sender_incarnation = (*random)();
  header.receiver_incarnation = (*random)();
  header.sequence = 1;
  const HeaderBytes bytes = EncodeHeader(header);
  return std::string(bytes.begin(), bytes.end());
}

class StrangersTest : public testing::Test {
 protected:
  void SetUp() override {
    if (UnderThreadSanitizer()) GTEST_SKIP() << "libzmq is not instrumented";
  }

  // Lets `act` happen to a node until it has counted it.
  static void ExpectCounted(Postoffice* node, Counter counter, const std::function<void()>& act) {
    const uint64_t before = CountersOf(*node).Get(counter);
    act();
    EXPECT_TRUE(Eventually([&] { return CountersOf(*node).Get(counter) > before; }))
        << Counters::Name(counter) << " of node " << node->van()->my_node().ShortDebugString();
  }

  void VisitByTcp(Postoffice* node) {
    const std::vector<std::string> noises = {
        "GET / HTTP/1.1\r\nHost: here\r\n\r\n", "SSH-2.0-OpenSSH_9.2\r\n",
        std::string("\x16\3\1\2\0\1\0\1\xfc\3\3", 11) + std::string(500, 't'), RandomBytes(1000, &random_),
        std::string(9, '\xff') + std::string(1000, 'x')};
    for (const std::string& noise : noises) {
      RawTcpClient client(AddressOf(*node));
      ExpectCounted(node, Counter::kRejectedHandshake, [&] { client.Send(noise); });
    }
    ExpectCounted(node, Counter::kSilentConnections, [&] {
      RawZmtpClient peer(AddressOf(*node));
      peer.Send(RawZmtpClient::PartHead(uint64_t{1} << 62, false));
      peer.AwaitEnd();
    });
  }

  void VisitByZmq(Postoffice* node) {
    RawZmqPeer peer(AddressOf(*node));
    ExpectCounted(node, Counter::kRejectedMalformed, [&] { peer.Send({""}); });
    ExpectCounted(node, Counter::kRejectedMalformed, [&] { peer.Send({RandomBytes(100, &random_)}); });
    ExpectCounted(node, Counter::kRejectedMagic, [&] { peer.Send({RandomBytes(500, &random_)}); });
    for (const Control::Command command : {Control::ADD_NODE, Control::BARRIER, Control::TERMINATE}) {
      for (const uint32_t sender : {1u, 8u, 9u}) {
        const uint64_t before = CountersOf(*node).RejectedFrames();
        peer.Send({Forged(command, sender, &random_)});
        EXPECT_TRUE(Eventually([&] { return CountersOf(*node).RejectedFrames() > before; }))
            << command << " from " << sender;
      }
    }
  }

  // As the original's nodes name themselves.
  void VisitUnderTheNameOf(Postoffice* node, const std::string& name) {
    const auto context = ZmqContext::Make(1).value();
    const auto socket = ZmqSocket::Open(*context, ZMQ_DEALER).value();
    ASSERT_TRUE(socket->SetText(ZMQ_ROUTING_ID, name).ok());
    ASSERT_EQ(socket->Connect("tcp://" + AddressOf(*node).ToString()), 0);
    ExpectCounted(node, Counter::kRejectedMagic, [&] {
      ZmqMessage message(std::string(200, '9').data(), 200);
      EXPECT_EQ(socket->Send(&message, false), IoResult::kDone);
    });
  }

  const uint64_t seed_ = std::random_device()();
  std::mt19937_64 random_{seed_};
};

TEST_F(StrangersTest, Case25RegressB70JobGoesOnAndEveryKindIsCounted) {
  Watchdog watchdog(seconds(100));
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed_));
  LogCapture log;
  const int64_t start_ms = Clock::Real().NowMs();
  BusyJob job;
  ForgetPeak();
  const int64_t resident_kb = ResidentKb();
  const int connects = LongForms() ? 1000 : 200;
  for (Postoffice* node : job.nodes()) {
    VisitByTcp(node);
    VisitByZmq(node);
    for (const char* name : {"ps9", "ps8", "9", "W[9]"}) VisitUnderTheNameOf(node, name);
    const uint64_t silent = CountersOf(*node).Get(Counter::kSilentConnections);
    for (int i = 0; i < connects; ++i) RawTcpClient client(AddressOf(*node));
    EXPECT_TRUE(Eventually([&] {
      return CountersOf(*node).Get(Counter::kSilentConnections) >= silent + static_cast<uint64_t>(connects);
    }));
  }
  EXPECT_TRUE(job.FinishesWithExactSums());
  const int64_t grown_kb = PeakKb() - resident_kb;
  PS_FIGURE("R8", "strangers of " << 4 * connects
                                  << " connections and every kind of frame: sums exact, memory grew by "
                                  << grown_kb << " kB");
  EXPECT_TRUE(UnderSanitizer() || grown_kb < (32 << 10));
  const int lines = log.Count("rejected");
  const int64_t lived_s = (Clock::Real().NowMs() - start_ms) / 1000;
  EXPECT_GE(lines, 5) << "each node says so";
  EXPECT_LE(lines, 5 * (lived_s + 1)) << "once a second";
}

// Connections that never finish what they begin.
class SlowVisitors {
 public:
  SlowVisitors(const Address& address, int half_open, int slow) {
    for (int i = 0; i < half_open + slow; ++i) {
      clients_.push_back(std::make_unique<RawTcpClient>(address));
      if (i >= half_open) slow_.push_back(clients_.back().get());
    }
  }
  // Each slow one sends its next byte, once a second, until `done` or for ten seconds.
  bool TrickleUntil(const std::function<bool()>& done) {
    const std::string greeting = RawZmtpClient::Greeting();
    MutexLock lock(mutex_);
    for (size_t at = 0; at < 10 && !done(); ++at) {
      for (RawTcpClient* client : slow_) client->Send(greeting.substr(at, 1));
      const int64_t next_ms = Clock::Real().NowMs() + 1000;
      while (!done() && Clock::Real().NowMs() < next_ms)
        tick_.WaitUntil(mutex_, Clock::Real().NowMs() + 20);  // nobody notifies: the node does not know of us
    }
    return done();
  }

 private:
  std::vector<std::unique_ptr<RawTcpClient>> clients_;
  std::vector<RawTcpClient*> slow_;
  Mutex mutex_;
  CondVar tick_;
};

// A scheduler that waits for its job, and the job.
class LateJob {
 public:
  LateJob() {
    config_.num_servers = config_.num_workers = 1;
    config_.root_uri = "127.0.0.1";
    config_.root_port = FreePort();
    config_.van_type = "zmq";
    scheduler_ = Begin(Role::kScheduler);
    while (StartSocketCheck(root())->Look() != ReachCheck::State::kAccepts) std::this_thread::yield();
  }
  Address root() const { return {config_.root_uri, config_.root_port}; }
  Postoffice& scheduler() { return *nodes_[0]; }

  void StartTheOthers() {
    const std::vector<std::shared_ptr<std::thread>> others = {Begin(Role::kServer), Begin(Role::kWorker)};
    for (const auto& thread : others) thread->join();
    scheduler_->join();
  }
  void Finalize() {
    std::vector<std::thread> threads;
    for (const auto& node : nodes_)
      threads.emplace_back([&node] { EXPECT_EQ(node->TryFinalize(0, true), Status::Ok()); });
    for (std::thread& thread : threads) thread.join();
  }

 private:
  std::shared_ptr<std::thread> Begin(Role role) {
    config_.role = role;
    nodes_.push_back(std::make_unique<Postoffice>(config_));
    Postoffice* const node = nodes_.back().get();
    return std::make_shared<std::thread>(
        [node] { EXPECT_EQ(node->TryStart(0, nullptr, true), Status::Ok()); });
  }

  Config config_;
  std::vector<std::unique_ptr<Postoffice>> nodes_;
  std::shared_ptr<std::thread> scheduler_;
};

TEST_F(StrangersTest, R9StartSucceedsAmongHalfOpenAndSlowConnectionsWhichAreGoneAfterTenSeconds) {
  Watchdog watchdog(seconds(100));
  const int half_open = LongForms() ? 900 : 180;
  const int slow = LongForms() ? 100 : 20;
  const uint64_t all = static_cast<uint64_t>(half_open + slow);
  LogCapture log;
  LateJob job;
  const int64_t before_ms = Clock::Real().NowMs();
  auto visitors = std::make_unique<SlowVisitors>(job.root(), half_open, slow);
  job.StartTheOthers();
  const Counters& counters = CountersOf(job.scheduler());
  EXPECT_EQ(counters.Get(Counter::kRejectedHandshake), 0u) << "they were all there while the job started";
  EXPECT_TRUE(visitors->TrickleUntil([&] { return counters.Get(Counter::kRejectedHandshake) >= all; }));
  PS_FIGURE("R9", all << " half-open and slow connections: the job started among them, they were gone after "
                      << Clock::Real().NowMs() - before_ms << " ms");
  const int64_t descriptors = NumDescriptors();
  visitors.reset();
  EXPECT_EQ(NumDescriptors(), descriptors - static_cast<int64_t>(all)) << "only their own were left";
  EXPECT_LT(NumDescriptors(), 150);
  job.Finalize();
}

}  // namespace
}  // namespace ps
