// Clusters in this process whose every node receives through a ChaosTransport, and the seeds they run with.
#ifndef PS_TESTS_SUPPORT_CHAOS_H_
#define PS_TESTS_SUPPORT_CHAOS_H_

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "transport/chaos_transport.h"

namespace ps {

using WrapNode = std::function<std::unique_ptr<Transport>(std::unique_ptr<Transport>, int node_index)>;

// Every node goes wrong in its own way, and in the same way each time a seed is used.
inline WrapNode Chaotic(const ChaosOptions& options) {
  return [options](std::unique_ptr<Transport> inner, int node_index) {
    ChaosOptions own = options;
    own.seed = 1000 * options.seed + static_cast<uint64_t>(node_index) + 1;
    return MakeChaosTransport(std::move(inner), own);
  };
}

// 30 % lost, 10 % doubled, 20 % reordered, everything delayed by up to `max_delay_ms`.
inline ChaosOptions RoughWeather(uint64_t seed, int max_delay_ms) {
  ChaosOptions options;
  options.seed = seed;
  options.drop_percent = 30;
  options.duplicate_percent = 10;
  options.reorder_percent = 20;
  options.delay_percent = 100;
  options.max_delay_ms = max_delay_ms;
  return options;
}

// 5 % lost, 5 % doubled, 20 % reordered, everything delayed by up to 1 ms.
inline ChaosOptions ChangeableWeather(uint64_t seed) {
  ChaosOptions options;
  options.seed = seed;
  options.drop_percent = 5;
  options.duplicate_percent = 5;
  options.reorder_percent = 20;
  options.delay_percent = 100;
  options.max_delay_ms = 1;
  return options;
}

// A number of the environment, for `make chaos`.
inline uint64_t ChaosNumber(const char* variable, uint64_t fallback) {
  const char* text = std::getenv(variable);
  return text == nullptr || *text == '\0' ? fallback : std::strtoull(text, nullptr, 10);
}

// Calls `run` with seed after seed and says which: PS_CHAOS_SEEDS of them (20) from PS_CHAOS_SEED (1) on.
inline void ForEachSeed(const std::function<void(uint64_t seed)>& run) {
  const uint64_t first = ChaosNumber("PS_CHAOS_SEED", 1);
  const uint64_t count = ChaosNumber("PS_CHAOS_SEEDS", 20);
  for (uint64_t seed = first; seed < first + count; ++seed) {
    std::printf("PS_CHAOS_SEED=%llu\n", static_cast<unsigned long long>(seed));
    std::fflush(stdout);
    run(seed);
  }
}

}  // namespace ps
#endif  // PS_TESTS_SUPPORT_CHAOS_H_
