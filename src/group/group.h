#ifndef PS_GROUP_GROUP_H_
#define PS_GROUP_GROUP_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "group/delivery.h"
#include "group/merge.h"
#include "group/result_sink.h"
#include "ps/tensor.h"
#include "ps/ticket.h"

namespace ps {

// How errors name whom they are of.
inline std::string KeyAndDevice(int key, int device) {
  return "key " + std::to_string(key) + ", device " + std::to_string(device) + ": ";
}

// The devices of one process: what they contribute to a key is merged round by round (Rounds), goes to a
// sink, and what comes of it is distributed to those who ask. Work is done by `ps-grp-<i>`, as many threads
// as the machine has cores (two at least), by priority, equal ones in order; callbacks run there without a
// lock. Any thread.
class Group {
 public:
  struct Options {
    std::vector<int> devices;          // their numbers, each once; in their order values are merged
    int max_rounds = 2;                // of a key without results; then contributions wait
    int max_merges = 0;                // at once; 0: as many as there are devices
    int max_deliveries = 0;            // the same of copies with their callbacks
    int reduce_threads = 8;            // for one large sum, as far as there are threads
    std::size_t big = 1000000;         // elements from which a sum uses them
    std::int64_t timeout_ms = 600000;  // of who waits for other devices; 0: none
    bool cpus_are_apart = false;       // as of Reducer
  };
  struct Key {
    int key = 0;
    Shape shape;  // rows, columns: of what one device contributes
    DType dtype = DType::kF32;
    MergeKind merge = MergeKind::kSum;
  };

  // `sink` null: the merged value is the result.
  Group(const Options& options, std::unique_ptr<ResultSink> sink);
  ~Group();  // = Close()
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  // All throw Error, which names key and device: kNotFound (no such key), kInvalidArgument (no such device,
  // another shape or dtype), kFailedPrecondition, kUnavailable (a device that is gone), kCancelled (closed).

  // Makes a key: `make` is called by the first who comes, others wait for it. Where it throws there is no
  // key. Later ones must mean the same shape and dtype.
  void AddKey(const Key& key, int device, const std::function<void()>& make);
  // Before the key has contributions; of a key that is not there yet it does nothing.
  void SetMerge(int key, MergeKind merge);
  // The device's contribution to its next round: its memory, unchanged until it has what comes of it. Waits
  // for room among the rounds. Done when the round is merged.
  Ticket Contribute(int key, int device, const TensorView& data, int priority);
  // What came of the device's last contribution, see Rounds.
  Ticket Distribute(int key, int device, Delivery delivery, int priority);
  // The device's last Distribute of the key; nothing for what there is not.
  std::optional<Ticket> LastOf(int key, int device);
  // A device contributes no more. What it has contributed to rounds that others still lack is withdrawn:
  // those rounds fail. When this returns nobody uses its arrays; on a thread of the group it does not wait
  // for that.
  void SetGone(int device, const std::string& why);
  // Fails what waits with kCancelled; when it returns no code of the group runs (but the caller's own
  // callback), nobody's memory is used, and nobody waits inside a call. Idempotent.
  void Close();

 private:
  class State;
  const std::unique_ptr<ResultSink> sink_;  // ends with the group, on whose thread that is
  const std::shared_ptr<State> state_;      // also of what the sink still brings
};

}  // namespace ps

#endif  // PS_GROUP_GROUP_H_
