#include "transport/shm/handover.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/memory.h"
#include "tests/support/watchdog.h"
#include "transport/shm/segment.h"

namespace ps {
namespace {

using State = Offer::State;

uint64_t Incarnation() {
  static std::random_device random;
  return (uint64_t{random()} << 32) | random();
}

class HandoverTest : public testing::Test {
 protected:
  HandoverTest() { EXPECT_TRUE(Segment::Create(hello_.capacity, &memfd_).ok()); }

  Watchdog watchdog_;
  Descriptor memfd_;
  Hello hello_{Incarnation(), Incarnation(), Segment::kSmallestCapacity, false};
  Status trouble_;
};

TEST_F(HandoverTest, NobodyThereIsNotFound) {
  EXPECT_EQ(HandOver(hello_, memfd_).status().code(), StatusCode::kNotFound);
}

TEST_F(HandoverTest, MemoryAndHelloArriveAndTheSocketStays) {
  const Descriptor listener = ListenForRings(hello_.reader).value();
  EXPECT_FALSE(AcceptPeer(listener, &trouble_).is_open());
  Doorbell near = HandOver(hello_, memfd_).value();
  near.Ring();  // nobody has accepted yet
  Descriptor socket = AcceptPeer(listener, &trouble_);
  ASSERT_TRUE(socket.is_open());
  EXPECT_TRUE(IsOwnUser(socket));
  const Offer offer = ReceiveOffer(socket);
  ASSERT_EQ(offer.state, State::kMade);
  EXPECT_EQ(offer.hello.writer, hello_.writer);
  EXPECT_TRUE(Segment::Open(offer.memfd, offer.hello.capacity).ok());
  EXPECT_EQ(ReceiveOffer(socket).state, State::kWrong) << "a ring is no second hello";
  Doorbell far(std::move(socket));
  far.Ring();
  EXPECT_EQ(near.Look(), Doorbell::State::kRung);
  EXPECT_TRUE(trouble_.ok());
}

TEST_F(HandoverTest, HandedOverBeforeTheWriterDiedItArrivesStill) {
  const Descriptor listener = ListenForRings(hello_.reader).value();
  { Doorbell near = HandOver(hello_, memfd_).value(); }
  const Descriptor socket = AcceptPeer(listener, &trouble_);
  EXPECT_EQ(ReceiveOffer(socket).state, State::kMade);
  EXPECT_EQ(ReceiveOffer(socket).state, State::kWrong) << "the end";
}

TEST_F(HandoverTest, NamesAreTakenOnce) {
  const Descriptor listener = ListenForRings(hello_.reader).value();
  EXPECT_EQ(ListenForRings(hello_.reader).status().code(), StatusCode::kUnavailable);
}

// --- what is no offer ---

class WrongOfferTest : public HandoverTest {
 protected:
  WrongOfferTest() {
    int ends[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    near_ = Descriptor(ends[0]);
    far_ = Descriptor(ends[1]);
  }
  // Sends `bytes` with the memory, `copies` times over.
  void Send(const std::string& bytes, size_t copies) {
    std::vector<int> fds(copies, memfd_.fd());
    iovec part{const_cast<char*>(bytes.data()), bytes.size()};
    std::vector<char> control(CMSG_SPACE(copies * sizeof(int)));
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    if (copies > 0) {
      message.msg_control = control.data();
      message.msg_controllen = control.size();
      cmsghdr* const rights = CMSG_FIRSTHDR(&message);
      rights->cmsg_level = SOL_SOCKET;
      rights->cmsg_type = SCM_RIGHTS;
      rights->cmsg_len = CMSG_LEN(copies * sizeof(int));
      std::memcpy(CMSG_DATA(rights), fds.data(), copies * sizeof(int));
    }
    ASSERT_EQ(sendmsg(near_.fd(), &message, 0), static_cast<ssize_t>(bytes.size()));
  }
  std::string Bytes() const {
    const HelloBytes bytes = EncodeHello(hello_);
    return std::string(bytes.data(), bytes.size());
  }

  Descriptor near_, far_;
};

TEST_F(WrongOfferTest, NothingYetIsNoError) { EXPECT_EQ(ReceiveOffer(far_).state, State::kNothingYet); }

TEST_F(WrongOfferTest, EndIsWrong) {
  near_.Close();
  EXPECT_EQ(ReceiveOffer(far_).state, State::kWrong);
}

TEST_F(WrongOfferTest, SoundOneIsTaken) {
  Send(Bytes(), 1);
  EXPECT_EQ(ReceiveOffer(far_).state, State::kMade);
}

TEST_F(WrongOfferTest, WithoutMemoryWithTooMuchOrCutOffIsWrongAndNothingStaysOpen) {
  const int64_t before = NumDescriptors();
  Send(Bytes(), 0);
  EXPECT_EQ(ReceiveOffer(far_).state, State::kWrong);
  for (const size_t copies : {2, 4, 5, 100}) {
    Send(Bytes(), copies);
    EXPECT_EQ(ReceiveOffer(far_).state, State::kWrong) << copies;
  }
  Send(Bytes().substr(1), 1);
  EXPECT_EQ(ReceiveOffer(far_).state, State::kWrong);
  Send(std::string(kHelloBytes, 'x'), 1);
  EXPECT_EQ(ReceiveOffer(far_).state, State::kWrong);
  EXPECT_EQ(NumDescriptors(), before);
}

}  // namespace
}  // namespace ps
