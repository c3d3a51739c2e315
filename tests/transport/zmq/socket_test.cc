#include "transport/zmq/socket.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "tests/support/transport_endpoint.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

class ZmqSocketTest : public testing::Test {
 protected:
  std::unique_ptr<ZmqSocket> Open(int type) { return ZmqSocket::Open(*context_, type).value(); }

  Watchdog watchdog_;
  std::shared_ptr<ZmqContext> context_ = ZmqContext::Make(1).value();
};

TEST_F(ZmqSocketTest, MessagesCopyOrLend) {
  const SArray<char> bytes = Pattern(1000);
  ZmqMessage copied(bytes.data(), bytes.size());
  EXPECT_EQ(std::string(copied.data(), copied.size()), Text(bytes));
  EXPECT_EQ(bytes.ptr().use_count(), 1);
  {
    ZmqMessage lent(bytes, nullptr);
    EXPECT_EQ(lent.data(), bytes.data());
    EXPECT_EQ(bytes.ptr().use_count(), 2);
    const ZmqMessage moved(std::move(lent));
    EXPECT_EQ(moved.size(), 1000u);
    EXPECT_EQ(lent.size(), 0u);
  }
  EXPECT_EQ(bytes.ptr().use_count(), 1);
}

TEST_F(ZmqSocketTest, ArrayOwnsTheMessage) {
  const SArray<char> bytes = Pattern(1000);
  SArray<char> array = ArrayOf(ZmqMessage(bytes, nullptr));
  EXPECT_EQ(array.data(), bytes.data());
  const SArray<char> part = array.segment(10, 20);
  array.clear();
  EXPECT_EQ(bytes.ptr().use_count(), 2);
  EXPECT_EQ(Text(part), Text(bytes.segment(10, 20)));
  EXPECT_EQ(Text(ArrayOf(ZmqMessage("tiny", 4))), "tiny")
      << "the library keeps tiny messages inside the object that moves";
}

TEST_F(ZmqSocketTest, NothingWaits) {
  const auto dealer = Open(ZMQ_DEALER);
  ZmqMessage message("x", 1);
  EXPECT_EQ(dealer->Send(&message, false), IoResult::kNothing);
  EXPECT_EQ(message.size(), 1u) << "what was not sent is still the caller's";
  EXPECT_EQ(dealer->Receive(&message), IoResult::kNothing);
  EXPECT_FALSE(dealer->Readable());
  EXPECT_GE(dealer->Descriptor(), 0);
}

TEST_F(ZmqSocketTest, UnknownRouteIsGone) {
  const auto router = Open(ZMQ_ROUTER);
  ASSERT_TRUE(router->SetInt(ZMQ_ROUTER_MANDATORY, 1).ok());
  ZmqMessage route("nobody", 6);
  EXPECT_EQ(router->Send(&route, true), IoResult::kGone);
}

TEST_F(ZmqSocketTest, BindTellsPortAndError) {
  const auto router = Open(ZMQ_ROUTER);
  ASSERT_EQ(router->Bind("tcp://127.0.0.1:0"), 0);
  const std::string endpoint = router->LastEndpoint();
  EXPECT_EQ(endpoint.find("tcp://127.0.0.1:"), 0u) << endpoint;
  const int error = Open(ZMQ_ROUTER)->Bind(endpoint);
  EXPECT_EQ(ZmqErrorText(error), "Address already in use");
  EXPECT_NE(Open(ZMQ_DEALER)->Connect("nonsense"), 0);
}

TEST_F(ZmqSocketTest, ClosedSocketFails) {
  const auto dealer = Open(ZMQ_DEALER);
  dealer->Close(0);
  dealer->Close(0);
  ZmqMessage message;
  EXPECT_EQ(dealer->Send(&message, false), IoResult::kFailed);
  EXPECT_EQ(dealer->Receive(&message), IoResult::kFailed);
  EXPECT_FALSE(dealer->SetInt(ZMQ_LINGER, 0).ok());
  EXPECT_EQ(dealer->Descriptor(), -1);
  EXPECT_EQ(dealer->LastEndpoint(), "");
}

TEST_F(ZmqSocketTest, TerminatedContextOpensNothing) {
  context_->Terminate();
  context_->Terminate();
  EXPECT_FALSE(ZmqSocket::Open(*context_, ZMQ_DEALER).ok());
}

}  // namespace
}  // namespace ps
