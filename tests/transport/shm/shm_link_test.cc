#include "transport/shm/shm_link.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <memory>
#include <utility>
#include <vector>

#include "tests/support/watchdog.h"
#include "tests/transport/shm/handed_over.h"
#include "transport/shm/inlet.h"

namespace ps {
namespace {

// Takes everything and counts it.
struct OtherWay {
  int made = 0;
  int sent = 0;
  bool closed = false;
  bool is_there = true;

  class CountingLink : public Link {
   public:
    explicit CountingLink(OtherWay* way) : way_(way) {}
    SendResult TrySend(const Frame&) override {
      ++way_->sent;
      return SendResult::kSent;
    }
    size_t unreleased() const override { return static_cast<size_t>(way_->sent); }
    void Close() override { way_->closed = true; }

   private:
    OtherWay* const way_;
  };

  ShmLinkEnd::MakeOther Maker() {
    return [this]() -> Result<std::unique_ptr<Link>> {
      if (!is_there) return Status::ResourceExhausted("no descriptors");
      ++made;
      return std::unique_ptr<Link>(std::make_unique<CountingLink>(this));
    };
  }
};

class ShmLinkTest : public testing::Test {
 protected:
  ShmLinkTest() : end_(Make(other_.Maker())) {}

  std::unique_ptr<ShmLinkEnd> Make(ShmLinkEnd::MakeOther other) {
    HandedOver ring;
    segment_ = ring.outlet->segment;
    inlet_ = std::make_unique<Inlet>(9, std::move(*ring.guest));
    auto end = std::make_unique<ShmLinkEnd>(5, std::move(ring.outlet), std::move(other), poll_set_);
    EXPECT_TRUE(end->Watch().ok());
    return end;
  }
  SendResult Send(size_t size = 10) { return end_->TrySend(NumberedFrame(1, Pattern(size))); }
  void Fill() {
    while (Send(1000) == SendResult::kSent) {
    }
  }
  bool IsReady() {
    PollSet::Ready ready;
    poll_set_->Wait(0, &ready);
    return ready.tags == std::vector<uint64_t>{5};
  }

  Watchdog watchdog_;
  std::shared_ptr<PollSet> poll_set_ = PollSet::Make().value();
  OtherWay other_;
  std::shared_ptr<Segment> segment_;
  std::unique_ptr<Inlet> inlet_;
  std::unique_ptr<ShmLinkEnd> end_;
  CollectingSink sink_;
};

TEST_F(ShmLinkTest, FramesGoThroughTheRingAndNothingStaysReferredTo) {
  const SArray<char> payload = Pattern(20000);
  ASSERT_EQ(end_->TrySend(NumberedFrame(1, payload)), SendResult::kSent);
  EXPECT_EQ(payload.ptr().use_count(), 1);
  EXPECT_EQ(end_->unreleased(), 0u);
  EXPECT_EQ(inlet_->Drain(&sink_, 10), 1);
  EXPECT_EQ(sink_.frames[0].payload, Text(payload));
  EXPECT_EQ(other_.made, 0);
}

TEST_F(ShmLinkTest, SleepingReaderIsRung) {
  ASSERT_EQ(Send(), SendResult::kSent);
  EXPECT_EQ(inlet_->Drain(&sink_, 10), 1);
  inlet_->BeginSleep(Sleeper::kInPoll);
  Doorbell peer(Descriptor(dup(inlet_->fd())));
  EXPECT_EQ(peer.Look(), Doorbell::State::kSilent);
  ASSERT_EQ(Send(), SendResult::kSent);
  EXPECT_EQ(peer.Look(), Doorbell::State::kRung);
}

TEST_F(ShmLinkTest, FullRingIsWorthAnotherTryWhenHalfIsFree) {
  Fill();
  EXPECT_EQ(Send(1000), SendResult::kFull);
  EXPECT_FALSE(IsReady());
  EXPECT_FALSE(end_->OnBell());
  EXPECT_GT(inlet_->Drain(&sink_, 1000), 10);
  EXPECT_TRUE(IsReady());
  EXPECT_TRUE(end_->OnBell());
  EXPECT_FALSE(IsReady());
  EXPECT_EQ(Send(1000), SendResult::kSent);
  EXPECT_EQ(other_.made, 0);
}

TEST_F(ShmLinkTest, OtherWayIsTakenWhenTheReaderHasLeft) {
  inlet_ = nullptr;
  EXPECT_EQ(Send(), SendResult::kSent);
  EXPECT_EQ(Send(), SendResult::kSent);
  EXPECT_EQ(other_.made, 1);
  EXPECT_EQ(end_->unreleased(), 2u);
  EXPECT_FALSE(IsReady()) << "the doorbell is not watched any more";
}

TEST_F(ShmLinkTest, OtherWayIsTakenWhenTheReaderWasKilled) {
  Fill();
  shutdown(inlet_->fd(), SHUT_RDWR);  // and it says nothing in the ring
  EXPECT_TRUE(IsReady());
  EXPECT_EQ(Send(1000), SendResult::kSent) << "seen without the polling thread";
  EXPECT_EQ(other_.sent, 1);
}

TEST_F(ShmLinkTest, PollingThreadHearsOfAReaderThatIsGone) {
  shutdown(inlet_->fd(), SHUT_RDWR);
  EXPECT_TRUE(end_->OnBell());
  EXPECT_FALSE(end_->OnBell());
  EXPECT_EQ(Send(), SendResult::kSent);
  EXPECT_EQ(other_.sent, 1);
}

TEST_F(ShmLinkTest, OtherWayIsTakenWhenTheReaderBreaksTheRules) {
  Fill();
  segment_->memory().control->tail.store(1 << 30);
  EXPECT_EQ(Send(1000), SendResult::kSent);
  EXPECT_EQ(other_.sent, 1);
  inlet_->OnBell();
  EXPECT_GT(inlet_->Drain(&sink_, 1000), 10) << "what was sent before";
  EXPECT_TRUE(inlet_->is_done());
}

TEST_F(ShmLinkTest, FrameThatCanNeverFitTakesTheOtherWay) {
  EXPECT_EQ(Send(Segment::kSmallestCapacity), SendResult::kSent);
  EXPECT_EQ(other_.sent, 1);
}

TEST_F(ShmLinkTest, OtherWayThatIsNotToBeHadIsTriedAgain) {
  inlet_ = nullptr;
  other_.is_there = false;
  EXPECT_EQ(Send(), SendResult::kFull);
  other_.is_there = true;
  EXPECT_EQ(Send(), SendResult::kSent);
}

TEST_F(ShmLinkTest, WithoutAnotherWayTheLinkIsClosedWithTheRing) {
  end_ = Make(nullptr);
  EXPECT_EQ(Send(), SendResult::kSent);
  inlet_ = nullptr;
  EXPECT_EQ(Send(), SendResult::kClosed);
}

TEST_F(ShmLinkTest, ClosedItRefusesAndThePeerReadsWhatIsThere) {
  ASSERT_EQ(Send(), SendResult::kSent);
  end_->Close();
  end_->Close();
  EXPECT_EQ(Send(), SendResult::kClosed);
  EXPECT_FALSE(end_->OnBell());
  inlet_->OnBell();
  EXPECT_EQ(inlet_->Drain(&sink_, 10), 1);
  EXPECT_TRUE(inlet_->is_done());
  EXPECT_FALSE(other_.closed);
}

TEST_F(ShmLinkTest, ClosingClosesTheOtherWayAndDetachingDoesNot) {
  inlet_ = nullptr;
  EXPECT_EQ(Send(), SendResult::kSent);
  end_->Detach();
  EXPECT_EQ(Send(), SendResult::kClosed);
  EXPECT_FALSE(other_.closed);
  end_->Close();
  EXPECT_TRUE(other_.closed);
}

}  // namespace
}  // namespace ps
