#include "ps/alloc.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <new>

#include "base/arena.h"

namespace ps {
namespace {

TEST(AllocTest, ArraysAreLikeAnyOthers) {
  SArray<float> array = Alloc<float>(1000);
  ASSERT_EQ(array.size(), 1000u);
  std::fill(array.begin(), array.end(), 2.5f);
  const SArray<float> part = array.segment(10, 20);
  EXPECT_NE(ArenaHeap::Shared().Find(reinterpret_cast<const char*>(part.data()), 40), nullptr);
  array.clear();
  EXPECT_EQ(part[9], 2.5f);
  EXPECT_TRUE(Alloc(0).empty());
  EXPECT_EQ(Alloc(3).size(), 3u);
  EXPECT_THROW(Alloc<double>(SIZE_MAX / 4), std::bad_alloc);
}

TEST(AllocTest, AChildOfForkSharesIt) {
  SArray<int> array = Alloc<int>(10);
  array[0] = 1;
  const pid_t child = fork();
  if (child == 0) {
    array[0] = 2;
    _exit(0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(array[0], 2);
}

// The same place might be given out twice, by parent and child.
TEST(AllocTest, AChildOfForkIsGivenMemoryOfItsOwn) {
  SArray<int> array = Alloc<int>(10);
  const pid_t child = fork();
  if (child == 0) {
    const SArray<char> own = Alloc<char>(5000);
    array.clear();
    const SArray<char> again = Alloc<char>(40);
    const ArenaHeap& heap = ArenaHeap::Shared();
    _exit(heap.Find(own.data(), 5000) == nullptr && heap.Find(again.data(), 40) == nullptr ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace ps
