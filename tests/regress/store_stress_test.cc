// Random programs of several workers on several tables at once: every operation ends, and what was
// acknowledged is there once. Meant for the sanitizers, too. With PS_CHAOS_SEEDS more seeds.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "ps/store.h"
#include "tests/support/chaos.h"
#include "tests/support/store_world.h"

namespace ps {
namespace {

using Floats = std::vector<float>;

constexpr int kServers = 2;
constexpr int kWorkers = 3;
constexpr int kSteps = 60;
constexpr std::size_t kRows = 400000;  // of the large table: several lanes of a server have a part

TableSpec Table(const std::string& name, const Consistency& consistency, std::int64_t rows) {
  TableSpec spec = DenseSpec(name, rows);
  spec.consistency = consistency;
  return spec;
}

// What one worker does, as a seed says.
class Program {
 public:
  Program(Store* store, unsigned seed)
      : store_(*store), random_(seed), large_buffer_(kRows), ones_(kRows, 1) {
    large_ = store_.Create(Table("large", Consistency::Asp(), kRows));
    TableSpec merged = Table("merged", Consistency::Bsp(), 50);
    merged.apply = TableSpec::kMerged;
    merged_ = store_.Create(merged);
    each_ = store_.Create(Table("each", Consistency::Bsp(), 50));
    ssp_ = store_.Create(Table("ssp", Consistency::Ssp(1), 50));
    TableSpec hash = Table("hash", Consistency::Asp(), 0);
    hash.kind = TableSpec::kHash;
    hash_ = store_.Create(hash);
    OpenFleeting();
  }

  // Returns how often all of the large table was added to.
  int Run(bool closes_early) {
    const int steps = kSteps / 2 + static_cast<int>(random_() % kSteps);
    for (int step = 0; step < steps; ++step) {
      if (closes_early && step == steps / 2) {
        store_.Close();
        break;
      }
      Step();
    }
    if (!closes_early) End();
    for (const Ticket& ticket : tickets_) {
      const Status outcome = ticket.WaitFor(std::chrono::minutes(2));
      EXPECT_NE(outcome.code(), StatusCode::kDeadlineExceeded) << outcome;
      EXPECT_TRUE(ticket.Done()) << outcome;
    }
    return num_added_;
  }

 private:
  void End() {
    batches_.clear();
    for (StoreTable* table : {merged_.get(), each_.get(), ssp_.get()}) tickets_.push_back(table->Leave());
  }

  void Step() {
    switch (random_() % 12) {
      case 0:
        tickets_.push_back(large_->AddAsync(Rows::All(), ones_.data(), {random_() % 2 == 0, 0}));
        ++num_added_;
        break;
      case 1: large_->Get(SomeRows(kRows), large_buffer_.data()); break;
      case 2: ReadDelta(); break;
      case 3: tickets_.push_back(merged_->AddAsync(SomeRows(50), ones_.data())); break;
      case 4: tickets_.push_back(each_->AddAsync(SomeRows(50), ones_.data(), {true, 0})); break;
      case 5: tickets_.push_back(ssp_->AddAsync(SomeRows(50), ones_.data())); break;
      case 6: ReadRounds(); break;
      case 7: tickets_.push_back(hash_->AddAsync(SomeRows(1000000), ones_.data())); break;
      case 8: tickets_.push_back(hash_->EraseAsync(SomeRows(1000))); break;
      case 9: UseFleeting(); break;
      case 10: batches_.push_back(std::make_unique<StoreBatch>(store_)); break;
      default:
        if (!batches_.empty()) batches_.pop_back();
        if (!tickets_.empty())
          tickets_[random_() % tickets_.size()].Then([this](const Status&) { ++num_ended_; });
    }
  }

  Rows SomeRows(std::size_t below) {
    ids_.resize(random_() % 20);
    for (std::uint64_t& id : ids_) id = random_() % below;
    return Rows::Of(ids_);
  }

  void ReadDelta() {
    GetOptions options;
    options.memory = &memory_;
    options.changed = &changed_;
    large_->GetAsync(random_() % 4 == 0 ? Rows::All() : SomeRows(kRows), large_buffer_.data(), options)
        .Wait();
  }

  // Others may have to come first, so nobody waits here: the buffers stay until the end.
  void ReadRounds() {
    StoreTable* const tables[] = {merged_.get(), each_.get(), ssp_.get()};
    buffers_.push_back(std::make_unique<Floats>(50));
    tickets_.push_back(tables[random_() % 3]->GetAsync(Rows::All(), buffers_.back()->data()));
  }

  void OpenFleeting() {
    try {
      fleeting_ = store_.Create(Table("fleeting", Consistency::Asp(), 100000));
    } catch (const Error&) {
      fleeting_ = nullptr;
    }
  }

  // Anybody erases it, so anything may come of it but no answer.
  void UseFleeting() {
    if (fleeting_ == nullptr || random_() % 3 == 0) OpenFleeting();
    if (fleeting_ == nullptr) return;
    tickets_.push_back(fleeting_->AddAsync(Rows::All(), ones_.data(), {true, 0}));
    buffers_.push_back(std::make_unique<Floats>(100000));
    tickets_.push_back(fleeting_->GetAsync(Rows::All(), buffers_.back()->data()));
    if (random_() % 3 == 0) tickets_.push_back(store_.EraseTable("fleeting"));
  }

  Store& store_;
  std::mt19937 random_;
  Floats large_buffer_;
  const Floats ones_;
  std::unique_ptr<StoreTable> large_, merged_, each_, ssp_, hash_, fleeting_;
  ReadMemory memory_;
  std::vector<std::uint32_t> changed_;
  std::vector<std::uint64_t> ids_;
  std::vector<std::unique_ptr<Floats>> buffers_;
  std::vector<Ticket> tickets_;
  std::atomic<int> num_ended_{0};
  std::vector<std::unique_ptr<StoreBatch>> batches_;
  int num_added_ = 0;
};

class StoreStressTest : public testing::TestWithParam<Way> {};
INSTANTIATE_TEST_SUITE_P(Ways, StoreStressTest, EveryWay(), NameOfWay);

TEST_P(StoreStressTest, EveryOperationEndsAndWhatWasAcknowledgedIsThereOnce) {
  ForEachSeed([](uint64_t seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    StoreWorld world(GetParam(), kServers, kWorkers);
    std::atomic<int> num_added{0};
    std::vector<std::unique_ptr<Program>> programs(kWorkers);
    world.Run([&](int worker, Store& store) {
      const auto mine = static_cast<std::size_t>(worker);
      programs[mine] = std::make_unique<Program>(&store, static_cast<unsigned>(seed * kWorkers) + mine);
      num_added += programs[mine]->Run(false);
      try {
        store.Flush();
      } catch (const Error&) {
        // Of the table that others erase.
      }
      store.Barrier();
      const auto large = store.Create(Table("large", Consistency::Asp(), kRows));
      Floats values(kRows);
      large->Get(Rows::All(), values.data());
      EXPECT_EQ(values, Floats(kRows, static_cast<float>(num_added))) << "worker " << worker;
    });
    for (int worker = 0; worker < kWorkers; ++worker) world[worker].Close();
    programs.clear();
  });
}

TEST(StoreStressTest, AWorkerMayCloseItsLocalStoreWheneverItLikes) {
  for (const Way way : {Way::kLoopback, Way::kLoopbackThreads}) {
    ForEachSeed([way](uint64_t seed) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      // A continuation may run after its ticket is done: the programs outlive the stores.
      std::vector<std::unique_ptr<Program>> programs(kWorkers);
      StoreWorld world(way, kServers, kWorkers);
      world.Run([&](int worker, Store& store) {
        const auto mine = static_cast<std::size_t>(worker);
        programs[mine] = std::make_unique<Program>(&store, static_cast<unsigned>(seed * kWorkers) + mine);
        programs[mine]->Run(worker == 1);
      });
      for (int worker = 0; worker < kWorkers; ++worker) world[worker].Close();
      programs.clear();
    });
  }
}

}  // namespace
}  // namespace ps
