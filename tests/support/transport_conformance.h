// What every transport promises, as one typed suite. A transport passes it with a fabric and one line:
//
//   struct InprocFabric {
//     std::unique_ptr<Transport> Make();              // a new endpoint of the same network
//     Address AnyPort() const;                        // where to listen, port 0
//     std::string unavailable() const { return ""; }  // why this fabric cannot be tested on this machine
//   };
//   INSTANTIATE_TYPED_TEST_SUITE_P(Inproc, TransportConformance, InprocFabric);
//
// Peers that are not there: what is sent before a peer listens arrives when it does. What is sent after a
// peer has gone waits inside the link and goes to whoever listens at that address next; what was under way
// when it went may be lost. A sender neither blocks nor fails.
#ifndef PS_TESTS_SUPPORT_TRANSPORT_CONFORMANCE_H_
#define PS_TESTS_SUPPORT_TRANSPORT_CONFORMANCE_H_

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "tests/support/transport_endpoint.h"
#include "tests/support/watchdog.h"

namespace ps {

template <typename Fabric>
class TransportConformance : public testing::Test {
 protected:
  void SetUp() override {
    if (!fabric_.unavailable().empty()) GTEST_SKIP() << fabric_.unavailable();
  }

  std::unique_ptr<Endpoint> MakeEndpoint() { return std::make_unique<Endpoint>(fabric_.Make()); }

  // An endpoint that listens; where is in *address.
  std::unique_ptr<Endpoint> MakeListener(Address* address) {
    std::unique_ptr<Endpoint> endpoint = MakeEndpoint();
    *address = endpoint->Listen(fabric_.AnyPort());
    return endpoint;
  }

  // An address at which nobody listens any more.
  Address VacantAddress() {
    Address address;
    MakeListener(&address);
    return address;
  }

  // Sends frames too large to be copied until the link refuses one; how many it took.
  static size_t Fill(Link* link, const SArray<char>& payload) {
    constexpr size_t kMost = 10000;
    size_t taken = 0;
    while (taken < kMost && link->TrySend(NumberedFrame(taken, payload)) == SendResult::kSent) ++taken;
    EXPECT_LT(taken, kMost);
    return taken;
  }

  Watchdog watchdog_{std::chrono::seconds(60)};
  Fabric fabric_;
};

TYPED_TEST_SUITE_P(TransportConformance);

}  // namespace ps

#include "tests/support/transport_conformance_close.h"
#include "tests/support/transport_conformance_delivery.h"
#include "tests/support/transport_conformance_flow.h"
#include "tests/support/transport_conformance_life.h"
#include "tests/support/transport_conformance_peer.h"
#include "tests/support/transport_conformance_reply.h"

namespace ps {

REGISTER_TYPED_TEST_SUITE_P(TransportConformance,
                            // delivery
                            FramesArriveInTheOrderSent, LargePayloadArrivesWhole, EmptyPayloadArrives,
                            EveryLayoutOfPartsIsOneStream, TenThousandSmallFramesArrive,
                            SeveralSendersAreHeardExactlyOnceAndInOrder, ReplyReachesTheAskerWithoutALink,
                            ReplyMayBeSentFromTheSink, ReplyToNobodyIsHarmless, BothDirectionsAtOnce,
                            // flow
                            FullLinkCallsBackWhenThereIsRoom, ReleaseCallbackNeverRunsInsideTrySend,
                            PollReturnsAtItsTimeOut, WakeEndsPoll, WakeBeforePollIsKept,
                            // life
                            FreePortIsReadBack, TakenAddressIsNamedInTheError, WhatIsNoAddressIsRefused,
                            FramesWaitForAPeerThatIsNotThereYet, DeadPeerNeitherBlocksNorFails,
                            PeerComesBackAtTheSameAddress, ClosedLinkAndTransportRefuse,
                            CloseIsIdempotentAndLinksOutliveIt, CloseUnderLoad, CloseWithLingerDelivers,
                            ClosedLinkLetsGoOfMemory, ClosedTransportLetsGoOfMemory,
                            ProbeTellsNobodyFromSomebody,
                            // peer
                            PeerThatClosesItsLinkIsToldAndOneThatStaysIsNot, PeerThatClosesItsTransportIsTold,
                            PeerIsToldBehindItsLastFrame, PeerThatComesBackIsAnotherConnection,
                            PeersThatComeAndGoAreEachToldOnce, CheckTellsRefusedFromAccepted);

}  // namespace ps
#endif  // PS_TESTS_SUPPORT_TRANSPORT_CONFORMANCE_H_
