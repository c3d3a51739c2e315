// Acceptance vectors of KVStore: programs of a few calls, as JSON (tests/vectors/kvstore*.json).
#ifndef PS_TESTS_SUPPORT_KV_PROGRAM_H_
#define PS_TESTS_SUPPORT_KV_PROGRAM_H_

#include <functional>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "ps/kvstore.h"

namespace ps {

// One vector:
//
//   {"id": "V110", "type": "dist_sync", "workers": 2, "servers": 2, "steps": [
//     {"do": "init", "keys": 3, "shape": [2, 3], "values": 1},
//     {"repeat": 2, "steps": [{"do": "push", "keys": 3, "by_worker": [1, 2]},
//                             {"do": "pull", "keys": 3, "expect_at": [7, 13]}]}]}
//
// A step is done by all workers at once, or by `w` (a rank, or several). `do`: init, push, pull, pushpull,
// broadcast, set, erase, push_rows and pull_rows (with `ids`), optimizer (`text`), hyper and compression
// (`params`), barrier, leave, command (`head`, `text`). Values: a number stands for all elements; `each` has
// one per key, `by_worker` one per worker, `each_device` one per device; `devices`: how many devices have a
// value, `outs`: how many are pulled into. `expect`, `expect_each` (per key), `expect_at` (per repetition).
// `shape`, `dtype` and `sparse` of keys are known from their init; `dtype` of a pull is that of what is
// pulled into. `error`: the call fails, and its text has this part. `tol`: relative, else values are exact.
class KVProgram {
 public:
  // The stores of the workers that are in this process, by rank; null where another process has it.
  using Stores = std::vector<KVStore*>;

  // The files below tests/vectors that hold such vectors.
  static std::vector<std::string> Files();
  // All vectors of a file below tests/vectors. Throws on a file that is none.
  static std::vector<nlohmann::json> Read(const std::string& file);
  static bool IsDistributed(const nlohmann::json& vector);
  // Those of all files that are for a job of this size.
  static std::vector<nlohmann::json> DistributedOf(int workers, int servers);
  // Numbers as keys, or the same as texts. A vector that says its `kind` has only that.
  enum class Kind { kNumbers, kTexts };
  static bool Has(const nlohmann::json& vector, Kind kind);

  KVProgram(const nlohmann::json& vector, Kind kind, const Stores& stores, std::function<void()> after_step);
  // What was not as it must be; empty: nothing.
  std::vector<std::string> Run();

 private:
  using Json = nlohmann::json;
  // Of a key.
  struct Form {
    Shape shape;
    DType dtype = DType::kF32;
    bool is_sparse = false;
  };
  // A step as one worker does it.
  struct Turn {
    const Json& step;
    std::size_t worker = 0;
    std::size_t repetition = 0;
  };

  void Steps(const Json& steps, std::size_t repetition);
  void Step(const Json& step, std::size_t repetition);
  void Do(const Turn& turn);
  void Call(const Turn& turn, KVStore* store);
  void CallTransfer(const Turn& turn, KVStore* store);
  void PullRows(const Turn& turn, KVStore* store);
  std::vector<KVKey> KeysOf(const Json& step, const char* count) const;
  Form FormOf(const Json& step, const KVKey& key) const;
  std::vector<Tensor> ValuesOf(const Turn& turn) const;
  std::vector<Tensor> OutsOf(const Turn& turn) const;
  Tensor Rows(const Turn& turn, const KVKey& key, const Json& values) const;
  void Remember(const Json& step);
  void Compare(const Turn& turn, const std::vector<Tensor>& outs);
  void CompareOne(const Turn& turn, const Json& expected, const Tensor& out);
  void Fail(const Turn& turn, const std::string& what);

  const Json vector_;
  const Kind kind_;
  const Stores stores_;
  const std::function<void()> after_step_;
  std::map<std::string, Form> forms_;  // by key; changed between steps only
  std::mutex mutex_;
  std::vector<std::string> failures_;  // under mutex_
};

}  // namespace ps

#endif  // PS_TESTS_SUPPORT_KV_PROGRAM_H_
