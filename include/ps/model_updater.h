// ModelUpdater: what a program makes of the merged values of a SharedModel, key by key.
#ifndef PS_MODEL_UPDATER_H_
#define PS_MODEL_UPDATER_H_

#include <functional>
#include <memory>
#include <string>

#include "ps/dtype.h"
#include "ps/status.h"
#include "ps/tensor.h"

namespace ps {

// A program's own rule (mshadow-ps' IModelUpdater). There is one object for each model in each process that
// has values: at the servers of a job, or, with one process, in it. What its calls throw is the error of the
// operation that needed it; the process goes on.
//
// Arrays are of the processor's memory and valid during the call. Keys with 16-bit floats come as f32, in
// which they are kept. A key of more elements than `bigarray_bound` is spread evenly over the servers: each
// has a part of it, of one dimension. Calls for one key come one after the other, those for two keys perhaps
// at the same time.
class ModelUpdater {
 public:
  virtual ~ModelUpdater() = default;
  // What SharedModel::SetParam was told, in its order, without push_op and msg:*. Before InitUpdater.
  virtual void SetParam(const std::string& name, const std::string& value) {
    static_cast<void>(name);
    static_cast<void>(value);
  }
  // Once, before the first key. At a server its rank and what RunServer was given of the command line; in the
  // workers' process 0, 0 and null.
  virtual void InitUpdater(int rank, int argc, char** argv) {
    static_cast<void>(rank);
    static_cast<void>(argc);
    static_cast<void>(argv);
  }
  // Once for each key, when it is made; not where it comes from a checkpoint. `weight` is zeros, and may be
  // set in place: that is what everybody pulls before anything was pushed.
  virtual void InitModel(int key, const TensorView& weight) {
    static_cast<void>(key);
    static_cast<void>(weight);
  }
  // Changes `weight` in place by what came: what the devices' contributions were merged to.
  virtual void Update(int key, const TensorView& weight, const TensorView& delta) = 0;
};

// `dtype`: of the arrays that it will get.
using ModelUpdaterFactory = std::function<std::unique_ptr<ModelUpdater>(DType dtype)>;

// Adds a rule under a new name, on every node of the job (ps_node has none), before models use it; names as
// of RegisterUpdater. kAlreadyExists, kInvalidArgument. A factory that throws, or makes nothing, is the error
// of who makes a key, whose next InitKey asks again. Any thread.
Status RegisterModelUpdater(const std::string& name, ModelUpdaterFactory factory);

}  // namespace ps

#endif  // PS_MODEL_UPDATER_H_
