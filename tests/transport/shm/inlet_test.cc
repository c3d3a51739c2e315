#include "transport/shm/inlet.h"

#include <gtest/gtest.h>

#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "tests/support/watchdog.h"
#include "tests/transport/shm/handed_over.h"

namespace ps {
namespace {

class InletTest : public testing::Test {
 protected:
  void Write(uint64_t number, const SArray<char>& payload = {}) {
    ASSERT_EQ(ring_.outlet->writer.TryWrite(NumberedFrame(number, payload)), RingWriter::Outcome::kWritten);
  }
  int Drain(int most = 100) { return inlet_->Drain(&sink_, most); }

  Watchdog watchdog_;
  HandedOver ring_;
  std::unique_ptr<Inlet> inlet_ = std::make_unique<Inlet>(17, std::move(*ring_.guest));
  CollectingSink sink_;
};

TEST_F(InletTest, PathNamesTheTag) {
  EXPECT_EQ(TagOfRingPath(inlet_->path()), 17u);
  for (const ReturnPath& path : {ReturnPath(), ReturnPath("S"), ReturnPath(9, 'x'), ReturnPath(300, 'S')})
    EXPECT_EQ(TagOfRingPath(path), 0u);
}

TEST_F(InletTest, FramesComeOutInOrderAsManyAsAskedFor) {
  EXPECT_FALSE(inlet_->HasMore());
  for (uint64_t i = 0; i < 5; ++i) Write(i, Pattern(i * 1000, i));
  EXPECT_TRUE(inlet_->HasMore());
  EXPECT_EQ(Drain(3), 3);
  EXPECT_EQ(Drain(), 2);
  EXPECT_EQ(Drain(), 0);
  ASSERT_EQ(sink_.frames.size(), 5u);
  for (uint64_t i = 0; i < 5; ++i) {
    EXPECT_EQ(sink_.frames[i].number(), i);
    EXPECT_EQ(sink_.frames[i].payload, Text(Pattern(i * 1000, i)));
    EXPECT_EQ(sink_.frames[i].from, inlet_->path());
  }
  EXPECT_FALSE(inlet_->is_done());
}

TEST_F(InletTest, WhatThePeerWroteBeforeItWentIsReadFirst) {
  Write(1);
  ring_.outlet->doorbell.Close();
  inlet_->OnBell();
  EXPECT_FALSE(inlet_->is_done());
  Write(2);  // it has the memory still, but it is too late
  EXPECT_EQ(Drain(), 1);
  EXPECT_TRUE(inlet_->is_done());
}

TEST_F(InletTest, RingInDisorderIsToldOnceAndGivenUp) {
  Write(1);
  ring_.outlet->segment->memory().control->head.store(~uint64_t{63});
  EXPECT_EQ(Drain(), 0);
  EXPECT_EQ(Drain(), 0);
  EXPECT_TRUE(inlet_->is_done());
  EXPECT_FALSE(inlet_->HasMore());
  EXPECT_EQ(sink_.dropped, std::vector<Counter>{Counter::kRejectedMalformed});
  EXPECT_FALSE(ring_.outlet->writer.ReaderHasLeft());
  inlet_ = nullptr;
  EXPECT_TRUE(ring_.outlet->writer.ReaderHasLeft());
  EXPECT_TRUE(ring_.outlet->doorbell.IsPeerGone());
}

TEST_F(InletTest, WriterThatWaitsIsRungWhileALongBatchIsRead) {
  const SArray<char> payload = Pattern(10000);
  uint64_t written = 0;
  while (ring_.outlet->writer.TryWrite(NumberedFrame(written, payload)) == RingWriter::Outcome::kWritten)
    ++written;
  // Seen from the sink, before Drain has returned.
  bool rung_meanwhile = false;
  sink_.on_frame = [&] { rung_meanwhile |= ring_.outlet->doorbell.Look() == Doorbell::State::kRung; };
  EXPECT_EQ(Drain(), static_cast<int>(written));
  EXPECT_TRUE(rung_meanwhile);
  EXPECT_EQ(ring_.outlet->doorbell.Look(), Doorbell::State::kSilent) << "once";
}

TEST_F(InletTest, FrameThatTheSinkThrowsAtIsNotSeenAgain) {
  Write(1);
  Write(2);
  sink_.on_frame = [] { throw std::bad_alloc(); };
  EXPECT_THROW(Drain(), std::bad_alloc);
  sink_.on_frame = nullptr;
  EXPECT_EQ(Drain(), 1);
  ASSERT_EQ(sink_.frames.size(), 2u);
  EXPECT_EQ(sink_.frames[1].number(), 2u);
}

}  // namespace
}  // namespace ps
