#include "ps/multiverso/dashboard.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

namespace multiverso {
namespace {

// Each call counts once.
void Counted(){MONITOR_BEGIN(TEST_COUNTED) MONITOR_END(TEST_COUNTED)}

TEST(MultiversoDashboardTest, CountsABlockWhoeverRunsIt) {
  const std::int64_t before = Dashboard::AddMonitor("TEST_COUNTED").count();
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) threads.emplace_back(Counted);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(Dashboard::AddMonitor("TEST_COUNTED").count(), before + 3);
  const std::string begin = "[TEST_COUNTED]  count = " + std::to_string(before + 3) + " elapse = ";
  EXPECT_EQ(Dashboard::Watch("TEST_COUNTED").find(begin), 0u);
}

TEST(MultiversoDashboardTest, TellsCountTimeAndAverage) {
  static int repetition = 0;
  const std::string name = "TEST_TIMES_" + std::to_string(repetition++);
  const Monitor monitor = Dashboard::AddMonitor(name);
  EXPECT_EQ(monitor.info_string(), "[" + name + "]  count = 0 elapse = 0 ms average = 0 ms");
  monitor.End(Monitor::Now() - std::chrono::milliseconds(30));
  monitor.End(Monitor::Now() - std::chrono::milliseconds(10));
  EXPECT_EQ(monitor.count(), 2);
  EXPECT_GE(monitor.elapse(), 40);
  EXPECT_DOUBLE_EQ(monitor.average(), monitor.elapse() / 2);
}

TEST(MultiversoDashboardTest, WatchOfAnUnknownNameIsEmpty) {
  EXPECT_EQ(Dashboard::Watch("TEST_UNKNOWN"), "");
  EXPECT_EQ(Dashboard::Watch("TEST_UNKNOWN"), "") << "asking makes none";
}

TEST(MultiversoDashboardTest, DisplayWritesALineForEach) {
  Dashboard::AddMonitor("TEST_B");
  Dashboard::AddMonitor("TEST_A");
  testing::internal::CaptureStdout();
  Dashboard::Display();
  const std::string text = testing::internal::GetCapturedStdout();
  const std::size_t a = text.find("[TEST_A]  count = 0 elapse = 0 ms average = 0 ms\n");
  const std::size_t b = text.find("[TEST_B]  count = 0 elapse = 0 ms average = 0 ms\n");
  ASSERT_NE(a, std::string::npos) << text;
  ASSERT_NE(b, std::string::npos) << text;
  EXPECT_LT(a, b);
}

}  // namespace
}  // namespace multiverso
