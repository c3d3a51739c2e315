#include "transport/shm/segment.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <memory>
#include <string>

#include "tests/support/memory.h"

namespace ps {
namespace {

constexpr uint64_t kCapacity = Segment::kSmallestCapacity;

int NumMapped() {
  std::ifstream maps("/proc/self/maps");
  int number = 0;
  for (std::string line; std::getline(maps, line);) number += line.find("caravan-ring") != std::string::npos;
  return number;
}

// As Create makes it, but for what is asked.
Descriptor MakeMemfd(off_t bytes, int seals) {
  Descriptor memfd(memfd_create("other", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  EXPECT_EQ(ftruncate(memfd.fd(), bytes), 0);
  EXPECT_EQ(fcntl(memfd.fd(), F_ADD_SEALS, seals), 0);
  return memfd;
}

off_t SizeOf(const Descriptor& memfd) { return lseek(memfd.fd(), 0, SEEK_END); }

TEST(SegmentTest, DataAppearsTwice) {
  Descriptor memfd;
  const auto segment = Segment::Create(kCapacity, &memfd).value();
  char* const data = segment->memory().data;
  data[kCapacity - 1] = 'a';
  data[kCapacity] = 'b';
  EXPECT_EQ(data[2 * kCapacity - 1], 'a');
  EXPECT_EQ(data[0], 'b');
  EXPECT_EQ(segment->memory().capacity, kCapacity);
}

TEST(SegmentTest, ReaderSeesWhatTheWriterDoes) {
  Descriptor memfd;
  const auto written = Segment::Create(kCapacity, &memfd).value();
  const auto read = Segment::Open(memfd, kCapacity).value();
  EXPECT_EQ(read->memory().control->head.load(), 0u);
  written->memory().control->head.store(192);
  std::strcpy(written->memory().data + 100, "hello");
  EXPECT_EQ(read->memory().control->head.load(), 192u);
  EXPECT_STREQ(read->memory().data + 100, "hello");
  EXPECT_STREQ(read->memory().data + kCapacity + 100, "hello");
}

TEST(SegmentTest, NobodyChangesItsSize) {
  Descriptor memfd;
  const auto segment = Segment::Create(kCapacity, &memfd).value();
  EXPECT_NE(ftruncate(memfd.fd(), 4096), 0);
  EXPECT_NE(ftruncate(memfd.fd(), 1 << 24), 0);
  EXPECT_NE(fcntl(memfd.fd(), F_ADD_SEALS, F_SEAL_WRITE), 0);
}

TEST(SegmentTest, WhatIsNotWhatCreateMakesIsRefused) {
  Descriptor sound;
  const auto segment = Segment::Create(kCapacity, &sound).value();
  const off_t bytes = SizeOf(sound);
  constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
  const auto refused = [](const Descriptor& memfd, uint64_t capacity) {
    return Segment::Open(memfd, capacity).status().code() == StatusCode::kInvalidArgument;
  };
  EXPECT_TRUE(Segment::Open(MakeMemfd(bytes, kSeals), kCapacity).ok());
  EXPECT_TRUE(refused(MakeMemfd(bytes, F_SEAL_SHRINK | F_SEAL_GROW), kCapacity)) << "seals can be added";
  EXPECT_TRUE(refused(MakeMemfd(bytes, F_SEAL_GROW | F_SEAL_SEAL), kCapacity)) << "can shrink";
  EXPECT_TRUE(refused(MakeMemfd(bytes, kSeals | F_SEAL_WRITE), kCapacity)) << "can not be written";
  EXPECT_TRUE(refused(MakeMemfd(bytes - 1, kSeals), kCapacity));
  EXPECT_TRUE(refused(MakeMemfd(bytes + 4096, kSeals), kCapacity));
  EXPECT_TRUE(refused(Descriptor(open("/proc/self/exe", O_RDONLY | O_CLOEXEC)), kCapacity)) << "a file";
  EXPECT_TRUE(refused(Descriptor(open("/dev/zero", O_RDWR | O_CLOEXEC)), kCapacity));
  EXPECT_TRUE(refused(Descriptor(), kCapacity));
  for (const uint64_t capacity : {uint64_t{0}, kCapacity / 2, kCapacity + 4096, 2 * kCapacity, ~uint64_t{0}})
    EXPECT_TRUE(refused(sound, capacity)) << capacity;
}

TEST(SegmentTest, NothingIsLeftBehind) {
  const int64_t descriptors = NumDescriptors();
  const int mapped = NumMapped();
  {
    Descriptor memfd;
    const auto written = Segment::Create(kCapacity, &memfd).value();
    const auto read = Segment::Open(memfd, kCapacity).value();
    EXPECT_GT(NumMapped(), mapped);
    EXPECT_FALSE(Segment::Open(memfd, 2 * kCapacity).ok());
  }
  EXPECT_EQ(NumMapped(), mapped);
  EXPECT_EQ(NumDescriptors(), descriptors);
}

TEST(SegmentTest, SizesThatAreNoRingAreRefused) {
  Descriptor memfd;
  for (const uint64_t capacity : {uint64_t{0}, uint64_t{4096}, kCapacity + 1, uint64_t{1} << 40})
    EXPECT_EQ(Segment::Create(capacity, &memfd).status().code(), StatusCode::kInvalidArgument) << capacity;
  EXPECT_FALSE(memfd.is_open());
}

}  // namespace
}  // namespace ps
