// The acceptance vectors of KVStore in one process: alone, and with servers in a LocalCluster.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/kv_program.h"
#include "tests/support/kv_world.h"

namespace ps {
namespace {

class KVVectors : public testing::TestWithParam<std::string> {
 protected:
  static void Run(KVProgram::Kind kind) {
    int num_run = 0;
    for (const nlohmann::json& vector : KVProgram::Read(GetParam())) {
      if (!KVProgram::Has(vector, kind)) continue;
      KVWorld world(vector.at("type"), vector.value("servers", 1), vector.value("workers", 1));
      KVProgram::Stores stores;
      for (int worker = 0; worker < world.num_workers(); ++worker) stores.push_back(&world[worker]);
      EXPECT_EQ(KVProgram(vector, kind, stores, [] {}).Run(), std::vector<std::string>());
      ++num_run;
    }
    EXPECT_GT(num_run, 0);
  }
};
INSTANTIATE_TEST_SUITE_P(Files, KVVectors, testing::ValuesIn(KVProgram::Files()),
                         [](const testing::TestParamInfo<std::string>& info) {
                           return info.param.substr(0, info.param.find('.'));
                         });

TEST_P(KVVectors, WithNumbersAsKeys) { Run(KVProgram::Kind::kNumbers); }
TEST_P(KVVectors, WithTextsAsKeys) { Run(KVProgram::Kind::kTexts); }

}  // namespace
}  // namespace ps
