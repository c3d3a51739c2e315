#include "store/one_at_a_time.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>
#include <vector>

#include "tests/support/watchdog.h"

namespace ps {
namespace {

TEST(OneAtATimeTest, OneThreadIsInItAtATime) {
  const Watchdog watchdog;
  OneAtATime turns;
  int counter = 0;  // of who is in its turn
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < 2000; ++n) turns.Run([&] { ++counter; });
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(counter, 8000);
}

TEST(OneAtATimeTest, AThreadMayComeAgainWithinItsTurn) {
  OneAtATime turns;
  bool was_mine_inside = false;
  bool was_mine_between = false;
  turns.Run([&] {
    turns.Run([&] { was_mine_inside = turns.IsMine(); });
    was_mine_between = turns.IsMine();
  });
  EXPECT_TRUE(was_mine_inside);
  EXPECT_TRUE(was_mine_between);
  EXPECT_FALSE(turns.IsMine());
}

TEST(OneAtATimeTest, AnotherThreadIsNotInTheTurnAndATurnEndsWithWhatIsThrown) {
  const Watchdog watchdog;
  OneAtATime turns;
  EXPECT_THROW(turns.Run([] { throw std::runtime_error("thrown"); }), std::runtime_error);
  bool is_theirs = true;
  turns.Run([&] { std::thread([&] { is_theirs = turns.IsMine(); }).join(); });
  EXPECT_FALSE(is_theirs);
}

}  // namespace
}  // namespace ps
