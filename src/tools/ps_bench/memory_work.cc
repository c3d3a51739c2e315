// What a request costs the worker's memory while it is open, and afterwards.
#include <malloc.h>

#include <map>
#include <memory>
#include <stdexcept>
#include <vector>

#include "tools/ps_bench/work.h"

namespace ps::bench {
namespace {

// Commands of its pushes.
enum : int {
  kHold = 0,    // the server answers later
  kAnswer = 1,  // now, all that it holds
};

// What is allocated and not freed.
double HeapBytes() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<double>(info.uordblks + info.hblkhd);
}

class Memory : public Work {
 public:
  explicit Memory(const Bench& bench)
      : bench_(bench),
        keys_(bench.Keys(0).segment(0, 1)),
        value_(1, 1.0f),
        open_(static_cast<size_t>(bench.Setting("count"))) {}

  Figures Run() override {
    const double count = static_cast<double>(open_.size());
    const double before = HeapBytes();
    for (int& timestamp : open_) timestamp = bench_.worker->ZPush(keys_, value_);
    SArray<float> held(1);
    bench_.worker->Wait(bench_.worker->ZPull(keys_, &held));  // in order: all of them are there
    const double during = HeapBytes();
    if (held[0] != static_cast<float>(count)) throw std::runtime_error("pushes are missing at the server");
    bench_.worker->Wait(bench_.worker->ZPush(keys_, value_, {}, kAnswer));
    for (const int timestamp : open_) bench_.worker->Wait(timestamp);
    const double after = HeapBytes();
    return {{"bytes_per_open_request", (during - before) / count},
            {"growth_per_request", (after - before) / count}};
  }

 private:
  const Bench bench_;
  const SArray<Key> keys_;
  const SArray<float> value_;
  std::vector<int> open_;
};

}  // namespace

std::unique_ptr<Work> MakeMemory(const Bench& bench) { return std::make_unique<Memory>(bench); }

Handle MakeHoldingHandle() {
  // Shared, because a handle is copied; it is called by one thread.
  const auto held = std::make_shared<std::map<int, std::vector<KVMeta>>>();
  return [held](const KVMeta& meta, const KVPairs<float>& data, KVServer<float>* server) {
    std::vector<KVMeta>& mine = (*held)[meta.sender];
    if (meta.pull) {
      const SArray<float> count(1, static_cast<float>(mine.size()));
      server->Response(meta, {data.keys, count, {}});
      return;
    }
    mine.push_back(meta);
    if (meta.cmd != kAnswer) return;
    for (const KVMeta& open : mine) server->Response(open);
    mine.clear();
  };
}

}  // namespace ps::bench
