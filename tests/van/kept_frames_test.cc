#include "van/kept_frames.h"

#include <gtest/gtest.h>

#include <random>

namespace ps {
namespace {

TEST(KeptFramesTest, PlacesAreUsedAgainAndGrowWithWhatIsKept) {
  KeptFrames frames;
  std::mt19937 random(5);
  uint64_t dropped = 0;
  for (int round = 0; round < 3000; ++round) {
    for (uint64_t count = random() % 40; count > 0; --count) {
      Frame* const place = frames.Place();
      EXPECT_EQ(place->payload_bytes(), 0u) << "what was dropped is let go";
      place->parts[1] = SArray<char>(frames.next() % 7, 'x');
      frames.Add(place->payload_bytes(), round);
    }
    if (frames.empty()) continue;
    dropped += 1 + random() % frames.size();
    frames.DropThrough(dropped);
    EXPECT_EQ(frames.first(), dropped + 1);
    uint64_t bytes = 0;
    for (uint64_t number = frames.first(); number < frames.next(); ++number) {
      EXPECT_EQ(frames[number].frame.payload_bytes(), number % 7);
      EXPECT_LE(frames[number].sent_ms, round);
      bytes += number % 7;
    }
    EXPECT_EQ(frames.bytes(), bytes);
    EXPECT_EQ(frames.size(), frames.next() - frames.first());
  }
}

TEST(KeptFramesTest, MemoryIsLetGoWithItsFrame) {
  KeptFrames frames;
  const SArray<char> memory(100, 'x');
  for (int i = 0; i < 40; ++i) {
    frames.Place()->parts[3] = memory;
    frames.Add(memory.size(), 0);
  }
  EXPECT_EQ(memory.ptr().use_count(), 41);
  EXPECT_EQ(frames.bytes(), 4000u);
  frames.DropThrough(30);
  EXPECT_EQ(memory.ptr().use_count(), 11);
  frames.DropThrough(40);
  EXPECT_EQ(memory.ptr().use_count(), 1);
  EXPECT_TRUE(frames.empty());
  EXPECT_EQ(frames.next(), 41u);
}

}  // namespace
}  // namespace ps
