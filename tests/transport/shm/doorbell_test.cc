#include "transport/shm/doorbell.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <memory>
#include <vector>

#include "base/queue.h"
#include "base/thread.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

using State = Doorbell::State;

class DoorbellTest : public testing::Test {
 protected:
  DoorbellTest() {
    int ends[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    near_ = std::make_unique<Doorbell>(Descriptor(ends[0]));
    far_ = std::make_unique<Doorbell>(Descriptor(ends[1]));
  }
  static bool IsReadable(const Doorbell& bell) {
    pollfd look{bell.fd(), POLLIN, 0};
    return poll(&look, 1, 0) == 1;
  }

  Watchdog watchdog_;
  std::unique_ptr<Doorbell> near_, far_;
};

TEST_F(DoorbellTest, IsReadableWhenRungUntilLookedAt) {
  EXPECT_FALSE(IsReadable(*far_));
  EXPECT_EQ(far_->Look(), State::kSilent);
  near_->Ring();
  near_->Ring();
  EXPECT_TRUE(IsReadable(*far_));
  EXPECT_EQ(far_->Look(), State::kRung);
  EXPECT_FALSE(IsReadable(*far_));
  EXPECT_EQ(far_->Look(), State::kSilent);
}

TEST_F(DoorbellTest, RingingNeverBlocks) {
  for (int i = 0; i < 100000; ++i) near_->Ring();
  EXPECT_EQ(far_->Look(), State::kRung);
}

TEST_F(DoorbellTest, NeitherBlocksWhateverThePeerDoesToItsEnd) {
  fcntl(far_->fd(), F_SETFL, 0);
  EXPECT_EQ(near_->Look(), State::kSilent);
  for (int i = 0; i < 100000; ++i) near_->Ring();
}

TEST_F(DoorbellTest, ADescriptorThatWasLostIsNotReplacedByTheNextOne) {
  const auto announce = [this](uint64_t arena) {
    return near_->Announce({arena, 4096, Descriptor(memfd_create("test", MFD_CLOEXEC))});
  };
  for (int i = 0; i < 250; ++i) near_->Ring();  // the announcement comes in two pieces
  ASSERT_TRUE(announce(1));
  std::vector<Announcement> announced;
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none{0, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  EXPECT_EQ(far_->Look(&announced), State::kRung);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  ASSERT_TRUE(announce(2));
  while (far_->Look(&announced) == State::kRung) {
  }
  ASSERT_EQ(announced.size(), 2u);
  EXPECT_EQ(announced[0].arena, 1u);
  EXPECT_FALSE(announced[0].memfd.is_open()) << "of another arena";
  EXPECT_FALSE(announced[1].memfd.is_open());
}

TEST_F(DoorbellTest, TellsThatThePeerIsGoneBehindItsRings) {
  EXPECT_FALSE(far_->IsPeerGone());
  near_->Ring();
  near_->Close();
  near_->Close();
  EXPECT_EQ(far_->Look(), State::kRung);
  EXPECT_TRUE(far_->IsPeerGone());
  EXPECT_EQ(far_->Look(), State::kPeerGone);
  far_->Ring();  // no signal
  EXPECT_EQ(far_->Look(), State::kPeerGone);
}

TEST_F(DoorbellTest, ForkedChildDoesNotEndTheConnection) {
  // A child counts as one when threads of the runtime run at the fork.
  BlockingQueue<int> end;
  Thread running("running", [&end] { (void)end.Pop(); });
  const pid_t child = fork();
  if (child == 0) {
    near_.reset();
    _exit(0);
  }
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  EXPECT_FALSE(far_->IsPeerGone());
  near_->Ring();
  EXPECT_EQ(far_->Look(), State::kRung);
  end.Close();
}

}  // namespace
}  // namespace ps
