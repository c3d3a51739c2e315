#ifndef PS_GROUP_RESULT_SINK_H_
#define PS_GROUP_RESULT_SINK_H_

#include <cstdint>
#include <functional>

#include "base/copy.h"
#include "group/scratch.h"
#include "ps/status.h"
#include "ps/tensor.h"

namespace ps {

// Where the merged values of a Group go, and what comes back for its devices. Calls for one key come one
// after the other, in the order of the rounds, on threads of the group; those for several keys at a time.
// Results may come in any order.
class ResultSink {
 public:
  // Told once, by any thread, also before the call returns. The tensor is in memory of its own, which nobody
  // changes any more.
  using Done = std::function<void(Result<Tensor> result)>;

  // A merged value: dense, of the key's dtype, in the processor's memory. `is_lent`: it is a device's array,
  // unchanged until `done` is called or Close returns; else it stays as long as somebody holds it.
  struct Merged {
    int key = 0;
    std::uint64_t round = 0;
    Tensor values;
    bool is_lent = false;
    int priority = 0;

    // In memory of its own from then on.
    void Own(Scratch* scratch);
  };

  virtual ~ResultSink() = default;
  // There is a value for each key, from its beginning on, that Read gives.
  virtual bool keeps_value() const = 0;
  // Takes a round's value, and gives its result. What it throws is the result.
  virtual void Take(Merged&& merged, Done done) = 0;
  // The value now.
  virtual void Read(int key, int priority, Done done) = 0;
  // Nothing follows any more. Returns when no memory that was lent is used.
  virtual void Close() = 0;
};

inline void ResultSink::Merged::Own(Scratch* scratch) {
  if (!is_lent) return;
  const TensorView& lent = values.view();
  const Tensor own = scratch->TakeTensor(lent.shape, lent.dtype, DeviceId::Cpu());
  CopyBytes(own.view().data, lent.data, lent.bytes());
  values = own;
  is_lent = false;
}

}  // namespace ps

#endif  // PS_GROUP_RESULT_SINK_H_
