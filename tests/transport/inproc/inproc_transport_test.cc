#include "transport/inproc/inproc_transport.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <vector>

#include "tests/support/transport_conformance.h"

namespace ps {
namespace {

struct InprocFabric {
  std::unique_ptr<Transport> Make() { return MakeInprocTransport(hub); }
  Address AnyPort() const { return {"a free text", 0}; }
  std::string unavailable() const { return ""; }

  std::shared_ptr<Hub> hub = std::make_shared<Hub>();
};

TEST(InprocTransportTest, HubsAreSeparateNetworks) {
  Endpoint one(MakeInprocTransport(std::make_shared<Hub>()));
  Endpoint two(MakeInprocTransport(std::make_shared<Hub>()));
  EXPECT_EQ(one.Listen({"n", 5}).port, 5);
  EXPECT_EQ(two.Listen({"n", 5}).port, 5);
  const auto link = one.ConnectTo({"n", 5});
  ASSERT_EQ(link->TrySend(NumberedFrame(1)), SendResult::kSent);
  EXPECT_TRUE(one.PollFor(1)) << "a transport may talk to itself";
  EXPECT_EQ(two.transport().Poll(&two, 0), 0);
}

TEST(InprocTransportTest, BoundsOfALinkAreConfigurable) {
  const auto hub = std::make_shared<Hub>();
  InprocOptions options;
  options.max_frames = 3;
  options.max_bytes = 1000;
  Endpoint receiver(MakeInprocTransport(hub));
  const Address address = receiver.Listen({"n", 0});
  Endpoint sender(MakeInprocTransport(hub, options));
  const auto link = sender.ConnectTo(address);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(link->TrySend(NumberedFrame(i)), SendResult::kSent);
  EXPECT_EQ(link->TrySend(NumberedFrame(3)), SendResult::kFull);
  ASSERT_TRUE(receiver.PollFor(3));
  EXPECT_EQ(link->TrySend(NumberedFrame(4, Pattern(5000))), SendResult::kSent)
      << "one larger frame may go alone";
  EXPECT_EQ(link->TrySend(NumberedFrame(5, Pattern(1))), SendResult::kFull);
  EXPECT_EQ(link->unreleased(), 1u);
}

TEST(InprocTransportTest, FrameIsUnreleasedUntilTheSinkHasReturned) {
  const auto hub = std::make_shared<Hub>();
  Endpoint receiver(MakeInprocTransport(hub));
  const Address address = receiver.Listen({"n", 0});
  Endpoint sender(MakeInprocTransport(hub));
  const auto link = sender.ConnectTo(address);
  size_t unreleased_in_sink = 0;
  receiver.on_frame = [&](const ReceivedFrame&) { unreleased_in_sink = link->unreleased(); };
  ASSERT_EQ(link->TrySend(NumberedFrame(1, Pattern(10))), SendResult::kSent);
  ASSERT_TRUE(receiver.PollFor(1));
  EXPECT_EQ(unreleased_in_sink, 1u);
  EXPECT_EQ(link->unreleased(), 0u);
}

TEST(InprocTransportTest, ClosedLinkTakesBackWhatNobodyHasSeen) {
  const auto hub = std::make_shared<Hub>();
  Endpoint receiver(MakeInprocTransport(hub));
  const Address address = receiver.Listen({"n", 0});
  Endpoint sender(MakeInprocTransport(hub));
  const auto closed = sender.ConnectTo(address);
  const auto open = sender.ConnectTo(address);
  ASSERT_EQ(closed->TrySend(NumberedFrame(1)), SendResult::kSent);
  ASSERT_EQ(open->TrySend(NumberedFrame(2)), SendResult::kSent);
  closed->Close();
  ASSERT_TRUE(receiver.PollFor(1));
  EXPECT_EQ(receiver.frames[0].number(), 2u);
  EXPECT_EQ(receiver.transport().Poll(&receiver, 0), 0);
}

TEST(InprocTransportTest, SixHundredEndpointsAreCheap) {
  constexpr int kEndpoints = 600;
  const auto hub = std::make_shared<Hub>();
  Endpoint root(MakeInprocTransport(hub));
  const Address address = root.Listen({"root", 0});
  std::vector<std::unique_ptr<Endpoint>> endpoints;
  std::vector<std::unique_ptr<Link>> links;
  for (int i = 0; i < kEndpoints; ++i) {
    endpoints.push_back(std::make_unique<Endpoint>(MakeInprocTransport(hub)));
    endpoints.back()->Listen({"node", 0});
    links.push_back(endpoints.back()->ConnectTo(address));
    ASSERT_EQ(links.back()->TrySend(NumberedFrame(i)), SendResult::kSent);
  }
  ASSERT_TRUE(root.PollFor(kEndpoints));
  for (int i = 0; i < kEndpoints; ++i) EXPECT_EQ(root.frames[i].number(), static_cast<uint64_t>(i));
}

INSTANTIATE_TYPED_TEST_SUITE_P(Inproc, TransportConformance, InprocFabric);

}  // namespace
}  // namespace ps
