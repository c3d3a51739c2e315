#include "transport/shm/doorbell.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <memory>

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
