#include "tools/ps_bench/work.h"

#include <map>
#include <random>
#include <stdexcept>

namespace ps::bench {
namespace {

struct Kind {
  std::unique_ptr<Work> (*make)(const Bench&);
  Handle (*handle)();  // null: its servers have a store instead
};

Handle MakeDefaultHandle() { return KVServerDefaultHandle<float>(); }

// "idle": stays in the cluster and does nothing.
class Idle : public Work {
 public:
  Figures Run() override { return {}; }
};
std::unique_ptr<Work> MakeIdle(const Bench&) { return std::make_unique<Idle>(); }

const Kind& KindOf(const std::string& name) {
  static const std::map<std::string, Kind> kinds = {{"latency", {MakeLatency, MakeDefaultHandle}},
                                                    {"rate", {MakeRate, MakeDefaultHandle}},
                                                    {"push", {MakePush, MakeDefaultHandle}},
                                                    {"pull", {MakePull, MakeDefaultHandle}},
                                                    {"push-pull", {MakePushPull, MakeDefaultHandle}},
                                                    {"keys", {MakeKeys, MakeKeepingHandle}},
                                                    {"lent-push", {MakeLentPush, MakeTellingHandle}},
                                                    {"urgent", {MakeUrgent, MakeDefaultHandle}},
                                                    {"memory", {MakeMemory, MakeHoldingHandle}},
                                                    {"idle", {MakeIdle, MakeDefaultHandle}},
                                                    {"store-rows", {MakeStoreRows, nullptr}},
                                                    {"store-push-pull", {MakeStorePushPull, nullptr}},
                                                    {"store-tables", {MakeStoreTables, nullptr}},
                                                    {"store-local", {MakeStoreLocal, nullptr}},
                                                    {"kv-keys", {MakeKVKeys, nullptr}},
                                                    {"kv-push-pull", {MakeKVPushPull, nullptr}},
                                                    {"tables", {MakeTables, nullptr}},
                                                    {"device-reduce", {MakeDeviceReduce, MakeDefaultHandle}},
                                                    {"allreduce", {MakeAllreduce, MakeDefaultHandle}},
                                                    {"model-round", {MakeModelRound, MakeDefaultHandle}}};
  const auto found = kinds.find(name);
  if (found == kinds.end()) throw std::invalid_argument("there is no work '" + name + "'");
  return found->second;
}

}  // namespace

SArray<Key> Bench::Keys(int number) const {
  SArray<Key> keys(servers.size());
  for (size_t i = 0; i < servers.size(); ++i) {
    keys[i] = servers[i].begin() + static_cast<Key>(rank) * 64 + static_cast<Key>(number);
  }
  return keys;
}

std::unique_ptr<Work> MakeWork(const std::string& name, const Bench& bench) {
  return KindOf(name).make(bench);
}

Handle HandleOf(const std::string& name) { return KindOf(name).handle(); }
bool NeedsStore(const std::string& name) { return KindOf(name).handle == nullptr; }

SArray<float> RandomValues(std::size_t count, std::uint32_t seed) {
  std::mt19937 random(seed);
  SArray<float> values(count);
  for (float& value : values) value = static_cast<float>(random() % 8);
  return values;
}

void CheckMultiple(const SArray<float>& values, const SArray<float>& terms, double times) {
  if (values.size() != terms.size()) throw std::runtime_error("values are missing");
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i] != static_cast<float>(times) * terms[i]) throw std::runtime_error("a value is wrong");
  }
}

}  // namespace ps::bench
