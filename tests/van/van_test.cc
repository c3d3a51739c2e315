#include "ps/van.h"

#include <gtest/gtest.h>

#include "tests/support/fake_mailbox.h"
#include "tests/support/van_node.h"
#include "tests/support/watchdog.h"
#include "van/van_core.h"

namespace ps {
namespace {

// A scheduler and a server; the server's Van is the public one.
class VanTest : public testing::Test {
 protected:
  VanTest() {
    cluster_.config.role = Role::kServer;
    van_ = std::make_unique<Van>(cluster_.config,
                                 [hub = cluster_.hub](uint64_t) -> Result<std::unique_ptr<Transport>> {
                                   return MakeInprocTransport(hub);
                                 });
  }
  void Start() {
    cluster_.Add(Role::kScheduler);
    Thread scheduler("scheduler", [this] { cluster_.Start(); });
    ASSERT_TRUE(van_->core().Start(&sink_, StartOptions()).ok());
  }

  Watchdog watchdog_;
  VanCluster cluster_{1, 0};
  RecordingSink sink_;
  std::unique_ptr<Van> van_;
};

TEST_F(VanTest, KnowsItsNodeFromStartOn) {
  EXPECT_FALSE(van_->IsReady());
  EXPECT_THROW(van_->my_node(), Error);
  Start();
  EXPECT_TRUE(van_->IsReady());
  EXPECT_EQ(van_->my_node().id, 8);
  EXPECT_EQ(van_->my_node().ShortDebugString(), "S[8]");
  van_->core().Close();
  EXPECT_FALSE(van_->IsReady());
}

TEST_F(VanTest, SendsHandMadeMessagesAndTellsTheirBytes) {
  EXPECT_THROW(van_->Send(RequestTo(1, 0, 0, 0)), Error);
  Start();
  Message message = RequestTo(1, 7, 0, 3);
  message.AddData(SArray<uint64_t>({1, 2}));
  message.AddData(SArray<float>({1, 2, 3}));
  EXPECT_EQ(van_->Send(message), 28);
  const Message received = cluster_.nodes[0]->sink.WaitForMessages(1)[0];
  EXPECT_EQ(received.meta.sender, 8);
  EXPECT_EQ(received.meta.app_id, 7);
  EXPECT_EQ(received.meta.data_size, 28);
  EXPECT_EQ(SArray<float>(received.data[1])[2], 3);
}

TEST_F(VanTest, RefusesWhatTheWireCannotCarry) {
  Start();
  Message message = RequestTo(1, 0, 0, 0);
  for (int i = 0; i < 4; ++i) message.AddData(SArray<char>(1));
  try {
    van_->Send(message);
    FAIL() << "four blocks were sent";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), StatusCode::kInvalidArgument);
  }
  EXPECT_THROW(van_->Send(RequestTo(42, 0, 0, 0)), Error);
}

TEST_F(VanTest, NumbersAreUnique) {
  EXPECT_EQ(van_->GetTimestamp(), 0);
  EXPECT_EQ(van_->GetTimestamp(), 1);
}

TEST_F(VanTest, TheDefaultOneGoesByTheVanType) {
  EXPECT_TRUE(DefaultVan(Config()).ok());
  Config config;
  config.van_type = "pigeon";
  EXPECT_EQ(DefaultVan(config).status().code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace ps
