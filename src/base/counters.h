// What a node counts about itself: cheap enough to be always on.
#ifndef PS_BASE_COUNTERS_H_
#define PS_BASE_COUNTERS_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

namespace ps {

enum class Counter {
  // Frames that were dropped, by reason.
  kRejectedMagic,      // not ours at all: HTTP, random bytes, a foreign ZeroMQ peer
  kRejectedVersion,    // another protocol version
  kRejectedSize,       // a claim beyond what is allowed, or blocks that do not fit the frame
  kRejectedMalformed,  // header or control body that does not parse
  kRejectedStranger,   // from nobody who was admitted
  kRejectedStale,      // from an older incarnation, or one declared lost
  kRejectedMisrouted,  // meant for another node, or another incarnation of this one
  kRejectedToken,      // registration with a wrong or missing job token
  kRejectedHandshake,  // connections that spoke no or an old ZeroMQ, or did not finish their handshake
  kRejectedOverflow,   // beyond the bound of what may be parked
  // Traffic. Messages are whole messages, bytes count header and blocks.
  kSentMessages,
  kReceivedMessages,
  kSentBytes,
  kReceivedBytes,
  kSentFrames,
  kReceivedFrames,
  kCopiedBytes,  // payload the library copied on its way
  // Delivery.
  kDuplicatesDropped,
  kOutOfOrder,
  kResendsAsked,
  kResendsSent,
  kDroppedForTest,     // PS_DROP_MSG
  kSilentConnections,  // that closed before a frame came: port scans, checks, links that were never used
  // Flow.
  kParkedMessages,
  kCreditWaits,
  // Life of the cluster.
  kHeartbeatsSent,
  kHeartbeatsReceived,
  kNodesLost,
  kRecoveries,
  kCount  // not a counter: their number
};

// One set per node. Thread-safe; the values of one moment need not be consistent with each other.
class Counters {
 public:
  Counters() = default;
  Counters(const Counters&) = delete;
  Counters& operator=(const Counters&) = delete;

  void Add(Counter counter, std::uint64_t amount = 1) {
    values_[static_cast<std::size_t>(counter)].fetch_add(amount, std::memory_order_relaxed);
  }
  // The same, cheaper, for a counter that one thread at a time adds to.
  void AddAlone(Counter counter, std::uint64_t amount = 1) {
    std::atomic<std::uint64_t>& value = values_[static_cast<std::size_t>(counter)];
    value.store(value.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
  }
  std::uint64_t Get(Counter counter) const {
    return values_[static_cast<std::size_t>(counter)].load(std::memory_order_relaxed);
  }

  // The name in Prometheus' notation, such as ps_rejected_frames_total{reason="magic"}.
  static const char* Name(Counter counter);

  // Frames rejected for any reason.
  std::uint64_t RejectedFrames() const;
  // "magic 3, stranger 1": the reasons that have grown since `since` (which counts up to there then), and in
  // *total by how much together. Empty: none has.
  using Snapshot = std::array<std::uint64_t, static_cast<std::size_t>(Counter::kRejectedOverflow) + 1>;
  std::string NewRejections(Snapshot* since, std::uint64_t* total) const;

  // All counters, one "name value" per line.
  std::string ToText() const;

 private:
  std::array<std::atomic<std::uint64_t>, static_cast<std::size_t>(Counter::kCount)> values_{};
};

}  // namespace ps

#endif  // PS_BASE_COUNTERS_H_
