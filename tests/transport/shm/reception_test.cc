#include "transport/shm/reception.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdio>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/memory.h"
#include "tests/support/watchdog.h"
#include "transport/shm/handover.h"

namespace ps {
namespace {

constexpr int64_t kNow = 1000;

class ReceptionTest : public testing::Test {
 protected:
  ReceptionTest() {
    std::random_device random;
    hello_.writer = random();
    hello_.reader = (uint64_t{random()} << 32) | random();
    hello_.capacity = Segment::kSmallestCapacity;
    reception_ = Reception::Open(hello_.reader).value();
    segment_ = Segment::Create(hello_.capacity, &memfd_).value();
  }
  bool IsReadable() const {
    pollfd look{reception_->fd(), POLLIN, 0};
    return poll(&look, 1, 0) == 1;
  }
  // Connects and says nothing.
  Descriptor Connect() const {
    Descriptor made(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const int length = std::snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1,
                                     "caravan-shm-%016llx", static_cast<unsigned long long>(hello_.reader));
    EXPECT_EQ(connect(made.fd(), reinterpret_cast<sockaddr*>(&address),
                      static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + length)),
              0);
    return made;
  }

  Watchdog watchdog_;
  Hello hello_;
  Descriptor memfd_;
  std::shared_ptr<Segment> segment_;
  std::unique_ptr<Reception> reception_;
};

TEST_F(ReceptionTest, NobodyIsThereAtFirst) {
  EXPECT_FALSE(IsReadable());
  const Reception::News news = reception_->Look(kNow);
  EXPECT_TRUE(news.guests.empty());
  EXPECT_EQ(news.num_refused, 0);
  EXPECT_EQ(reception_->next_look_ms(), CondVar::kNever);
}

TEST_F(ReceptionTest, RingThatIsHandedOverIsAGuest) {
  segment_->memory().control->head.store(64);
  Doorbell near = HandOver(hello_, memfd_).value();
  EXPECT_TRUE(IsReadable());
  Reception::News news = reception_->Look(kNow);
  ASSERT_EQ(news.guests.size(), 1u);
  EXPECT_EQ(news.guests[0].hello.writer, hello_.writer);
  EXPECT_EQ(news.guests[0].segment->memory().control->head.load(), 64u);
  news.guests[0].doorbell.Ring();
  EXPECT_EQ(near.Look(), Doorbell::State::kRung);
  EXPECT_FALSE(IsReadable()) << "what a guest says is not the reception's any more";
  EXPECT_EQ(reception_->next_look_ms(), CondVar::kNever);
}

TEST_F(ReceptionTest, ManyAtOnceAreAllTaken) {
  std::vector<Doorbell> writers;
  for (int i = 0; i < 200; ++i) writers.push_back(HandOver(hello_, memfd_).value());
  size_t taken = 0;
  while (IsReadable()) taken += reception_->Look(kNow).guests.size();
  EXPECT_EQ(taken, writers.size());
}

TEST_F(ReceptionTest, OneMeantForAnotherIncarnationIsRefused) {
  Hello other = hello_;
  ++other.reader;
  const HelloBytes bytes = EncodeHello(other);
  const Descriptor misled = Connect();
  ASSERT_EQ(send(misled.fd(), bytes.data(), bytes.size(), 0), static_cast<ssize_t>(bytes.size()));
  EXPECT_EQ(reception_->Look(kNow).num_refused, 1);
}

TEST_F(ReceptionTest, RingThatIsNotWhatWasSaidIsRefused) {
  Hello wrong = hello_;
  wrong.capacity *= 2;
  Doorbell first = HandOver(wrong, memfd_).value();
  const Descriptor file(dup(reception_->fd()));
  Doorbell second = HandOver(hello_, file).value();
  const Reception::News news = reception_->Look(kNow);
  EXPECT_EQ(news.num_refused, 2);
  EXPECT_TRUE(news.guests.empty());
  EXPECT_TRUE(first.IsPeerGone());
  EXPECT_TRUE(second.IsPeerGone());
}

TEST_F(ReceptionTest, WhoSaysNothingIsSentAwayInTime) {
  const Descriptor silent = Connect();
  EXPECT_EQ(reception_->Look(kNow).num_refused, 0);
  EXPECT_EQ(reception_->next_look_ms(), kNow + Reception::kHelloMs);
  EXPECT_EQ(reception_->Look(kNow + Reception::kHelloMs - 1).num_refused, 0);
  EXPECT_EQ(reception_->Look(kNow + Reception::kHelloMs).num_refused, 1);
  EXPECT_EQ(reception_->next_look_ms(), CondVar::kNever);
  char byte = 0;
  EXPECT_EQ(recv(silent.fd(), &byte, 1, 0), 0) << "closed";
}

TEST_F(ReceptionTest, WhoSaysNonsenseOrGoesIsForgotten) {
  const Descriptor loud = Connect();
  ASSERT_EQ(send(loud.fd(), "GET / HTTP/1.1", 14, MSG_NOSIGNAL), 14);
  { const Descriptor short_lived = Connect(); }
  EXPECT_EQ(reception_->Look(kNow).num_refused, 2);
  EXPECT_FALSE(IsReadable());
}

TEST_F(ReceptionTest, StrangersHoldABoundedNumberOfPlacesAndNobodyOut) {
  const int64_t before = NumDescriptors();
  std::vector<Descriptor> strangers;
  for (size_t i = 0; i < 3 * Reception::kMostPending; ++i) {
    strangers.push_back(Connect());
    (void)reception_->Look(kNow);
  }
  const auto held = NumDescriptors() - before - static_cast<int64_t>(strangers.size());
  EXPECT_LE(held, static_cast<int64_t>(Reception::kMostPending));
  Doorbell near = HandOver(hello_, memfd_).value();
  EXPECT_EQ(reception_->Look(kNow).guests.size(), 1u);
}

TEST_F(ReceptionTest, WithoutDescriptorsItWaitsWithoutBurningTheProcessor) {
  Doorbell near = HandOver(hello_, memfd_).value();
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  rlimit none = before;
  none.rlim_cur = static_cast<rlim_t>(Descriptor(dup(0)).fd());
  setrlimit(RLIMIT_NOFILE, &none);
  const Reception::News news = reception_->Look(kNow);
  setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_EQ(news.trouble.code(), StatusCode::kResourceExhausted) << news.trouble;
  EXPECT_TRUE(news.guests.empty());
  EXPECT_FALSE(IsReadable());
  const int64_t again = reception_->next_look_ms();
  EXPECT_GT(again, kNow);
  EXPECT_EQ(reception_->Look(again).guests.size(), 1u);
  EXPECT_EQ(reception_->next_look_ms(), CondVar::kNever);
}

}  // namespace
}  // namespace ps
