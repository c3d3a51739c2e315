#include "base/variables.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace ps {
namespace {

TEST(VariablesTest, EveryVariableIsListedOnceWithItsMeaning) {
  std::set<std::string> names;
  for (const VariableInfo& info : KnownVariables()) {
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_GT(std::string(info.default_value).size(), 0u) << info.name;
    EXPECT_GT(std::string(info.meaning).size(), 5u) << info.name;
  }
  EXPECT_EQ(names.count("DMLC_ROLE"), 1u);
}

TEST(VariablesTest, EditDistanceCountsSingleChanges) {
  EXPECT_EQ(EditDistance("", ""), 0);
  EXPECT_EQ(EditDistance("abc", ""), 3);
  EXPECT_EQ(EditDistance("kitten", "sitting"), 3);
  EXPECT_EQ(EditDistance("PS_VERBOSE", "PS_VERBOS"), 1);
}

TEST(VariablesTest, TheNearestNameIsOffered) {
  EXPECT_EQ(NearestVariable("PS_RESEND_TIMOUT"), "PS_RESEND_TIMEOUT");
  EXPECT_EQ(NearestVariable("DMLC_PS_ROOT_PROT"), "DMLC_PS_ROOT_PORT");
}

TEST(VariablesTest, WarnsOfUnknownNamesOfOursOnly) {
  const std::vector<std::string> warnings =
      UnknownVariableWarnings({"PS_VERBOS", "DMLC_PS_VAN_TYP", "PS_VERBOSE", "PS1", "DMLC_TRACKER_URI",
                               "HOME", "PS_VERBOS", "PS_LIBRARY", "PS_PYTHON_SERVE"});
  ASSERT_EQ(warnings.size(), 2u);
  EXPECT_EQ(warnings[0],
            "the variable DMLC_PS_VAN_TYP is not known and has no effect; did you mean DMLC_PS_VAN_TYPE?");
  EXPECT_EQ(warnings[1], "the variable PS_VERBOS is not known and has no effect; did you mean PS_VERBOSE?");
}

TEST(VariablesTest, WarnsOfAlmostOneOfOursButNotOfWhatOtherLaunchersSet) {
  const std::vector<std::string> slips = UnknownVariableWarnings({"DMLC_NUM_WORKERS", "DMLC_ROL"});
  ASSERT_EQ(slips.size(), 2u);
  EXPECT_NE(slips[0].find("DMLC_NUM_WORKERS is not known and has no effect; did you mean DMLC_NUM_WORKER?"),
            std::string::npos);
  EXPECT_NE(slips[1].find("did you mean DMLC_ROLE?"), std::string::npos);
  const std::vector<std::string> others = UnknownVariableWarnings(
      {"DMLC_JOB_CLUSTER", "DMLC_NUM_ATTEMPT", "DMLC_TRACKER_URI", "DMLC_TRACKER_PORT", "DMLC_NUM_PORTS",
       "DMLC_GROUP_SIZE", "DMLC_ENABLE_RDMA", "DMLC_ENABLE_UCX", "DMLC_WORKER_CORES", "DMLC_SERVER_MEMORY_MB",
       "DMLC_JOB_ARCHIVES", "DMLC_HDFS_OPTS", "DMLC_CPU_VCORES", "DMLC_LOG_FATAL_THROW",
       "DMLC_LOG_STACK_TRACE"});
  EXPECT_EQ(others, std::vector<std::string>());
}

}  // namespace
}  // namespace ps
