// A ring that was handed over, both ends in this process, without a transport around them.
#ifndef PS_TESTS_TRANSPORT_SHM_HANDED_OVER_H_
#define PS_TESTS_TRANSPORT_SHM_HANDED_OVER_H_

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "tests/support/transport_endpoint.h"
#include "transport/shm/reception.h"
#include "transport/shm/shm_link.h"

namespace ps {

struct HandedOver {
  explicit HandedOver(bool is_reply = false) {
    int ends[2] = {-1, -1};
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    const uint64_t capacity = Segment::kSmallestCapacity;
    Descriptor memfd;
    outlet =
        std::make_unique<Outlet>(Segment::Create(capacity, &memfd).value(), Doorbell(Descriptor(ends[0])));
    guest = std::make_unique<Reception::Guest>(Reception::Guest{Hello{1, 2, capacity, is_reply},
                                                                Segment::Open(memfd, capacity).value(),
                                                                Doorbell(Descriptor(ends[1]))});
  }

  std::unique_ptr<Outlet> outlet;
  std::unique_ptr<Reception::Guest> guest;
};

class CollectingSink : public FrameSink {
 public:
  void OnFrame(Frame&& frame, const ReturnPath& from) override {
    ReceivedFrame received;
    received.head = frame.head;
    for (const SArray<char>& part : frame.parts) received.payload.append(part.data(), part.size());
    received.from = from;
    frames.push_back(std::move(received));
    if (on_view) on_view(frame);
    if (on_frame) on_frame();
  }
  void OnPeerClosed(const ReturnPath& from) override { closed.push_back(from); }
  void OnDropped(Counter why) override { dropped.push_back(why); }

  std::vector<ReceivedFrame> frames;
  std::vector<ReturnPath> closed;
  std::vector<Counter> dropped;
  std::function<void()> on_frame;
  std::function<void(const Frame&)> on_view;
};

}  // namespace ps
#endif  // PS_TESTS_TRANSPORT_SHM_HANDED_OVER_H_
