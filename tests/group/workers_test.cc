#include "group/workers.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "base/queue.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

constexpr std::size_t kPiece = Workers::kPiece;

class WorkersTest : public testing::Test {
 protected:
  Watchdog watchdog_;
};

// How often each element was worked on.
std::vector<int> Visits(Workers* workers, std::size_t count, std::size_t element = 1) {
  std::vector<int> visits(count);
  workers->Split(count, element, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) ++visits[i];
  });
  return visits;
}

TEST_F(WorkersTest, EveryElementIsWorkedOnOnce) {
  for (const int num_threads : {-1, 1, 2, 5}) {
    Workers workers(num_threads, 1);
    for (const std::size_t count :
         {std::size_t{0}, std::size_t{1}, kPiece - 1, kPiece, kPiece + 1, 9 * kPiece + 7})
      EXPECT_EQ(Visits(&workers, count), std::vector<int>(count, 1)) << num_threads << " " << count;
  }
}

TEST_F(WorkersTest, PiecesAreTheSameForEveryNumberOfThreads) {
  const auto pieces = [](int num_threads, std::size_t element) {
    Workers workers(num_threads, 1);
    Mutex mutex;
    std::set<std::pair<std::size_t, std::size_t>> seen;
    workers.Split(3 * kPiece + 5, element, [&](std::size_t begin, std::size_t end) {
      MutexLock lock(mutex);
      seen.emplace(begin, end);
    });
    return seen;
  };
  EXPECT_EQ(pieces(1, 1), pieces(4, 1));
  EXPECT_EQ(pieces(1, 1).size(), 4U);
  EXPECT_EQ(pieces(1, 1024), pieces(3, 1024));
  EXPECT_EQ(pieces(1, 1024).begin()->second, kPiece / 1024);
  EXPECT_EQ(pieces(1, 2 * kPiece).begin()->second, 1U);  // rows wider than a piece
}

TEST_F(WorkersTest, WhatIsNotBigStaysWithTheCaller) {
  Workers workers(4, 3 * kPiece);
  const auto threads_of = [&](std::size_t count) {
    Mutex mutex;
    std::set<std::thread::id> seen;
    workers.Split(count, 1, [&](std::size_t, std::size_t) {
      MutexLock lock(mutex);
      seen.insert(std::this_thread::get_id());
    });
    return seen;
  };
  EXPECT_EQ(threads_of(3 * kPiece - 1), (std::set<std::thread::id>{std::this_thread::get_id()}));
}

TEST_F(WorkersTest, WhatIsBigIsSaidInElementsWhateverARowHas) {
  for (const std::size_t element : {1, 4}) {
    for (const std::size_t rows : {2 * kPiece / element, 2 * kPiece / element + 1}) {
      Workers workers(2, 2 * kPiece);
      // The first two pieces wait for each other: one thread alone would never end.
      std::vector<BlockingQueue<int>> queues(2);
      workers.Split(rows, element, [&](std::size_t begin, std::size_t) {
        const std::size_t mine = begin * element / kPiece;
        if (mine > 1) return;
        queues[1 - mine].Push(1);
        queues[mine].Pop();
      });
    }
    Workers workers(4, 2 * kPiece);
    workers.Split(2 * kPiece / element - 1, element,
                  [caller = std::this_thread::get_id()](std::size_t, std::size_t) {
                    EXPECT_EQ(std::this_thread::get_id(), caller);
                  });
  }
}

TEST_F(WorkersTest, SeveralThreadsWorkOnWhatIsBig) {
  Workers workers(2, 1);
  // Each piece waits for the other: one thread alone would never end.
  std::vector<BlockingQueue<int>> queues(2);
  workers.Split(2 * kPiece, 1, [&](std::size_t begin, std::size_t) {
    const std::size_t mine = begin / kPiece;
    queues[1 - mine].Push(1);
    queues[mine].Pop();
  });
}

// From the fourth piece on they fail.
void ExpectThrows(Workers* workers) {
  try {
    workers->Split(20 * kPiece, 1, [](std::size_t begin, std::size_t) {
      if (begin >= 3 * kPiece) throw std::runtime_error("piece " + std::to_string(begin / kPiece));
    });
    ADD_FAILURE() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_EQ(std::string(error.what()).substr(0, 6), "piece ");
  }
}

TEST_F(WorkersTest, WhatAPieceThrowsIsThrownOnce) {
  for (const int num_threads : {1, 4}) {
    Workers workers(num_threads, 1);
    for (int round = 0; round < 20; ++round) {
      ExpectThrows(&workers);
      EXPECT_EQ(Visits(&workers, 5 * kPiece), std::vector<int>(5 * kPiece, 1));
    }
  }
}

TEST_F(WorkersTest, SeveralCallersShareTheThreads) {
  Workers workers(3, 1);
  std::atomic<int> failures{0};
  {
    std::vector<std::unique_ptr<Thread>> callers;
    for (int i = 0; i < 4; ++i) {
      callers.push_back(std::make_unique<Thread>("caller", [&] {
        for (int round = 0; round < 10; ++round) {
          if (Visits(&workers, 4 * kPiece + 3) != std::vector<int>(4 * kPiece + 3, 1)) ++failures;
        }
      }));
    }
  }
  EXPECT_EQ(failures, 0);
}

TEST_F(WorkersTest, WhatIsPostedRunsOnItsThreadsAndBeforeItsEnd) {
  std::atomic<int> ran{0};
  const std::thread::id caller = std::this_thread::get_id();
  {
    Workers workers(1, 1, 2);
    for (int i = 0; i < 100; ++i)
      workers.Post([&] { ran += std::this_thread::get_id() == caller ? 1000 : 1; });
    EXPECT_EQ(Visits(&workers, 4 * kPiece), std::vector<int>(4 * kPiece, 1));
  }
  EXPECT_EQ(ran, 100);
}

TEST_F(WorkersTest, AThreadOfTheirsMayEndThem) {
  BlockingQueue<bool> ended;
  auto workers = std::make_unique<Workers>(1, 1, 2);
  workers->Post([&workers, &ended] {
    workers.reset();
    ended.Push(true);
  });
  EXPECT_TRUE(ended.Pop().has_value());
}

}  // namespace
}  // namespace ps
