#include "ps/shared_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <functional>
#include <future>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "device/devices.h"
#include "ps/environment.h"
#include "ps/local_cluster.h"
#include "ps/postoffice.h"
#include "tests/support/model_vectors.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

class SharedModelTest : public testing::Test {
 protected:
  Watchdog watchdog_;
  std::unique_ptr<SharedModel> model_ = SharedModel::Create("local");
};

TEST_F(SharedModelTest, LocalSumsOfThreeAndFourDevices) {
  for (const int num_devices : {3, 4}) {  // sm-vec-01, 02
    const auto model = SharedModel::Create("local");
    std::vector<int> devices;
    for (int i = 0; i < num_devices; ++i) devices.push_back(i);
    model->Init(devices);
    std::vector<Floats> pushed;
    std::vector<Floats> pulled(static_cast<std::size_t>(2 * num_devices), Floats(6));
    for (const int device : devices) {
      const auto row = static_cast<float>(device + 1);
      pushed.push_back({1, 1, 1, row, row, row});
    }
    for (int key = 0; key < 2; ++key) {
      for (const int device : devices) model->InitKey({2, 3}, key, device);
    }
    for (const int device : devices) {
      for (int key = 0; key < 2; ++key) {
        model->Push(ViewOf(&pushed[static_cast<std::size_t>(device)], {2, 3}), key, device);
        model->PullReq(ViewOf(&pulled[static_cast<std::size_t>(2 * device + key)], {2, 3}), key, device);
      }
    }
    for (const int device : devices) {
      for (int key = 0; key < 2; ++key) {
        model->PullWait(key, device);
        const auto first = static_cast<float>(num_devices);
        const float second = num_devices == 3 ? 6 : 10;
        EXPECT_EQ(pulled[static_cast<std::size_t>(2 * device + key)],
                  (Floats{first, first, first, second, second, second}));
      }
    }
  }
}

TEST_F(SharedModelTest, EachRoundIsItsOwnSum) {
  model_->Init({3, 7});
  model_->InitKey({1}, 0, 3);
  Floats three{1};
  Floats seven{2};
  Floats of_three{0};
  Floats of_seven{0};
  for (const float expected : {3.0F, 30.0F}) {  // sm-vec-03, 05
    model_->Push(ViewOf(&three), 0, 3);
    model_->Push(ViewOf(&seven), 0, 7);
    model_->PullReq(ViewOf(&of_three), 0, 3);
    model_->PullReq(ViewOf(&of_seven), 0, 7);
    model_->PullWait(0, 3);
    model_->PullWait(0, 7);
    EXPECT_EQ(of_three, Floats{expected});
    EXPECT_EQ(of_seven, Floats{expected});
    three = {10};
    seven = {20};
  }
}

TEST_F(SharedModelTest, ADeviceAloneGetsWhatItHasPushed) {
  model_->Init();
  model_->InitKey({2}, 5, 0);
  Floats array{1, 2};
  model_->Push(ViewOf(&array), 5, 0);
  model_->PullReq(ViewOf(&array), 5, 0).Wait();
  EXPECT_EQ(array, (Floats{1, 2}));
  ExpectRefused(StatusCode::kFailedPrecondition, {"key 5, device 0", "pulled that already"},
                [&] { model_->PullReq(ViewOf(&array), 5, 0).Wait(); });
}

// --- streams and threads ---

// A device's stream that the test holds back.
class HeldStream {
 public:
  HeldStream() : stream_(FindDevice(DeviceId::Cpu(1)).value()->NewStream()) {
    stream_->Run([go = go_.get_future().share()] { go.wait(); });
  }
  Stream* get() { return stream_.get(); }
  void Go() { go_.set_value(); }

 private:
  std::promise<void> go_;
  const std::unique_ptr<Stream> stream_;
};

TEST_F(SharedModelTest, TheHighestPriorityIsMergedFirst) {  // sm-vec-15
  model_->SetParam("push_thread", "one");
  model_->SetParam("pull_thread", "one");
  model_->Init({0});
  HeldStream held;
  std::vector<Floats> values(5, Floats{1});
  std::vector<int> order;
  for (int key = 0; key < 5; ++key) {
    model_->InitKey({1}, key, 0);
    model_->PullReq(ViewOf(&values[static_cast<std::size_t>(key)]), key, 0, 0,
                    [&order, key](Stream*) { order.push_back(key); });
  }
  TensorView blocking = ViewOf(&values[4]);
  blocking.stream = held.get();
  model_->Push(blocking, 4, 0, 100);  // the only thread for pushes waits for its stream
  for (int key = 0; key < 4; ++key) model_->Push(ViewOf(&values[static_cast<std::size_t>(key)]), key, 0, key);
  held.Go();
  for (int key = 0; key < 5; ++key) model_->PullWait(key, 0);
  EXPECT_EQ(order, (std::vector<int>{4, 3, 2, 1, 0}));
}

TEST_F(SharedModelTest, BitsDoNotDependOnThreadsOrOnWhatCountsAsLarge) {  // sm-vec-24
  constexpr std::size_t kSize = 70001;
  std::vector<Floats> values(4, Floats(kSize));
  std::mt19937 random(5);
  std::uniform_real_distribution<float> uniform(-1, 1);
  for (Floats& each : values) std::generate(each.begin(), each.end(), [&] { return uniform(random); });
  Floats expected;
  for (const std::size_t bound : {kSize - 1, kSize, kSize + 1}) {
    for (const char* threads : {"1", "4", "8"}) {
      const auto model = SharedModel::Create("local");
      model->SetParam("bigarray_bound", std::to_string(bound));
      model->SetParam("reduce_thread", threads);
      model->Init({0, 1, 2, 3});
      model->InitKey({static_cast<std::int64_t>(kSize)}, 0, 0);
      for (int device = 3; device >= 0; --device)
        model->Push(ViewOf(&values[static_cast<std::size_t>(device)]), 0, device);
      Floats out(kSize);
      model->PullReq(ViewOf(&out), 0, 2).Wait();
      if (expected.empty()) expected = out;
      EXPECT_EQ(std::memcmp(out.data(), expected.data(), kSize * sizeof(float)), 0)
          << bound << " " << threads;
    }
  }
}

TEST_F(SharedModelTest, GatherIsInTheOrderOfInit) {
  model_->SetParam("push_op[1]", "gather");
  model_->Init({7, 3});
  model_->InitKey({1, 2}, 1, 3);
  Floats three{3, 3};
  Floats seven{7, 7};
  Floats out(4);
  model_->Push(ViewOf(&three, {1, 2}), 1, 3);
  model_->Push(ViewOf(&seven, {1, 2}), 1, 7);
  model_->PullReq(ViewOf(&out, {2, 2}), 1, 3).Wait();
  EXPECT_EQ(out, (Floats{7, 7, 3, 3}));
  ExpectRefused(StatusCode::kInvalidArgument, {"key 1, device 7", "[1,2]", "[2,2]"}, [&] {
    model_->PullReq(ViewOf(&three, {1, 2}), 1, 7);
  });
}

TEST_F(SharedModelTest, CheckWeightComparesWithWhatTheUpdaterMakes) {  // sm-vec-14
  model_->SetParam("test_on_server", "1");
  model_->SetUpdater("sgd", {{"lr", ".25"}});
  model_->Init({3, 7});
  model_->InitKey({1}, 0, 3);
  Floats one{1};
  Floats two{2};
  Floats out(1);
  Floats weight{10};
  model_->SetWeight(ViewOf(&weight), 0, 3);
  model_->Push(ViewOf(&one), 0, 3);
  model_->Push(ViewOf(&two), 0, 7);
  model_->PullReq(ViewOf(&out), 0, 3).Wait();
  EXPECT_EQ(out, Floats{3});
  weight[0] -= .25F * out[0];
  testing::internal::CaptureStderr();
  EXPECT_EQ(model_->CheckWeight(ViewOf(&weight), 0, 3), Status::Ok());
  weight[0] += 1;
  EXPECT_EQ(model_->CheckWeight(ViewOf(&weight), 0, 3).code(), StatusCode::kFailedPrecondition);
  const std::string lines = testing::internal::GetCapturedStderr();
  EXPECT_NE(lines.find("check pass\n"), std::string::npos) << lines;
  EXPECT_NE(lines.find("PSLocal:key=0,dev=3: err="), std::string::npos) << lines;
}

TEST_F(SharedModelTest, ForcedStreamsAreAskedFor) {
  Environment::Init({{"PS_FORCE_STREAM", "1"}});
  const auto model = SharedModel::Create("local");
  Environment::Init({});
  model->Init({0});
  model->InitKey({1}, 0, 0);
  Floats value{1};
  TensorView view = ViewOf(&value);
  model->Push(view, 0, 0).Wait();
  view.device = DeviceId::Cpu(1);
  ExpectRefused(StatusCode::kInvalidArgument, {"key 0, device 0", "cpu:1", "PS_FORCE_STREAM=1"},
                [&] { model->Push(view, 0, 0); });
  ExpectRefused(StatusCode::kInvalidArgument, {"cpu:1"}, [&] { model->PullReq(view, 0, 0); });
  const std::unique_ptr<Stream> stream = FindDevice(view.device).value()->NewStream();
  view.stream = stream.get();
  model->Push(view, 0, 0).Wait();
}

TEST_F(SharedModelTest, AnArrayThatCanNotBeUsedIsTheErrorOfItsCallAlone) {
  model_->Init({3, 7});
  model_->InitKey({1}, 0, 3);
  Floats two{1, 2};
  TensorView crooked = ViewOf(&two, {1});
  crooked.data = reinterpret_cast<char*>(two.data()) + 1;
  ExpectRefused(StatusCode::kInvalidArgument, {"key 0, device 3", "aligned"},
                [&] { model_->Push(crooked, 0, 3); });
  ExpectRefused(StatusCode::kInvalidArgument, {"key 0, device 3", "aligned"},
                [&] { model_->PullReq(crooked, 0, 3); });
  Floats out(1);
  model_->Push(ViewOf(&two, {1}), 0, 3);
  model_->Push(ViewOf(&two, {1}), 0, 7);
  model_->PullReq(ViewOf(&out), 0, 7).Wait();
  EXPECT_EQ(out, Floats{2});
}

TEST_F(SharedModelTest, ACallbackIsBoundToTheNodeOfItsModel) {
  LocalCluster cluster(0, 2);
  cluster.RunProgram([](Postoffice& node) {
    node.Start(0, nullptr, true);
    if (node.is_worker()) {
      SharedModelOptions options;
      options.node = &node;
      const auto model = SharedModel::Create("allreduce", options);
      model->Init();
      model->InitKey({1}, 0, 0);
      Floats value{1};
      Floats out(1);
      Postoffice* bound = nullptr;
      model->Push(ViewOf(&value), 0, 0);
      model->PullReq(ViewOf(&out), 0, 0, 0, [&](Stream*) { bound = Postoffice::Get(); }).Wait();
      EXPECT_EQ(bound, &node);
      EXPECT_EQ(out, Floats{2});
    }
    node.Finalize(0, true);
  });
}

TEST_F(SharedModelTest, AWorkerThatDoesNotComeIsNamedThoughTheDeviceWaitsFirst) {
  LocalClusterOptions cluster_options;
  cluster_options.servers = 0;
  cluster_options.workers = 2;
  cluster_options.config.barrier_timeout_ms = 300;
  LocalCluster cluster(cluster_options);
  std::promise<void> is_told;
  cluster.Run([&, told = is_told.get_future().share()](Postoffice& node) {
    if (!node.is_worker()) return;
    if (node.my_rank() == 1) return told.wait();
    SharedModelOptions options;
    options.node = &node;
    const auto model = SharedModel::Create("allreduce", options);
    model->Init();
    model->InitKey({1}, 0, 0);
    Floats value{1};
    model->Push(ViewOf(&value), 0, 0);
    ExpectRefused(StatusCode::kDeadlineExceeded, {"key 0, round 1", "worker 1", "has not come"},
                  [&] { model->PullReq(ViewOf(&value), 0, 0).Wait(); });
    is_told.set_value();
  });
}

// --- ends ---

TEST_F(SharedModelTest, ADeviceThreadThatAnExceptionLeavesIsNamed) {
  model_->Init({3, 7});
  model_->InitKey({1}, 0, 3);
  Floats value{1};
  Floats out(1);
  model_->Push(ViewOf(&value), 0, 3);
  const Ticket pull = model_->PullReq(ViewOf(&out), 0, 3);
  std::thread device([this] {
    try {
      const DeviceScope scope(model_.get(), 7);
      throw std::runtime_error("out of memory");
    } catch (const std::runtime_error&) {
    }
  });
  ExpectRefused(StatusCode::kUnavailable, {"key 0, device 3", "device 7", "exception"}, [&] { pull.Wait(); });
  device.join();
  ExpectRefused(StatusCode::kUnavailable, {"device 7"}, [&] { model_->Push(ViewOf(&value), 0, 3); });
  const DeviceScope fine(model_.get(), 3);
}

TEST_F(SharedModelTest, ADeviceThatNobodyKnowsIsLoggedWhenAnExceptionLeavesIt) {
  for (const bool is_begun : {false, true}) {
    if (is_begun) model_->Init({3, 7});
    testing::internal::CaptureStderr();
    try {
      const DeviceScope scope(model_.get(), 5);
      throw std::runtime_error("out of memory");
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "out of memory");
    }
    const std::string lines = testing::internal::GetCapturedStderr();
    EXPECT_NE(lines.find("device 5"), std::string::npos) << lines;
    EXPECT_NE(lines.find(is_begun ? "3, 7" : "Init comes first"), std::string::npos) << lines;
  }
}

TEST_F(SharedModelTest, DestroyedWithWorkUnderWayItReturnsAndCallsNobody) {  // sm-vec-31
  for (const char* updates : {"0", "1"}) DestroyWithWorkUnderWay("local", {{"update_on_server", updates}});
}

}  // namespace
}  // namespace ps
