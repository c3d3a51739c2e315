#ifndef PS_TRANSPORT_CHAOS_TRANSPORT_H_
#define PS_TRANSPORT_CHAOS_TRANSPORT_H_

#include <cstdint>
#include <functional>
#include <memory>

#include "base/clock.h"
#include "transport/transport.h"

namespace ps {

// What goes wrong with received frames. Percentages are per frame and independent of each other; 0 = never.
struct ChaosOptions {
  uint64_t seed = 0;  // of the generator; 0: chosen at random. Logged once when anything can go wrong
  double drop_percent = 0;
  double duplicate_percent = 0;  // the second copy comes up to max_delay_ms later
  double reorder_percent = 0;    // held back behind the next one to three frames, at most max_delay_ms
  double delay_percent = 0;      // by 1 to max_delay_ms; frames behind it overtake
  int max_delay_ms = 20;
  const Clock* clock = &Clock::Real();        // measures delays; outlives the transport
  std::function<bool(const Frame&)> spare;    // true: nothing happens to this frame
  std::function<void(const Frame&)> on_drop;  // called before the sink is told of a dropped frame
};

// A transport for tests, and for PS_DROP_MSG: everything goes through to `inner`, but frames that come out of
// Poll (replies too) are lost, doubled, reordered and delayed. Held frames are copied, come out of a later
// Poll, which returns in time for them, and are gone at Close.
std::unique_ptr<Transport> MakeChaosTransport(std::unique_ptr<Transport> inner, const ChaosOptions& options);

}  // namespace ps
#endif  // PS_TRANSPORT_CHAOS_TRANSPORT_H_
