// Pushes and pulls of EngineStore.

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "base/queue.h"
#include "tests/support/kv_values.h"
#include "tests/support/kv_world.h"
#include "tests/support/log_capture.h"
#include "transport/forwarding_transport.h"

namespace ps {
namespace {

class OfOneProcess : public testing::TestWithParam<std::string> {
 protected:
  Watchdog watchdog_;
  std::unique_ptr<KVStore> store_ = KVStore::Create(GetParam());
};
INSTANTIATE_TEST_SUITE_P(Types, OfOneProcess, testing::Values("local", "device"));

// V026. The loss of precision of many rounds, relative to the sum.
class Sums {
 public:
  Sums(const Shape& shape, std::uint64_t seed) : random_(seed) {
    for (int device = 0; device < 4; ++device)
      gradients_.push_back(Tensor::Full(shape, 0, DType::kF32, DeviceId::Cpu(device)));
    expected_.resize(static_cast<std::size_t>(gradients_[0].view().size()));
  }

  // What four devices contribute to a round, at a rate of .1; the same tensors each time.
  const std::vector<Tensor>& NextGradients() {
    std::vector<float> values(expected_.size());
    for (Tensor& gradient : gradients_) {
      for (std::size_t i = 0; i < values.size(); ++i) {
        random_ = random_ * 6364136223846793005U + 1442695040888963407U;
        values[i] = static_cast<float>(random_ >> 40) * 0x1p-23F - 1;
        expected_[i] += .1 * values[i];
      }
      gradient.CopyFrom(values.data());
    }
    return gradients_;
  }
  double ErrorOf(const Tensor& tensor) const {
    const std::vector<float> values = ReadFloats(tensor);
    double difference = 0;
    double norm = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      difference += std::abs(values[i] - expected_[i]);
      norm += std::abs(expected_[i]);
    }
    return difference / norm;
  }

 private:
  std::uint64_t random_;
  std::vector<Tensor> gradients_;
  std::vector<double> expected_;
};

// V018, V020, V021.
TEST_P(OfOneProcess, AProgramsOwnRuleSeesTheKeyTheSumAndTheValue) {
  std::set<std::int64_t> seen;
  store_->SetUpdater([&seen](const KVKey& key, const Tensor& received, Tensor* stored) {
    seen.insert(key.number());
    std::vector<float> sum = ReadFloats(received);
    const std::vector<float> old = ReadFloats(*stored);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] = old[i] + 2 * sum[i];
    stored->CopyFrom(sum.data());
  });
  const Tensor one = FloatsOf({1, 1, 1});
  store_->Init({5, 7, 9}, {one, one, one});
  store_->Push({5, 7, 9}, {one, one, one});
  Tensor out = FloatsOf({0, 0, 0});
  for (const int key : {5, 7, 9}) {
    store_->Pull(key, {out});
    EXPECT_EQ(ReadFloats(out), std::vector<float>(3, 3)) << key;
    store_->Push(KVKeys::Repeated(key, 4), {one, one, one, one});
    store_->Pull(key, {out});
    EXPECT_EQ(ReadFloats(out), std::vector<float>(3, 11)) << key;
  }
  EXPECT_EQ(seen, (std::set<std::int64_t>{5, 7, 9}));
  ExpectError([&] { store_->Push(42, {one}); }, "key 42 has not been inited");  // V052
}

TEST_P(OfOneProcess, ManyRoundsOfRandomGradientsAddUp) {
  store_->SetOptimizer("add rate=.1");
  int key = 0;
  for (const Shape& shape : {Shape{4, 4}, Shape{100, 100}, Shape{2000, 2000}}) {
    Sums sums(shape, 11);
    store_->Init(++key, {Tensor::Full(shape, 0)});
    for (int round = 0; round < 10; ++round) store_->Push(KVKeys::Repeated(key, 4), sums.NextGradients());
    const Tensor out = Tensor::Empty(shape);
    store_->Pull(key, {out});
    EXPECT_LT(sums.ErrorOf(out), 1e-6) << "key " << key;
  }
}

// V131.
TEST_P(OfOneProcess, WhatWasPushedIsTheProgramsAgain) {
  Tensor gradient = FloatsOf({1, 2});
  store_->Init(1, {FloatsOf({5, 5})});
  store_->Push(1, {gradient});
  const std::vector<float> nine(2, 9);
  gradient.CopyFrom(nine.data());
  Tensor out = FloatsOf({0, 0});
  store_->Pull(1, {out});
  EXPECT_EQ(ReadFloats(out), (std::vector<float>{1, 2}));
  EXPECT_EQ(ReadFloats(gradient), nine);
}

TEST_P(OfOneProcess, RowsArePulledIntoSeveralTensors) {  // V141, V060
  const Tensor ids = Tensor::Full({0}, 0, DType::kI64);
  store_->SetOptimizer("add rate=1");
  store_->Init(1, {Tensor::RowSparse({4, 2}, ids, Tensor::Empty({0, 2}))});
  Tensor row_ids = Tensor::Empty({2}, DType::kI64);
  const std::int64_t rows[] = {3, 1};
  row_ids.CopyFrom(rows);
  Tensor sorted = Tensor::Empty({2}, DType::kI64);
  const std::int64_t ascending[] = {1, 3};
  sorted.CopyFrom(ascending);
  store_->Push(1, {Tensor::RowSparse({4, 2}, sorted, Tensor::Full({2, 2}, 7))});
  Tensor first;
  Tensor second;
  store_->RowSparsePull(KVKeys::Repeated(1, 2), {&first, &second}, {row_ids, ids});
  EXPECT_EQ(ReadFloats(first.values()), std::vector<float>(4, 7));
  EXPECT_EQ(second.values().view().size(), 0);
  Tensor both[2];
  store_->RowSparsePull(KVKeys::Repeated(1, 2), {&both[0], &both[1]}, {row_ids});
  EXPECT_EQ(ReadFloats(both[1].values()), std::vector<float>(4, 7)) << "one list for all";
  ExpectError(
      [&] {
        store_->RowSparsePull(KVKeys::Repeated(1, 2), {&first, &second}, {ids, ids, ids});
      },
      "the number of row_ids doesn't match the number of values");
}

TEST_P(OfOneProcess, ASparseTensorIsLeftAloneByAPullOfTheWhole) {
  store_->Init(1, {FloatsOf({1, 1})});
  const Tensor sparse = Tensor::RowSparse({2}, Tensor::Full({1}, 1, DType::kI64), Tensor::Full({1}, 5));
  LogCapture log;
  store_->Pull(1, {sparse});
  store_->Pull(1, {sparse});
  EXPECT_EQ(ReadFloats(sparse.values()), std::vector<float>{5});
  EXPECT_EQ(log.Count("This call has been ignored"), 1);
  ExpectError([&] { store_->Pull(1, {sparse}, 0, false); }, "RowSparsePull");
}

TEST_P(OfOneProcess, WhatCanNotBeIsRefusedBeforeAnythingIsSent) {
  store_->Init({1, 2}, {FloatsOf({1}), FloatsOf({2})});
  ExpectError(
      [&] {
        store_->Push({1, 2}, {FloatsOf({5}), FloatsOf({5, 5})});
      },
      "key 2: operands shape mismatch");
  ExpectError([&] { store_->Push({1, 2}, {FloatsOf({5})}); }, "2 keys and 1 values");  // V054
  ExpectError(
      [&] {
        store_->PushPull({1}, {FloatsOf({5})}, {1, 2}, {FloatsOf({0}), FloatsOf({0})}, {});
      },
      "List of push and pull keys are different");
  ExpectError([&] { store_->PushPull({1}, {FloatsOf({5})}, {2}, {FloatsOf({0})}, {}); },
              "Mismatch in push and pull key");
  Tensor one = FloatsOf({0});
  store_->Pull(1, {one});
  EXPECT_EQ(ReadFloats(one), std::vector<float>{1});
  store_->Push(std::vector<KVKey>(), {});  // nothing is fine
}

// The bits of a sum do not depend on who comes first.
TEST(KVStoreClusterTest, RoundsAreTheSameInEveryRun) {
  std::mutex mutex;
  std::set<std::vector<float>> results;
  for (int run = 0; run < 5; ++run) {
    KVWorld world("dist_sync", 2, 3);
    world.Run([&](int worker, KVStore& store) {
      store.Init("w", {Tensor::Full({1000}, 0)});
      std::vector<float> values(1000);
      for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = std::pow(10.0F, static_cast<float>((i + static_cast<std::size_t>(worker) * 7) % 15)) / 3;
      store.Push("w", {FloatsOf(values)});
      const Tensor out = Tensor::Empty({1000});
      store.Pull("w", {out});
      const std::lock_guard<std::mutex> lock(mutex);
      results.insert(ReadFloats(out));
    });
  }
  EXPECT_EQ(results.size(), 1U);
}

TEST(KVStoreClusterTest, SeveralRowPullsOfAKeyAreRefused) {  // V068
  KVWorld world("dist_sync", 1, 1);
  const Tensor none = Tensor::Empty({0}, DType::kI64);
  world[0].Init(1, {Tensor::RowSparse({4, 2}, none, Tensor::Empty({0, 2}))});
  Tensor a;
  Tensor b;
  ExpectError(
      [&] {
        world[0].RowSparsePull(KVKeys::Repeated(1, 2), {&a, &b}, {none, none});
      },
      "RowSparsePull with multiple values is not supported yet");
  ExpectError([&] { world[0].SetUpdater([](const KVKey&, const Tensor&, Tensor*) {}); }, "RegisterUpdater");
  ExpectError(
      [&] {
        world[0].Pull(1, {Tensor::RowSparse({4, 2}, none, Tensor::Empty({0, 2}))}, 0, false);
      },
      "dist kvstore pull doesn't support ignore_sparse=False");  // V067
}

// What a node sends to the others waits while it is shut.
class Gate {
 public:
  bool is_shut() const { return is_shut_; }
  void Shut() { is_shut_ = true; }
  void Open() {
    is_shut_ = false;
    room_again_();
  }
  void set_room_again(std::function<void()> room_again) { room_again_ = std::move(room_again); }

 private:
  std::atomic<bool> is_shut_{false};
  std::function<void()> room_again_;
};

class GatedTransport : public ForwardingTransport {
 public:
  GatedTransport(std::unique_ptr<Transport> inner, Gate* gate)
      : ForwardingTransport(std::move(inner)), gate_(gate) {}
  ~GatedTransport() override { Close(0); }

  Result<std::unique_ptr<Link>> Connect(const Address& peer, uint64_t incarnation) override {
    Result<std::unique_ptr<Link>> link = inner_->Connect(peer, incarnation);
    if (!link.ok()) return link;
    return std::unique_ptr<Link>(std::make_unique<GatedLink>(std::move(link).value(), gate_));
  }
  void set_release_callback(std::function<void()> callback) override {
    gate_->set_room_again(callback);
    inner_->set_release_callback(std::move(callback));
  }

 private:
  class GatedLink : public Link {
   public:
    GatedLink(std::unique_ptr<Link> inner, const Gate* gate) : inner_(std::move(inner)), gate_(gate) {}
    SendResult TrySend(const Frame& frame) override {
      return gate_->is_shut() ? SendResult::kFull : inner_->TrySend(frame);
    }
    uint64_t piece_bytes() const override { return inner_->piece_bytes(); }
    size_t unreleased() const override { return inner_->unreleased(); }
    void Close() override { inner_->Close(); }

   private:
    const std::unique_ptr<Link> inner_;
    const Gate* const gate_;
  };

  Gate* const gate_;
};

// V032: what waits for room on the way to a server leaves by priority, the higher first, and calls of one
// priority in their order. What has left is not overtaken.
TEST(KVStoreClusterTest, V032CallsThatWaitForTheWayLeaveByPriority) {
  Gate gate;
  BlockingQueue<int> done;
  LocalClusterOptions cluster;
  cluster.config.server_threads = 0;
  cluster.wrap_transport = [&gate](std::unique_ptr<Transport> inner, int node_index) {
    constexpr int kWorker = 2;
    if (node_index != kWorker) return inner;
    return std::unique_ptr<Transport>(std::make_unique<GatedTransport>(std::move(inner), &gate));
  };
  KVWorld world("dist_async", 1, 1, {}, cluster);
  KVStore& store = world[0];
  store.SetOptimizer("add rate=1");
  store.Init({1, 2, 3, 4}, std::vector<Tensor>(4, FloatsOf({0})));
  gate.Shut();
  const int priorities[] = {-2, -1, 0, -1};
  for (int key = 1; key <= 4; ++key) {
    const Ticket ticket = store.Push(key, {FloatsOf({1})}, {priorities[key - 1]});
    ticket.Then([&done, key](const Status&) { done.Push(key); });
  }
  gate.Open();
  std::vector<int> order;
  while (order.size() < 4) order.push_back(done.Pop().value());
  EXPECT_EQ(order, (std::vector<int>{3, 2, 4, 1}));
}

}  // namespace
}  // namespace ps
