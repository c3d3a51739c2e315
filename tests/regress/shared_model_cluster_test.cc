// SharedModel over several workers of a cluster: the acceptance vectors (sm-vec-*) of dist.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/counters.h"
#include "ps/local_cluster.h"
#include "ps/postoffice.h"
#include "ps/run_server.h"
#include "ps/shared_model.h"
#include "store/shared_store.h"
#include "tests/support/model_vectors.h"
#include "tests/support/watchdog.h"
#include "van/van_core.h"

namespace ps {
namespace {

// What workers send to the server for `rounds` rounds of an array of 64 KB on four devices: all of one
// worker, or of one each.
double BytesSent(int num_workers, int num_devices, int rounds) {
  const Watchdog watchdog(std::chrono::seconds(60));
  LocalCluster cluster(1, num_workers);
  std::atomic<std::uint64_t> bytes{0};
  cluster.RunProgram([&](Postoffice& node) {
    if (!node.is_worker()) return RunServer();
    const auto model = SharedModel::Create("dist");
    model->SetParam("mode", "bsp");
    std::vector<int> devices;
    for (int i = 0; i < num_devices; ++i) devices.push_back(i);
    model->Init(devices);
    model->InitKey({16384}, 0, 0);
    const Counters& counters = node.van()->core().counters();
    const std::uint64_t before = counters.Get(Counter::kSentBytes);
    std::vector<Floats> arrays(devices.size(), Floats(16384, 1));
    for (int round = 0; round < rounds; ++round) {
      for (const int device : devices) {
        Floats& array = arrays[static_cast<std::size_t>(device)];
        array.assign(array.size(), 1);
        model->Push(ViewOf(&array), 0, device);
        model->PullReq(ViewOf(&array), 0, device);
      }
      for (const int device : devices) model->PullWait(0, device);
      EXPECT_EQ(arrays[0][16383], 4);
    }
    bytes += counters.Get(Counter::kSentBytes) - before;
  });
  return static_cast<double>(bytes);
}

TEST(SharedModelDist, DevicesTogetherSendOneArrayToTheServers) {
  const double two_levels = BytesSent(1, 4, 20);
  const double flat = BytesSent(4, 1, 20);
  EXPECT_LE(two_levels, flat * (1.0 / 4 + .05)) << two_levels << " and " << flat;
  EXPECT_GE(two_levels, 20 * 16384 * sizeof(float));
}

TEST(SharedModelDist, EachWorkersSumIsAppliedWhenItComes) {  // sm-vec-26
  const Watchdog watchdog(std::chrono::seconds(60));
  LocalCluster cluster(1, 3);
  std::atomic<int> num_nines{0};
  cluster.RunProgram([&](Postoffice& node) {
    if (!node.is_worker()) return RunServer();
    const auto model = SharedModel::Create("dist");
    const std::vector<int> devices = {1, 2};
    model->Init(devices);
    const std::shared_ptr<SharedStore> store = SharedStore::Of(&node);
    Floats out[2][2] = {{Floats(1), Floats(1)}, {Floats(1), Floats(1)}};
    for (int key = 0; key < 2; ++key) {
      for (const int device : devices) {
        model->InitKey({1}, key, device);
        Floats& value = out[key][device - 1];
        model->PullReq(ViewOf(&value), key, device).Wait();
      }
    }
    EXPECT_EQ(out[0][0], Floats{0});
    store->store().Barrier();
    Floats zero{0};
    Floats row[2] = {Floats{1}, Floats{2}};
    for (const int device : devices) {
      model->Push(ViewOf(&zero), 0, device);
      model->Push(ViewOf(&row[device - 1]), 1, device);
      for (int key = 0; key < 2; ++key) model->PullReq(ViewOf(&out[key][device - 1]), key, device);
    }
    for (const int device : devices) {
      for (int key = 0; key < 2; ++key) model->PullWait(key, device);
      EXPECT_EQ(out[0][device - 1], Floats{0});
    }
    EXPECT_EQ(out[1][0], out[1][1]);
    const float sum = out[1][0][0];
    EXPECT_TRUE(sum == 3 || sum == 6 || sum == 9) << sum;
    if (sum == 9) ++num_nines;
    store->store().Barrier();
    for (const int device : devices) {
      model->PullReq(ViewOf(&out[1][device - 1]), 1, device).Wait();
      EXPECT_EQ(out[1][device - 1], Floats{9});
    }
    store->store().Barrier();
  });
  EXPECT_GE(num_nines, 1);
}

TEST(SharedModelDist, WithBspEveryRoundIsTheSumOrMeanOfAllWorkers) {
  for (const char* scale : {"sum", "mean"}) {
    const Watchdog watchdog(std::chrono::seconds(60));
    LocalCluster cluster(2, 3);
    cluster.RunProgram([&](Postoffice& node) {
      if (!node.is_worker()) return RunServer();
      const auto model = SharedModel::Create("dist");
      model->SetParam("mode", "bsp");
      model->SetParam("scale", scale);
      model->SetParam("bigarray_bound", "4");
      model->Init({3, 7});
      model->InitKey({8}, 0, 3);
      for (int round = 1; round <= 5; ++round) {
        Floats three(8, static_cast<float>(round));
        Floats seven(8, static_cast<float>(10 * node.my_rank()));
        Floats out(8);
        model->Push(ViewOf(&three), 0, 3);
        model->Push(ViewOf(&seven), 0, 7);
        model->PullReq(ViewOf(&out), 0, 3).Wait();
        const float sum = static_cast<float>(3 * round + 30);
        EXPECT_EQ(out, Floats(8, scale == std::string("sum") ? sum : sum / 3));
      }
    });
  }
}

TEST(SharedModelDist, LargeKeysAreUpdatedInPartsByAProgramsRule) {
  const Watchdog watchdog(std::chrono::seconds(60));
  static_cast<void>(TestUpdater());
  LocalCluster cluster(2, 1);
  const int before = Diary().inits()[70];
  std::vector<std::string> arguments = {"program", "lr=1"};
  std::vector<char*> argv = {arguments[0].data(), arguments[1].data()};
  cluster.RunProgram([&](Postoffice& node) {
    if (!node.is_worker()) return RunServer(2, argv.data());
    const auto model = SharedModel::Create("dist");
    model->SetUpdater(TestUpdater());
    model->SetParam("bigarray_bound", "4");
    model->Init({0});
    model->InitKey({9}, 70, 0);
    Floats value(9, 4);
    model->Push(ViewOf(&value), 70, 0);
    Floats out(9);
    model->PullReq(ViewOf(&out), 70, 0).Wait();
    EXPECT_EQ(out, Floats(9, 9));
  });
  EXPECT_EQ(Diary().inits()[70], before + 2) << "once per server's part";
  EXPECT_EQ(Diary().lives().back().command_line, arguments);
}

// Device 3 pushes alone: its round is never complete.
TEST(SharedModelDist, ASecondPullReqIsRefusedWhileOneWaits) {  // sm-vec-17
  const Watchdog watchdog(std::chrono::seconds(60));
  LocalCluster cluster(1, 1);
  cluster.RunProgram([&](Postoffice& node) {
    if (!node.is_worker()) return RunServer();
    const auto model = SharedModel::Create("dist");
    model->Init({3, 7});
    model->InitKey({1}, 0, 3);
    ExpectOnePullAtATime(model.get());
  });
}

TEST(SharedModelDist, WithSspNobodyReadsWhatIsMoreThanTheBoundBehind) {
  const Watchdog watchdog(std::chrono::seconds(60));
  LocalCluster cluster(1, 2);
  std::promise<void> waits;
  const std::shared_future<void> waited = waits.get_future().share();
  cluster.RunProgram([&](Postoffice& node) {
    if (!node.is_worker()) return RunServer();
    const auto model = SharedModel::Create("dist");
    model->SetParam("mode", "ssp:1");
    model->Init({3, 7});
    model->InitKey({1}, 0, 3);
    const std::shared_ptr<SharedStore> store = SharedStore::Of(&node);
    store->store().Barrier();
    if (node.my_rank() == 1) {
      waited.wait();
      EXPECT_GE(Round(model.get(), 10, 20)[0], 30);
    } else {
      EXPECT_EQ(Round(model.get(), 1, 2), (Floats{3, 3})) << "it may be one round ahead";
      Floats one{1};
      Floats out(1);
      for (const int device : {3, 7}) model->Push(ViewOf(&one), 0, device);
      const Ticket second = model->PullReq(ViewOf(&out), 0, 3);
      EXPECT_EQ(second.WaitFor(std::chrono::milliseconds(50)).code(), StatusCode::kDeadlineExceeded);
      waits.set_value();
      second.Wait();
      EXPECT_EQ(out, Floats{35});
    }
    store->store().Barrier();
    Floats out(1);
    model->PullReq(ViewOf(&out), 0, 7).Wait();
    EXPECT_EQ(out, Floats{35});
    store->store().Barrier();
  });
}

// Its updates wait for the test.
class StandingStill final : public ModelUpdater {
 public:
  explicit StandingStill(std::shared_future<void> go) : go_(std::move(go)) {}
  void Update(int, const TensorView&, const TensorView&) override { go_.wait(); }

 private:
  const std::shared_future<void> go_;
};

TEST(SharedModelDist, WhoeverWaitsForAServerThatDoesNotAnswerIsToldWhichOne) {
  const Watchdog watchdog(std::chrono::seconds(60));
  static int number = 0;
  const std::string rule = "standing_still_" + std::to_string(++number);
  std::promise<void> go;
  ASSERT_EQ(
      RegisterModelUpdater(rule,
                           [answers = go.get_future().share()](DType) {
                             return std::unique_ptr<ModelUpdater>(std::make_unique<StandingStill>(answers));
                           }),
      Status::Ok());
  LocalClusterOptions options;
  options.servers = 1;
  options.workers = 1;
  options.config.barrier_timeout_ms = 300;
  LocalCluster cluster(options);
  cluster.RunProgram([&](Postoffice& node) {
    if (!node.is_worker()) return RunServer();
    const auto model = SharedModel::Create("dist");
    model->SetUpdater(rule);
    model->Init({3});
    model->InitKey({1}, 0, 3);
    Floats value{1};
    Floats out(1);
    model->Push(ViewOf(&value), 0, 3);
    const Ticket pull = model->PullReq(ViewOf(&out), 0, 3);
    ExpectRefused(StatusCode::kDeadlineExceeded, {"key 0", "server 0", "PS_BARRIER_TIMEOUT"},
                  [&] { model->PullWait(0, 3); });
    EXPECT_EQ(pull.WaitFor({}).code(), StatusCode::kDeadlineExceeded);
    go.set_value();
  });
}

TEST(SharedModelDist, DestroyedWithWorkUnderWayItReturnsAndCallsNobody) {  // sm-vec-31
  for (const char* mode : {"asp", "bsp"}) {
    const Watchdog watchdog(std::chrono::seconds(120));
    LocalCluster cluster(2, 2);
    cluster.RunProgram([&](Postoffice& node) {
      if (!node.is_worker()) return RunServer();
      const std::shared_ptr<SharedStore> store = SharedStore::Of(&node);
      if (node.my_rank() == 0) DestroyWithWorkUnderWay("dist", {{"mode", mode}, {"bigarray_bound", "1000"}});
      node.Barrier(0, kWorkerGroup);  // the other worker contributes nothing
    });
  }
}

}  // namespace
}  // namespace ps
