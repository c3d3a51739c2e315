// The acceptance vectors of KVStore by the C functions: in one process, and with servers in a cluster of it.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/support/c_calls.h"
#include "tests/support/c_kv_world.h"
#include "tests/support/c_kvstore.h"
#include "tests/support/kv_program.h"

namespace ps {
namespace {

class CKVVectors : public testing::TestWithParam<std::string> {
 protected:
  static void Run(KVProgram::Kind kind) {
    const HandleBalance balance;
    int num_run = 0;
    for (const nlohmann::json& vector : KVProgram::Read(GetParam())) {
      if (!KVProgram::Has(vector, kind)) continue;
      const CKVWorld world(vector.at("type"), vector.value("servers", 1), vector.value("workers", 1));
      std::vector<std::unique_ptr<CKVStore>> adapters;
      KVProgram::Stores stores;
      for (int worker = 0; worker < world.num_workers(); ++worker) {
        adapters.push_back(std::make_unique<CKVStore>(world[worker]));
        stores.push_back(adapters.back().get());
      }
      EXPECT_EQ(KVProgram(vector, kind, stores, [] {}).Run(), std::vector<std::string>());
      ++num_run;
    }
    EXPECT_GT(num_run, 0);
  }
};
INSTANTIATE_TEST_SUITE_P(Files, CKVVectors, testing::ValuesIn(KVProgram::Files()),
                         [](const testing::TestParamInfo<std::string>& info) {
                           return info.param.substr(0, info.param.find('.'));
                         });

TEST_P(CKVVectors, WithNumbersAsKeys) { Run(KVProgram::Kind::kNumbers); }
TEST_P(CKVVectors, WithTextsAsKeys) { Run(KVProgram::Kind::kTexts); }

}  // namespace
}  // namespace ps
