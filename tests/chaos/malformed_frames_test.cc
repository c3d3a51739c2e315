// R6: malformed frames to every port of a cluster under load, from strangers and from a member that
// misbehaves: nobody falls over, memory stays, and no honest request fails. 10^5 frames; with PS_TEST_LONG=1
// 10^6.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/thread.h"
#include "ps/local_cluster.h"
#include "tests/support/chaos.h"
#include "tests/support/figure.h"
#include "tests/support/frame_forge.h"
#include "tests/support/increments.h"
#include "tests/support/job.h"
#include "tests/support/memory.h"
#include "tests/support/socket_cluster.h"
#include "tests/support/watchdog.h"
#include "transport/inproc/inproc_transport.h"
#include "transport/zmq/zmq_transport.h"

namespace ps {
namespace {

constexpr int kServers = 2;
constexpr int kWorkers = 3;
constexpr int kHonestWorkers = 2;  // the last one misbehaves
constexpr int kVictims = 1 + kServers + kHonestWorkers;
constexpr int64_t kMostGrowthKb =
    16 << 10;  // of each of them: windows and what is parked fill up, then nothing
constexpr uint64_t kMostUnderWay = 2000;
const std::vector<Key> kKeys = {0, kMaxKey};

uint64_t FramesToSend() { return LongForms() ? 1000000 : 100000; }

Config SmallMessages() {
  Config config;
  config.max_message_bytes = 1 << 20;
  config.request_timeout_ms = 50000;
  return config;
}

// Counts and adds what honest workers push; what the other one sends may have any keys.
class HonestServer {
 public:
  explicit HonestServer(Postoffice* node) : server_(node, 0) {
    server_.set_request_handle(
        [this](const KVMeta& meta, const KVPairs<double>& data, KVServer<double>* server) {
          const bool honest = Postoffice::IDtoRank(meta.sender) < kHonestWorkers;
          if (honest) return add_(meta, data, server);
          server->Fail(meta, Status::InvalidArgument("not from you"));
        });
  }

 private:
  KVServerDefaultHandle<double> add_;
  KVServer<double> server_;
};

// Takes what comes back to an attacker, and forgets it.
class Discard : public FrameSink {
 public:
  void OnFrame(Frame&&, const ReturnPath&) override {}
};

// Sends forged frames to one node.
class Attacker {
 public:
  Attacker(Transport* transport, const Address& victim, uint64_t seed, const ForgedParties& parties)
      : forge_(seed, parties) {
    Result<std::unique_ptr<Link>> link = transport->Connect(victim);
    ThrowIfError(link.status());
    link_ = std::move(link).value();
  }
  // False when the transport has no room.
  bool SendOne() {
    if (!next_made_) next_ = forge_.Next();
    next_made_ = link_->TrySend(next_) != SendResult::kSent;
    return !next_made_;
  }

 private:
  FrameForge forge_;
  std::unique_ptr<Link> link_;
  Frame next_;
  bool next_made_ = false;
};

// For each node of the cluster one stranger, one who takes the name of an honest member, and the member that
// misbehaves.
template <typename Cluster>
std::vector<std::unique_ptr<Attacker>> AttackersOf(Cluster* cluster, Transport* transport, uint64_t seed) {
  const Node member = cluster->worker(kHonestWorkers).van()->my_node();
  std::vector<Postoffice*> victims = {&cluster->scheduler()};
  for (int rank = 0; rank < kServers; ++rank) victims.push_back(&cluster->server(rank));
  for (int rank = 0; rank < kHonestWorkers; ++rank) victims.push_back(&cluster->worker(rank));
  std::vector<std::unique_ptr<Attacker>> attackers;
  for (Postoffice* node : victims) {
    const Node victim = node->van()->my_node();
    const auto id = static_cast<uint32_t>(victim.id);
    const uint32_t honest = victim.id == 8 ? 10 : 8;
    const std::vector<ForgedParties> all = {
        {99, 12345, id, 0},
        {honest, 54321, id, victim.incarnation},
        {static_cast<uint32_t>(member.id), member.incarnation, id, victim.incarnation}};
    for (const ForgedParties& parties : all) {
      attackers.push_back(
          std::make_unique<Attacker>(transport, Address{victim.hostname, victim.port}, ++seed, parties));
    }
  }
  return attackers;
}

// Honest workers push until the attack is over, and check what arrived.
template <typename Cluster>
void WorkUntil(const std::atomic<bool>* over, Cluster* cluster, int rank, std::atomic<uint64_t>* pushes) {
  KVWorker<double> worker(&cluster->worker(rank), 0, 0);
  while (!*over) {
    PushOnes(&worker, kKeys, 50, 50);
    *pushes += 50;
  }
}

// Frames that were received and that no node of the cluster has sent.
template <typename Cluster>
uint64_t ForgeriesReceived(Cluster* cluster) {
  uint64_t received = CountOf(cluster->scheduler(), Counter::kReceivedFrames);
  uint64_t sent = CountOf(cluster->scheduler(), Counter::kSentFrames);
  for (int rank = 0; rank < kServers; ++rank) {
    received += CountOf(cluster->server(rank), Counter::kReceivedFrames);
    sent += CountOf(cluster->server(rank), Counter::kSentFrames);
  }
  for (int rank = 0; rank < kWorkers; ++rank) {
    received += CountOf(cluster->worker(rank), Counter::kReceivedFrames);
    sent += CountOf(cluster->worker(rank), Counter::kSentFrames);
  }
  return received < sent ? 0 : received - sent;
}

// What this process has grown by, in KiB.
struct Growth {
  int64_t whole = 0;
  int64_t second_half = 0;
};

// `from`: the transport of the attackers; `polled` when nobody else polls it.
template <typename Cluster>
Growth Attack(Cluster* cluster, Transport* from, bool polled) {
  const uint64_t seed = ChaosNumber("PS_CHAOS_SEED", 1);
  std::printf("PS_CHAOS_SEED=%llu\n", static_cast<unsigned long long>(seed));
  const std::vector<std::unique_ptr<Attacker>> attackers = AttackersOf(cluster, from, seed);
  Discard discard;
  const uint64_t frames = FramesToSend();
  const int64_t before_kb = ResidentKb();
  int64_t half_kb = 0;
  for (uint64_t sent = 0; sent < frames;) {
    for (const auto& attacker : attackers) sent += attacker->SendOne() ? 1 : 0;
    // What waits inside a transport is no figure of the nodes, and not what this is about.
    while (sent > ForgeriesReceived(cluster) + kMostUnderWay) std::this_thread::yield();
    if (polled) from->Poll(&discard, 0);
    if (half_kb == 0 && sent >= frames / 2) half_kb = ResidentKb();
  }
  const int64_t after_kb = ResidentKb();
  return {after_kb - before_kb, after_kb - half_kb};
}

template <typename Cluster>
void EndureForgeries(Cluster* cluster, Transport* from, bool polled, const std::string& id) {
  std::vector<std::unique_ptr<HonestServer>> servers;
  for (int rank = 0; rank < kServers; ++rank) {
    servers.push_back(std::make_unique<HonestServer>(&cluster->server(rank)));
  }
  std::atomic<bool> over{false};
  std::atomic<uint64_t> pushes{0};
  std::vector<std::unique_ptr<Thread>> honest;
  for (int rank = 0; rank < kHonestWorkers; ++rank) {
    honest.push_back(std::make_unique<Thread>(
        "honest", [&over, cluster, rank, &pushes] { WorkUntil(&over, cluster, rank, &pushes); }));
  }
  const Growth growth = Attack(cluster, from, polled);
  over = true;
  honest.clear();
  KVWorker<double> reader(&cluster->worker(0), 0, 0);
  EXPECT_EQ(PullAll(&reader, kKeys), std::vector<double>(kKeys.size(), static_cast<double>(pushes)));
  uint64_t rejected = 0;
  for (int rank = 0; rank < kServers; ++rank) {
    rejected += cluster->server(rank).van()->core().counters().RejectedFrames();
  }
  EXPECT_GT(rejected, 0u);
  if (!UnderSanitizer()) {
    EXPECT_LT(growth.whole, kMostGrowthKb * kVictims);
    EXPECT_LT(growth.second_half, LongForms() ? 4 << 10 : 8 << 10);
  }
  if (testing::Test::HasFailure()) return;
  PS_FIGURE(id, FramesToSend() << " frames, " << rejected << " rejected by the servers, grew by "
                               << growth.whole / kVictims << " KiB per node (the second half by "
                               << growth.second_half / kVictims << "), " << pushes << " honest pushes exact");
}

TEST(MalformedFramesTest, AClusterStartsInTheMidstOfThem) {
  if (UnderThreadSanitizer()) GTEST_SKIP() << "libzmq is not instrumented";
  const Watchdog watchdog(std::chrono::seconds(50));
  SocketCluster cluster(kServers, kWorkers, SmallMessages());
  Result<std::unique_ptr<Transport>> transport = MakeZmqTransport(ZmqOptions());
  ASSERT_TRUE(transport.ok()) << transport.status();
  Attacker attacker(transport.value().get(), cluster.root(), ChaosNumber("PS_CHAOS_SEED", 1),
                    {0, 12345, 1, 0});
  std::vector<std::unique_ptr<Thread>> starting;
  const auto start = [&starting](Postoffice* node) {
    starting.push_back(std::make_unique<Thread>("start", [node] {
      const Status started = node->TryStart(0, nullptr, true);
      EXPECT_TRUE(started.ok()) << started;
    }));
  };
  // The scheduler has read the first of them before an honest node comes, and more come all the time.
  start(&cluster.scheduler());
  while (cluster.scheduler().van() == nullptr ||
         CountOf(cluster.scheduler(), Counter::kRejectedMalformed) == 0) {
    attacker.SendOne();
    std::this_thread::yield();
  }
  std::atomic<bool> over{false};
  Thread attack("attack", [&over, &attacker] {
    while (!over) attacker.SendOne();
  });
  for (int rank = 0; rank < kServers; ++rank) start(&cluster.server(rank));
  for (int rank = 0; rank < kWorkers; ++rank) start(&cluster.worker(rank));
  starting.clear();
  over = true;
  const Status finalized = cluster.Finalize();
  EXPECT_TRUE(finalized.ok()) << finalized;
}

TEST(MalformedFramesTest, AClusterInMemoryEnduresThem) {
  const Watchdog watchdog(std::chrono::seconds(50));
  LocalClusterOptions options;
  options.servers = kServers;
  options.workers = kWorkers;
  options.config = SmallMessages();
  // The member that misbehaves sends over its own transport.
  std::atomic<Transport*> of_member{nullptr};
  options.wrap_transport = [&of_member](std::unique_ptr<Transport> inner, int node_index) {
    if (node_index == kServers + kWorkers) of_member = inner.get();
    return inner;
  };
  LocalCluster cluster(options);
  ASSERT_TRUE(cluster.Start().ok());
  EndureForgeries(&cluster, of_member.load(), false, "R6m");
  cluster.Close();
}

TEST(MalformedFramesTest, AClusterOverSocketsEnduresThem) {
  if (UnderThreadSanitizer()) GTEST_SKIP() << "libzmq is not instrumented";
  const Watchdog watchdog(std::chrono::seconds(50));
  SocketCluster cluster(kServers, kWorkers, SmallMessages());
  ASSERT_TRUE(cluster.Start().ok());
  Result<std::unique_ptr<Transport>> transport = MakeZmqTransport(ZmqOptions());
  ASSERT_TRUE(transport.ok()) << transport.status();
  EndureForgeries(&cluster, transport.value().get(), true, "R6");
}

}  // namespace
}  // namespace ps
