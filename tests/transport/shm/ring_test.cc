#include "transport/shm/ring.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/transport_endpoint.h"
#include "tests/support/watchdog.h"
#include "transport/shm/segment.h"

namespace ps {
namespace {

using Write = RingWriter::Outcome;
using Read = RingReader::Outcome;

constexpr uint64_t kCapacity = Segment::kSmallestCapacity;

class RingTest : public testing::Test {
 protected:
  RingControl& control() { return *segment_->memory().control; }
  char* data() { return segment_->memory().data; }
  std::string Payload() const { return std::string(record_.payload, record_.payload_bytes); }
  uint64_t Number() const {
    uint64_t number = 0;
    std::memcpy(&number, record_.head.data(), sizeof(number));
    return number;
  }

  // Expects that the reader refuses what the writer has made of the ring, and goes on refusing.
  void ExpectMalformed() {
    EXPECT_TRUE(reader_.HasMore());
    EXPECT_EQ(reader_.Next(&record_), Read::kMalformed);
    EXPECT_EQ(reader_.Next(&record_), Read::kMalformed);
  }

  // Pages of the data that there are.
  size_t NumPages() {
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    std::vector<unsigned char> pages(kCapacity / page);
    EXPECT_EQ(mincore(data(), kCapacity, pages.data()), 0);
    return static_cast<size_t>(
        std::count_if(pages.begin(), pages.end(), [](unsigned char one) { return (one & 1) != 0; }));
  }

  Watchdog watchdog_;
  Descriptor memfd_;
  std::shared_ptr<Segment> segment_ = Segment::Create(kCapacity, &memfd_).value();
  RingWriter writer_{segment_->memory()};
  RingReader reader_{segment_->memory()};
  RingReader::Record record_;
};

TEST_F(RingTest, ARingOfFewRecordsStaysSmall) {
  EXPECT_EQ(NumPages(), 0u);
  for (int written = 0; written < 5; ++written) {
    ASSERT_EQ(writer_.TryWrite(NumberedFrame(1, Pattern(4000))), Write::kWritten);
    // As many pages as are written to, and the same again.
    EXPECT_LE(NumPages(), 2u * static_cast<size_t>(written + 2));
  }
}

TEST_F(RingTest, RecordsComeOutAsTheyWentIn) {
  EXPECT_FALSE(reader_.HasMore());
  EXPECT_EQ(reader_.Next(&record_), Read::kEmpty);
  for (const size_t size : {0, 1, 63, 64, 4096, 4097, 20000}) {
    const Frame frame = NumberedFrame(size, Pattern(size));
    ASSERT_EQ(writer_.TryWrite(frame), Write::kWritten);
    EXPECT_TRUE(reader_.HasMore());
    ASSERT_EQ(reader_.Next(&record_), Read::kRecord);
    EXPECT_EQ(record_.head, frame.head);
    EXPECT_EQ(Payload(), Text(Pattern(size)));
    EXPECT_EQ(reader_.Next(&record_), Read::kEmpty);
    reader_.Release();
  }
}

TEST_F(RingTest, PartsAreOneStream) {
  Frame frame = NumberedFrame(1);
  frame.parts[0] = Pattern(10, 1);
  frame.parts[3] = Pattern(5000, 2);
  ASSERT_EQ(writer_.TryWrite(frame), Write::kWritten);
  ASSERT_EQ(reader_.Next(&record_), Read::kRecord);
  EXPECT_EQ(Payload(), Text(Pattern(10, 1)) + Text(Pattern(5000, 2)));
}

TEST_F(RingTest, LargePayloadsBeginAtAWholeCacheLine) {
  for (const size_t size : {size_t{kUnalignedPayload + 1}, size_t{10001}}) {
    ASSERT_EQ(writer_.TryWrite(NumberedFrame(1, Pattern(size))), Write::kWritten);
    ASSERT_EQ(reader_.Next(&record_), Read::kRecord);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(record_.payload) % 64, 0u);
  }
}

TEST_F(RingTest, RecordsAcrossTheEndAreInOnePiece) {
  std::mt19937_64 random(7);
  for (uint64_t i = 0; i < 2000; ++i) {
    const size_t size = random() % 30000;
    ASSERT_EQ(writer_.TryWrite(NumberedFrame(i, Pattern(size, i))), Write::kWritten);
    ASSERT_EQ(reader_.Next(&record_), Read::kRecord);
    ASSERT_EQ(Payload(), Text(Pattern(size, i)));
    reader_.Release();
  }
}

TEST_F(RingTest, TheLargestFrameFillsTheRing) {
  uint64_t most = kCapacity;
  while (RecordBytes(most) > kCapacity) --most;
  EXPECT_EQ(writer_.TryWrite(NumberedFrame(1, Pattern(most + 1))), Write::kTooLarge);
  EXPECT_EQ(writer_.TryWrite(NumberedFrame(1, Pattern(2 * kCapacity))), Write::kTooLarge);
  ASSERT_EQ(writer_.TryWrite(NumberedFrame(2, Pattern(most))), Write::kWritten);
  EXPECT_EQ(writer_.TryWrite(NumberedFrame(3)), Write::kFull);
  ASSERT_EQ(reader_.Next(&record_), Read::kRecord);
  EXPECT_EQ(Payload(), Text(Pattern(most)));
}

TEST_F(RingTest, RoomComesBackOnlyWithRelease) {
  uint64_t written = 0;
  while (writer_.TryWrite(NumberedFrame(written, Pattern(1000))) == Write::kWritten) ++written;
  EXPECT_EQ(written, kCapacity / RecordBytes(1000));
  for (uint64_t i = 0; i < written; ++i) {
    ASSERT_EQ(reader_.Next(&record_), Read::kRecord);
    EXPECT_EQ(Number(), i);
  }
  EXPECT_EQ(writer_.TryWrite(NumberedFrame(0, Pattern(1000))), Write::kFull);
  reader_.Release();
  EXPECT_EQ(writer_.TryWrite(NumberedFrame(0, Pattern(1000))), Write::kWritten);
}

TEST_F(RingTest, WriterThatWaitsIsRungOnceWhenHalfIsFree) {
  uint64_t written = 0;
  while (writer_.TryWrite(NumberedFrame(written, Pattern(1000))) == Write::kWritten) ++written;
  uint64_t read = 0;
  int rings = 0;
  for (; read < written; ++read) {
    ASSERT_EQ(reader_.Next(&record_), Read::kRecord);
    if (!reader_.Release()) continue;
    ++rings;
    EXPECT_LE((written - read - 1) * RecordBytes(1000), kCapacity / 2);
    EXPECT_GT((written - read) * RecordBytes(1000), kCapacity / 2);
  }
  EXPECT_EQ(rings, 1);
}

TEST_F(RingTest, WriterThatDoesNotWaitIsNotRung) {
  ASSERT_EQ(writer_.TryWrite(NumberedFrame(1)), Write::kWritten);
  ASSERT_EQ(reader_.Next(&record_), Read::kRecord);
  EXPECT_FALSE(reader_.Release());
  EXPECT_FALSE(reader_.Release());
}

TEST_F(RingTest, SleeperIsRungOnce) {
  ASSERT_EQ(writer_.TryWrite(NumberedFrame(1)), Write::kWritten);
  EXPECT_EQ(writer_.Wake(), Sleeper::kNobody) << "the reader is awake";
  ASSERT_EQ(reader_.Next(&record_), Read::kRecord);
  reader_.BeginSleep(Sleeper::kInPoll);
  EXPECT_FALSE(reader_.HasMore());
  ASSERT_EQ(writer_.TryWrite(NumberedFrame(2)), Write::kWritten);
  EXPECT_EQ(writer_.Wake(), Sleeper::kInPoll);
  ASSERT_EQ(writer_.TryWrite(NumberedFrame(3)), Write::kWritten);
  EXPECT_EQ(writer_.Wake(), Sleeper::kNobody);
  reader_.BeginSleep(Sleeper::kInPoll);
  reader_.EndSleep();
  EXPECT_EQ(writer_.Wake(), Sleeper::kNobody);
}

TEST_F(RingTest, NothingBehindTheFixedEndIsRead) {
  ASSERT_EQ(writer_.TryWrite(NumberedFrame(1)), Write::kWritten);
  ASSERT_EQ(writer_.TryWrite(NumberedFrame(2)), Write::kWritten);
  reader_.FixEnd();
  ASSERT_EQ(writer_.TryWrite(NumberedFrame(3)), Write::kWritten);
  EXPECT_EQ(reader_.Next(&record_), Read::kRecord);
  EXPECT_EQ(reader_.Next(&record_), Read::kRecord);
  EXPECT_FALSE(reader_.HasMore());
  EXPECT_EQ(reader_.Next(&record_), Read::kEmpty);
}

TEST_F(RingTest, WriterIsToldThatNobodyReads) {
  EXPECT_FALSE(writer_.ReaderHasLeft());
  reader_.Leave();
  EXPECT_TRUE(writer_.ReaderHasLeft());
}

// --- a writer that breaks the rules ---

TEST_F(RingTest, HeadBeyondTheRingIsRefused) {
  control().head.store(kCapacity + 64);
  ExpectMalformed();
}

TEST_F(RingTest, HeadThatGoesBackIsRefused) {
  ASSERT_EQ(writer_.TryWrite(NumberedFrame(1)), Write::kWritten);
  ASSERT_EQ(reader_.Next(&record_), Read::kRecord);
  reader_.Release();
  control().head.store(0);
  ExpectMalformed();
}

TEST_F(RingTest, HeadThatOverwritesWhatIsInUseIsRefused) {
  ASSERT_EQ(writer_.TryWrite(NumberedFrame(1, Pattern(1000))), Write::kWritten);
  ASSERT_EQ(reader_.Next(&record_), Read::kRecord);  // not released
  control().head.store(RecordBytes(1000) + kCapacity);
  ExpectMalformed();
}

TEST_F(RingTest, HeadInTheMiddleOfARecordIsRefused) {
  control().head.store(100);
  ExpectMalformed();
  control().head.store(64);
  ExpectMalformed();
}

TEST_F(RingTest, SizesBeyondWhatWasWrittenAreRefused) {
  for (const uint64_t size : {uint64_t{57}, kCapacity, uint64_t{1} << 40, ~uint64_t{0}, ~uint64_t{0} - 200}) {
    SCOPED_TRACE(size);
    std::memcpy(data(), &size, sizeof(size));
    control().head.store(RecordBytes(56));
    ExpectMalformed();
  }
}

TEST_F(RingTest, RandomControlWordsNeverLeadOutsideTheRing) {
  const uint64_t seed = std::random_device()();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 random(seed);
  for (int round = 0; round < 20000; ++round) {
    RingReader reader(segment_->memory());
    const uint64_t head = random() >> random() % 64;
    const uint64_t size = random() >> random() % 64;
    control().head.store(round % 2 == 0 ? head : head % (2 * kCapacity) / 64 * 64);
    std::memcpy(data(), &size, sizeof(size));
    for (int i = 0; i < 3 && reader.Next(&record_) == Read::kRecord; ++i) {
      ASSERT_GE(record_.payload, data());
      ASSERT_LE(record_.payload + record_.payload_bytes, data() + 2 * kCapacity);
    }
  }
}

// --- a reader that breaks the rules ---

TEST_F(RingTest, TailBeyondHeadEndsTheWriting) {
  while (writer_.TryWrite(NumberedFrame(1, Pattern(1000))) == Write::kWritten) {
  }
  control().tail.store(2 * kCapacity);
  EXPECT_EQ(writer_.TryWrite(NumberedFrame(1, Pattern(1000))), Write::kBroken);
  control().tail.store(kCapacity / 64 * 64);
  EXPECT_EQ(writer_.TryWrite(NumberedFrame(1)), Write::kBroken);
}

TEST_F(RingTest, TailThatGoesBackEndsTheWriting) {
  while (writer_.TryWrite(NumberedFrame(1, Pattern(1000))) == Write::kWritten) {
    ASSERT_EQ(reader_.Next(&record_), Read::kRecord);
    if (control().head.load() < 3 * kCapacity) reader_.Release();
  }
  control().tail.store(64);
  EXPECT_EQ(writer_.TryWrite(NumberedFrame(1, Pattern(1000))), Write::kBroken);
}

// --- two threads ---

// One side sleeps on a word, as it would on a socket.
class Bell {
 public:
  void Ring() { rung_.store(true); }
  void Wait() {
    while (!rung_.exchange(false)) std::this_thread::yield();
  }

 private:
  std::atomic<bool> rung_{false};
};

TEST_F(RingTest, EverythingArrivesInOrderAndNobodySleepsThroughABell) {
  constexpr uint64_t kFrames = 20000;
  Bell readers_bell, writers_bell;
  std::thread writing([&] {
    for (uint64_t i = 0; i < kFrames; ++i) {
      const Frame frame = NumberedFrame(i, Pattern(i % 7 == 0 ? 9000 : i % 50, i));
      while (writer_.TryWrite(frame) == Write::kFull) writers_bell.Wait();
      if (writer_.Wake() == Sleeper::kInPoll) readers_bell.Ring();
    }
  });
  uint64_t next = 0;
  while (next < kFrames) {
    for (int i = 0; i < 32 && reader_.Next(&record_) == Read::kRecord; ++i, ++next) {
      ASSERT_EQ(Number(), next);
      ASSERT_EQ(Payload(), Text(Pattern(next % 7 == 0 ? 9000 : next % 50, next)));
    }
    if (reader_.Release()) writers_bell.Ring();
    if (next == kFrames || reader_.HasMore()) continue;
    reader_.BeginSleep(Sleeper::kInPoll);
    if (!reader_.HasMore()) readers_bell.Wait();
    reader_.EndSleep();
  }
  writing.join();
}

}  // namespace
}  // namespace ps
