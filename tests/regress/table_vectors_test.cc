// The acceptance vectors of the tables, over each way there is from a client to its servers.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/store_world.h"
#include "tests/support/table_program.h"

namespace ps {
namespace {

class TableVectors : public testing::TestWithParam<Way> {};
INSTANTIATE_TEST_SUITE_P(Ways, TableVectors, EveryWay(), NameOfWay);

TEST_P(TableVectors, GiveWhatTheyMust) {
  for (const nlohmann::json& vector : TableProgram::Read("tables.json")) {
    StoreWorld world(GetParam(), vector.at("servers"), vector.at("workers"));
    TableProgram::Stores stores;
    for (int worker = 0; worker < world.num_workers(); ++worker)
      stores.push_back(AnyStore::Of(world[worker]));
    EXPECT_EQ(TableProgram(vector, stores, [] {}).Run(), std::vector<std::string>());
  }
}

}  // namespace
}  // namespace ps
