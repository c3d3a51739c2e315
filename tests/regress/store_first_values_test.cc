// A rule of the program's own makes the first values of a table (Updater::Initialize): once, before anybody
// reads them, and not where values come from elsewhere.
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "ps/half.h"
#include "tests/support/job.h"
#include "tests/support/model_arrays.h"
#include "tests/support/ruled_table.h"

namespace ps {
namespace {

std::atomic<int> num_made{0};
std::atomic<int> fails_left{0};  // of rules with the option fails

// values = 100 + place at first, then values += delta.
class Starting final : public Updater {
 public:
  explicit Starting(bool needs_share) : needs_share_(needs_share) {}
  Status Configure(const UpdaterOptions& options) override {
    fails_ = options.count("fails") != 0;
    return Status::Ok();
  }
  bool NeedsShare() const override { return needs_share_; }
  Status Initialize(void* values, std::size_t size) override {
    if (fails_ && fails_left > 0) {
      --fails_left;
      static_cast<float*>(values)[0] = 5;
      throw std::runtime_error("no first values today");
    }
    for (std::size_t i = 0; i < size; ++i) static_cast<float*>(values)[i] += 100 + static_cast<float>(i);
    ++num_made;
    return Status::Ok();
  }
  void Update(const UpdateRun* runs, std::size_t num_runs, const UpdateContext&) override {
    for (const UpdateRun* run = runs; run != runs + num_runs; ++run) {
      for (std::size_t i = 0; i < run->size; ++i)
        static_cast<float*>(run->values)[i] += static_cast<const float*>(run->delta)[i];
    }
  }

 private:
  const bool needs_share_;
  bool fails_ = false;
};

UpdaterFactory FactoryOf(bool needs_share) {
  return [needs_share](const UpdaterTarget&) -> Result<std::unique_ptr<Updater>> {
    return std::unique_ptr<Updater>(std::make_unique<Starting>(needs_share));
  };
}

class StoreFirstValues : public testing::TestWithParam<Way> {
 protected:
  void SetUp() override {
    static const Status starting = RegisterUpdater("starting", FactoryOf(false));
    static const Status sharing = RegisterUpdater("sharing", FactoryOf(true));
    ASSERT_TRUE(starting.ok() && sharing.ok());
    num_made = 0;
    folder_ = NewFolder("store_first_values");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  static TableSpec SpecOf(const std::string& rule, DType dtype = DType::kF32) {
    TableSpec spec = DenseSpec("t", 3, 1);
    spec.min_split = 3;
    spec.dtype = dtype;
    spec.updater = rule;
    return spec;
  }
  static Floats Read(StoreTable& table) {
    Floats values(static_cast<std::size_t>(table.spec().rows * table.spec().width));
    table.Get(Rows::All(), values.data());
    return values;
  }

  std::string folder_;
};
INSTANTIATE_TEST_SUITE_P(Ways, StoreFirstValues, EveryWay(), NameOfWay);

TEST_P(StoreFirstValues, TheyAreMadeOnceWhoeverOpensTheTable) {
  StoreWorld world(GetParam(), 2, 2);
  const auto tables = world.Create(SpecOf("sharing"));
  for (const auto& table : tables) EXPECT_EQ(Read(*table), (Floats{100, 101, 102}));
  const Floats ones(3, 1);
  tables[0]->Add(Rows::All(), ones.data());
  EXPECT_EQ(Read(*world[1].Create(SpecOf("sharing"))), (Floats{101, 102, 103}));
  EXPECT_EQ(num_made, 1);
}

TEST_P(StoreFirstValues, EveryServerMakesThoseOfItsShare) {
  StoreWorld world(GetParam(), 2, 1);
  TableSpec spec = DenseSpec("wide", 200000, 1);
  spec.min_split = 0;
  spec.updater = "sharing";
  const Floats values = Read(*world[0].Create(spec));
  EXPECT_EQ(num_made, 2);
  EXPECT_EQ(values[0], 100);
  EXPECT_EQ(values[99999], 100 + 99999);
  EXPECT_EQ(values[100000], 100);
}

TEST_P(StoreFirstValues, NotOfACheckpointOrWhereTheRuleComesLater) {
  const Floats ones(3, 1);
  {
    StoreWorld world(GetParam(), 2, 1);
    const auto table = world[0].Create(SpecOf("starting"));
    table->Add(Rows::All(), ones.data());
    world[0].Save(folder_);
  }
  num_made = 0;
  StoreWorld world(GetParam(), 2, 1);
  world[0].Load(folder_);
  EXPECT_EQ(Read(*world[0].Create(SpecOf("starting"))), (Floats{101, 102, 103}));
  TableSpec later = SpecOf("add");
  later.name = "later";
  const auto table = world[0].Create(later);
  table->SetUpdater({"starting", {}}).Wait();
  table->Add(Rows::All(), ones.data());
  EXPECT_EQ(Read(*table), ones);
  EXPECT_EQ(num_made, 0);
}

TEST_P(StoreFirstValues, HalvesAreMadeAsFloats) {
  for (const bool has_masters : {false, true}) {
    StoreWorld world(GetParam(), 1, 1);
    TableSpec spec = SpecOf("sharing", DType::kF16);
    spec.multi_precision = has_masters;
    std::vector<Half> halves(3);
    world[0].Create(spec)->Get(Rows::All(), halves.data());
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(static_cast<float>(halves[i]), 100 + static_cast<float>(i));
  }
}

TEST_P(StoreFirstValues, WhereThatFailsEveryOperationOfTheTableDoesAndOthersGoOn) {
  StoreWorld world(GetParam(), 1, 1);
  TableSpec spec = SpecOf("starting");
  spec.updater_options = {{"fails", "1"}};
  fails_left = 1;
  const auto table = world[0].Create(spec);
  const Floats ones(3, 1);
  for (int i = 0; i < 2; ++i) {
    ExpectRefused(StatusCode::kInternal, {"no first values today"}, [&] { Read(*table); });
    ExpectRefused(StatusCode::kInternal, {"no first values today"},
                  [&] { table->Add(Rows::All(), ones.data()); });
  }
  EXPECT_EQ(fails_left, 0) << "it was asked once";
  TableSpec other = SpecOf("starting");
  other.name = "other";
  EXPECT_EQ(Read(*world[0].Create(other)), (Floats{100, 101, 102}));
}

TEST_P(StoreFirstValues, WhoeverOpensATableWithoutThemLetsTheRuleTryAgain) {
  for (const char* rule : {"starting", "sharing"}) {
    StoreWorld world(GetParam(), 2, 1);
    TableSpec spec = SpecOf(rule);
    spec.updater_options = {{"fails", "1"}};
    fails_left = 2;
    for (int i = 0; i < 2; ++i) {
      const auto table = world[0].Create(spec);
      ExpectRefused(StatusCode::kInternal, {"no first values today"}, [&] { Read(*table); });
    }
    EXPECT_EQ(Read(*world[0].Create(spec)), (Floats{100, 101, 102})) << rule;
    EXPECT_EQ(Read(*world[0].Create(spec)), (Floats{100, 101, 102})) << rule;
  }
}

}  // namespace
}  // namespace ps
