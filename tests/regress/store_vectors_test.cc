// The acceptance vectors of the store, over each way there is from a client to its servers.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/store_world.h"
#include "tests/support/vector_program.h"

namespace ps {
namespace {

class StoreVectors : public testing::TestWithParam<Way> {
 protected:
  void RunAll(const std::string& file) {
    for (const nlohmann::json& vector : VectorProgram::Read(file)) {
      StoreWorld world(GetParam(), vector.at("servers"), vector.at("workers"));
      VectorProgram::Stores stores;
      for (int worker = 0; worker < world.num_workers(); ++worker)
        stores.push_back(AnyStore::Of(world[worker]));
      EXPECT_EQ(VectorProgram(vector, stores, [] {}).Run(), std::vector<std::string>());
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Ways, StoreVectors, EveryWay(), NameOfWay);

TEST_P(StoreVectors, Consistency) { RunAll("consistency.json"); }
TEST_P(StoreVectors, Rounds) { RunAll("rounds.json"); }
TEST_P(StoreVectors, Updaters) { RunAll("updaters.json"); }
TEST_P(StoreVectors, Compression) { RunAll("compression.json"); }

}  // namespace
}  // namespace ps
