#include "base/counters.h"

#include <utility>

#include "ps/base.h"

namespace ps {
namespace {

constexpr std::size_t kCount = static_cast<std::size_t>(Counter::kCount);
static_assert(static_cast<std::size_t>(Counter::kRejectedMagic) == 0, "the reasons come first");

// In the order of the enumeration.
constexpr const char* kNames[] = {
    "ps_rejected_frames_total{reason=\"magic\"}",
    "ps_rejected_frames_total{reason=\"version\"}",
    "ps_rejected_frames_total{reason=\"size\"}",
    "ps_rejected_frames_total{reason=\"malformed\"}",
    "ps_rejected_frames_total{reason=\"stranger\"}",
    "ps_rejected_frames_total{reason=\"stale\"}",
    "ps_rejected_frames_total{reason=\"misrouted\"}",
    "ps_rejected_frames_total{reason=\"token\"}",
    "ps_rejected_frames_total{reason=\"handshake\"}",
    "ps_rejected_frames_total{reason=\"overflow\"}",
    "ps_sent_messages_total",
    "ps_received_messages_total",
    "ps_sent_bytes_total",
    "ps_received_bytes_total",
    "ps_sent_frames_total",
    "ps_received_frames_total",
    "ps_copied_bytes_total",
    "ps_duplicates_dropped_total",
    "ps_out_of_order_total",
    "ps_resends_asked_total",
    "ps_resends_sent_total",
    "ps_dropped_for_test_total",
    "ps_silent_connections_total",
    "ps_parked_messages_total",
    "ps_credit_waits_total",
    "ps_heartbeats_sent_total",
    "ps_heartbeats_received_total",
    "ps_nodes_lost_total",
    "ps_recoveries_total",
};
static_assert(sizeof(kNames) / sizeof(kNames[0]) == kCount, "every counter has a name");

}  // namespace

const char* Counters::Name(Counter counter) {
  const std::size_t index = static_cast<std::size_t>(counter);
  PS_DCHECK(index < kCount);
  return index < kCount ? kNames[index] : "";
}

std::uint64_t Counters::RejectedFrames() const {
  std::uint64_t sum = 0;
  for (int i = static_cast<int>(Counter::kRejectedMagic); i <= static_cast<int>(Counter::kRejectedOverflow);
       ++i) {
    sum += Get(static_cast<Counter>(i));
  }
  return sum;
}

std::string Counters::NewRejections(Snapshot* since, std::uint64_t* total) const {
  std::string text;
  *total = 0;
  for (std::size_t i = 0; i < since->size(); ++i) {
    const std::uint64_t value = Get(static_cast<Counter>(i));
    const std::uint64_t grown = value - std::exchange((*since)[i], value);
    if (grown == 0) continue;
    *total += grown;
    const std::string name = kNames[i];
    const std::size_t reason = name.find('"') + 1;
    text += (text.empty() ? "" : ", ") + name.substr(reason, name.rfind('"') - reason) + ' ' +
            std::to_string(grown);
  }
  return text;
}

std::string Counters::ToText() const {
  std::string text;
  for (std::size_t i = 0; i < kCount; ++i) {
    text += kNames[i];
    text += ' ';
    text += std::to_string(Get(static_cast<Counter>(i)));
    text += '\n';
  }
  return text;
}

}  // namespace ps
