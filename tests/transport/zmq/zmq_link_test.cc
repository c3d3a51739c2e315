#include "transport/zmq/zmq_link.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support/transport_endpoint.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

constexpr uint64_t kTag = 77;

class ZmqLinkSocketTest : public testing::Test {
 protected:
  ZmqLinkSocketTest() {
    EXPECT_TRUE(router_->SetInt(ZMQ_RCVHWM, 0).ok());
    EXPECT_EQ(router_->Bind("inproc://router"), 0);
    auto dealer = ZmqSocket::Open(*context_, ZMQ_DEALER).value();
    EXPECT_EQ(dealer->Connect("inproc://router"), 0);
    const auto window =
        std::make_shared<SendWindow>(SendWindow::Limits{2, 1 << 20}, std::make_shared<ReleaseHook>());
    link_ = std::make_shared<ZmqLinkSocket>(ZmqLinkSocket::Plan{kTag, "inproc://router", 1 << 20},
                                            std::move(dealer), window, poll_set_);
    EXPECT_TRUE(link_->Watch().ok());
  }
  ~ZmqLinkSocketTest() override { link_->Close(0); }

  // The route to the link, learned from a frame it sends.
  std::string LearnRoute() {
    EXPECT_EQ(link_->TrySend(NumberedFrame(1)), SendResult::kSent);
    std::string route;
    EXPECT_EQ(ReadMessage(&route), 1u);
    return route;
  }
  // The number of frames in the next message; 0 if there is none.
  size_t ReadMessage(std::string* route = nullptr) {
    RouterPeer peer;
    std::vector<Frame> frames;
    const ReadResult result = ReadFrames(router_.get(), &peer, &frames);
    EXPECT_TRUE(result == ReadResult::kFrames || result == ReadResult::kNothing);
    for (const Frame& frame : frames) {
      uint64_t number = 0;
      std::memcpy(&number, frame.head.data(), sizeof(number));
      numbers_.push_back(number);
    }
    if (route != nullptr) *route = peer.route;
    return frames.size();
  }

  Watchdog watchdog_;
  std::shared_ptr<ZmqContext> context_ = ZmqContext::Make(1).value();
  std::shared_ptr<PollSet> poll_set_ = PollSet::Make().value();
  std::unique_ptr<ZmqSocket> router_ = ZmqSocket::Open(*context_, ZMQ_ROUTER).value();
  std::shared_ptr<ZmqLinkSocket> link_;
  std::vector<uint64_t> numbers_;  // of the frames read
};

TEST(ZmqReturnPathTest, TagsSurviveAndAnythingElseIsNone) {
  EXPECT_EQ(TagOfReturnPath(LinkReturnPath(0x123456789abcull)), 0x123456789abcull);
  for (const std::string& path :
       {std::string(), std::string("L"), std::string("L123456789"), std::string("R12345678")}) {
    EXPECT_EQ(TagOfReturnPath(path), 0u) << path;
  }
}

TEST_F(ZmqLinkSocketTest, RepliesEndTheWaitAndAreDrained) {
  const std::string route = LearnRoute();
  for (uint64_t i = 0; i < 40; ++i)
    ASSERT_EQ(WriteFrame(router_.get(), &route, NumberedFrame(i), nullptr), IoResult::kDone);
  PollSet::Ready ready;
  poll_set_->Wait(-1, &ready);
  ASSERT_EQ(ready.tags.size(), 1u);
  EXPECT_EQ(ready.tags[0], kTag);
  std::vector<Arrival> arrivals;
  int malformed = 0;
  EXPECT_TRUE(link_->Drain(&arrivals, &malformed)) << "there is more";
  EXPECT_EQ(arrivals.size(), kMaxFramesPerPoll);
  arrivals.clear();
  EXPECT_FALSE(link_->Drain(&arrivals, &malformed));
  EXPECT_EQ(arrivals.size(), 40 - kMaxFramesPerPoll);
  EXPECT_EQ(TagOfReturnPath(arrivals[0].from), kTag);
  EXPECT_EQ(malformed, 0);
}

TEST_F(ZmqLinkSocketTest, SendingMarksAReplyWhoseSignalItMaySwallow) {
  const std::string route = LearnRoute();
  ASSERT_EQ(WriteFrame(router_.get(), &route, NumberedFrame(5), nullptr), IoResult::kDone);
  ASSERT_EQ(link_->TrySend(NumberedFrame(2)), SendResult::kSent);
  PollSet::Ready ready;
  poll_set_->Wait(-1, &ready);
  EXPECT_FALSE(ready.tags.empty());
}

TEST_F(ZmqLinkSocketTest, MalformedRepliesAreCounted) {
  const std::string route = LearnRoute();
  ZmqMessage id(route.data(), route.size());
  ASSERT_EQ(router_->Send(&id, true), IoResult::kDone);
  ZmqMessage junk("junk", 4);
  ASSERT_EQ(router_->Send(&junk, false), IoResult::kDone);
  std::vector<Arrival> arrivals;
  int malformed = 0;
  EXPECT_FALSE(link_->Drain(&arrivals, &malformed));
  EXPECT_EQ(malformed, 1);
  EXPECT_TRUE(arrivals.empty());
}

TEST_F(ZmqLinkSocketTest, ClosedOneRefusesAndIsNotWatched) {
  link_->Close(0);
  EXPECT_EQ(link_->TrySend(NumberedFrame(1)), SendResult::kClosed);
  EXPECT_EQ(link_->SendCopy(NumberedFrame(1)).code(), StatusCode::kCancelled);
  std::vector<Arrival> arrivals;
  int malformed = 0;
  EXPECT_FALSE(link_->Drain(&arrivals, &malformed));
  PollSet::Ready ready;
  poll_set_->Wait(0, &ready);
  EXPECT_TRUE(ready.tags.empty());
}

TEST_F(ZmqLinkSocketTest, LentFramesAreBoundedAndCopiesAreNot) {
  const Frame large = NumberedFrame(1, Pattern(10000));
  EXPECT_EQ(link_->TrySend(large), SendResult::kSent);
  EXPECT_EQ(link_->TrySend(large), SendResult::kSent);
  EXPECT_EQ(link_->TrySend(large), SendResult::kFull);
  EXPECT_EQ(link_->unreleased(), 2u);
  EXPECT_TRUE(link_->SendCopy(large).ok());
  for (int i = 0; i < 3; ++i) EXPECT_EQ(ReadMessage(), 1u);
  EXPECT_EQ(link_->unreleased(), 0u);
}

// Inside a process a message is let go by who has read it.
TEST_F(ZmqLinkSocketTest, SmallFramesThatWaitForTheLibraryTravelTogether) {
  for (uint64_t i = 0; i < 10; ++i)
    ASSERT_EQ(link_->TrySend(NumberedFrame(i, Pattern(20))), SendResult::kSent);
  EXPECT_EQ(ReadMessage(), 1u) << "the first finds nothing under way";
  EXPECT_EQ(ReadMessage(), 9u) << "the others are sent when it has been taken";
  EXPECT_EQ(numbers_, (std::vector<uint64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
  EXPECT_EQ(ReadMessage(), 0u);
  EXPECT_EQ(link_->unreleased(), 0u) << "they are copies";
}

TEST_F(ZmqLinkSocketTest, ALargeFrameGoesBehindWhatWaits) {
  for (uint64_t i = 0; i < 3; ++i) ASSERT_EQ(link_->TrySend(NumberedFrame(i)), SendResult::kSent);
  ASSERT_EQ(link_->TrySend(NumberedFrame(3, Pattern(10000))), SendResult::kSent);
  ASSERT_EQ(link_->TrySend(NumberedFrame(4)), SendResult::kSent);
  std::vector<size_t> messages;
  for (size_t count = ReadMessage(); count > 0; count = ReadMessage()) messages.push_back(count);
  EXPECT_EQ(messages, (std::vector<size_t>{1, 2, 1, 1}));
  EXPECT_EQ(numbers_, (std::vector<uint64_t>{0, 1, 2, 3, 4}));
}

TEST_F(ZmqLinkSocketTest, AFullBatchDoesNotWaitAndTheEndTakesAlongWhatDoes) {
  for (uint64_t i = 0; i < 2 * kMaxFramesTogether; ++i)
    ASSERT_EQ(link_->TrySend(NumberedFrame(i)), SendResult::kSent);
  link_->Close(1000);
  EXPECT_EQ(ReadMessage(), 1u);
  EXPECT_EQ(ReadMessage(), kMaxFramesTogether);
  EXPECT_EQ(ReadMessage(), kMaxFramesTogether - 1);
}

// The reader lets go of batches, and sends the next ones, while others send.
TEST_F(ZmqLinkSocketTest, NothingStaysBehindWhicheverThreadIsTheLast) {
  constexpr uint64_t kEach = 3000;
  const auto send = [this](uint64_t first) {
    for (uint64_t i = 0; i < kEach; ++i)
      ASSERT_EQ(link_->TrySend(NumberedFrame(first + i)), SendResult::kSent);
  };
  std::thread one(send, 0);
  std::thread other(send, kEach);
  while (numbers_.size() < 2 * kEach) {
    if (ReadMessage() == 0) std::this_thread::yield();
  }
  one.join();
  other.join();
  std::vector<uint64_t> last = {0, kEach};
  for (const uint64_t number : numbers_) EXPECT_EQ(number, last[number / kEach]++);
}

}  // namespace
}  // namespace ps
