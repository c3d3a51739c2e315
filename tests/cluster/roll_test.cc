#include "cluster/roll.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ps {
namespace {

using Processes = std::vector<ProcessMembers>;

TEST(RollTest, IsCompleteWhenEveryNodeHasItsProcess) {
  Roll roll(2, 2);
  EXPECT_EQ(roll.Missing(), "worker 0, worker 1, server 0, server 1");
  EXPECT_TRUE(roll.Add({1, 0}).ok());
  EXPECT_TRUE(roll.Add({-1, 1}).ok());
  EXPECT_FALSE(roll.complete());
  EXPECT_EQ(roll.Missing(), "worker 0");
  EXPECT_TRUE(roll.Add({0, -1}).ok());
  EXPECT_TRUE(roll.complete());
  EXPECT_EQ(roll.Missing(), "");
}

TEST(RollTest, RanksAreThoseOfTheWorkersThenOfTheServersWhoeverComesFirst) {
  const Processes expected = {{0, 2}, {1, -1}, {2, 0}, {-1, 1}};
  for (const Processes& order : {Processes{{-1, 1}, {2, 0}, {1, -1}, {0, 2}}, expected}) {
    Roll roll(3, 3);
    for (const ProcessMembers& process : order) ASSERT_TRUE(roll.Add(process).ok());
    EXPECT_EQ(roll.InOrder(), expected);
  }
}

TEST(RollTest, RefusesNodesThatThereAreNotAndThoseThatAnotherHas) {
  Roll roll(1, 2);
  EXPECT_TRUE(roll.Add({0, 0}).ok());
  EXPECT_NE(roll.Add({0, 1}).message().find("worker 0 and server 1, which another one has"),
            std::string::npos);
  EXPECT_FALSE(roll.Add({-1, 0}).ok());
  EXPECT_NE(roll.Add({1, -1}).message().find("worker 1, which there is not"), std::string::npos);
  EXPECT_FALSE(roll.Add({-1, 2}).ok());
  EXPECT_FALSE(roll.Add({-1, -1}).ok());
  EXPECT_EQ(roll.Missing(), "server 1") << "what is refused changes nothing";
}

TEST(RollTest, ListsArriveAsTheyWere) {
  for (const Processes& processes : {Processes{}, Processes{{0, -1}}, Processes{{3, 65535}, {-1, 0}}})
    EXPECT_EQ(DecodeProcesses(EncodeProcesses(processes)).value(), processes);
  for (const char* const text : {"x", "1", "1 ", "1 2 3\n", "-2 0\n", "0 65536\n", "\n", "1\t2"})
    EXPECT_EQ(DecodeProcesses(text).status().code(), StatusCode::kInvalidArgument) << text;
}

}  // namespace
}  // namespace ps
