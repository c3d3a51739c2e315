// What the nodes of a measured job do: a worker's measurement, and the request handle it needs.
#ifndef PS_TOOLS_PS_BENCH_WORK_H_
#define PS_TOOLS_PS_BENCH_WORK_H_

#include <cstdint>
#include <memory>
#include <string>

#include "ps/ps.h"
#include "tools/ps_bench/figures.h"

namespace ps::bench {

// Longer than this no series of round trips goes on.
constexpr double kSeriesLimitS = 1;

// Everything a worker's measurement runs on. The worker is borrowed.
struct Bench {
  KVWorker<float>* worker = nullptr;
  int rank = 0;
  std::vector<Range> servers;  // their keys
  Figures settings;

  double Setting(const std::string& name) const { return FigureOf(settings, name); }
  // The same key number of this worker at each server, ascending; no other worker uses them. `number` is less
  // than 64.
  SArray<Key> Keys(int number) const;
};

// Made ready by its constructor; every Run checks what came back and throws std::runtime_error when it is
// wrong.
class Work {
 public:
  virtual ~Work() = default;
  virtual Figures Run() = 0;
};

using Handle = KVServer<float>::ReqHandle;

// Errors (std::invalid_argument): no such work.
std::unique_ptr<Work> MakeWork(const std::string& name, const Bench& bench);
Handle HandleOf(const std::string& name);
// Its servers serve the store; it has no handle.
bool NeedsStore(const std::string& name);

// --- the works ---

// Pull + Wait of one key with 16 floats; settings: count.
std::unique_ptr<Work> MakeLatency(const Bench& bench);
// Pushes of one float to one key, 256 open: pushes_per_s; count.
std::unique_ptr<Work> MakeRate(const Bench& bench);
// Arrays of `bytes` under one key at each server, `total_bytes` per run: bytes_per_s, one way.
std::unique_ptr<Work> MakePush(const Bench& bench);
std::unique_ptr<Work> MakePull(const Bench& bench);
std::unique_ptr<Work> MakePushPull(const Bench& bench);
// Pushes from ps::Alloc: bytes_per_s, and copied_per_byte at the first server.
std::unique_ptr<Work> MakeLentPush(const Bench& bench);
// Push, then pull of `count` sorted keys all over the key space with a float each: push_keys_per_s,
// pull_keys_per_s.
std::unique_ptr<Work> MakeKeys(const Bench& bench);
// A pull of 4 KB with a high priority behind pushes of `bulk_bytes`: pull_us.
std::unique_ptr<Work> MakeUrgent(const Bench& bench);
// `count` pushes that the server holds, then answers: bytes_per_open_request, growth_per_request of the
// worker's heap.
std::unique_ptr<Work> MakeMemory(const Bench& bench);

// `count` contributions to 4,096 random ones of `rows` rows of `width` floats each: rows_per_s; `adagrad`
// set: with this rule.
std::unique_ptr<Work> MakeStoreRows(const Bench& bench);
// AddGet of `bytes` of floats, BSP, `total_bytes` per run: bytes_per_s, one way; `shared` set: from
// ps::Alloc.
std::unique_ptr<Work> MakeStorePushPull(const Bench& bench);
// AddGet of 64 floats to each of `count` tables, as one batch: round_us, messages_sent, messages_received.
std::unique_ptr<Work> MakeStoreTables(const Bench& bench);
// Add and Get of a million floats, Add of ten, through a store in the process: add_us, get_us, small_add_us.
std::unique_ptr<Work> MakeStoreLocal(const Bench& bench);

// PushPull of `count` keys of 64 floats through a KVStore, as one call: round_us, messages_sent,
// messages_received.
std::unique_ptr<Work> MakeKVKeys(const Bench& bench);
// PushPull of a key of `bytes` through a KVStore, `total_bytes` per run, one after the other: bytes_per_s,
// one way; `slice_bytes` set: in slices of so much (0: whole).
std::unique_ptr<Work> MakeKVPushPull(const Bench& bench);
// Add and Get of tables: a million floats and ten, 10,000 rows of 50, 10,000 keys, `count` times; `local`
// set: through a store in the process. add_us, get_us, small_add_us, row_add_us, key_adds_per_s,
// key_gets_per_s.
std::unique_ptr<Work> MakeTables(const Bench& bench);

// `count` sums of arrays of `bytes` of 4 simulated devices, without a network: p50_us and so on.
std::unique_ptr<Work> MakeDeviceReduce(const Bench& bench);

// `count` allreduces of `bytes` of floats among the workers: p50_us and so on.
std::unique_ptr<Work> MakeAllreduce(const Bench& bench);
// `count` rounds of a SharedModel, local, of `devices` devices with arrays of `bytes`: p50_us and so on.
std::unique_ptr<Work> MakeModelRound(const Bench& bench);

// Keeps the arrays of a worker's last push, and answers its pulls with them: a handler without a table.
Handle MakeKeepingHandle();
// The default one, which also tells what has been copied at its server.
Handle MakeTellingHandle();
// Holds pushes until the worker says that it has enough; see memory.cc.
Handle MakeHoldingHandle();

// Whole numbers from 0 to 7, in no order: sums of them stay exact.
SArray<float> RandomValues(std::size_t count, std::uint32_t seed);
// Throws unless value i is times x terms[i], for all i.
void CheckMultiple(const SArray<float>& values, const SArray<float>& terms, double times);

}  // namespace ps::bench

#endif  // PS_TOOLS_PS_BENCH_WORK_H_
