// Collective: what all workers of a job do together, over direct connections: allreduce and its kin.
#ifndef PS_COLLECTIVE_H_
#define PS_COLLECTIVE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "ps/dtype_of.h"
#include "ps/tensor.h"
#include "ps/ticket.h"

namespace ps {

class CollectiveNode;
class Postoffice;

// What a reduction makes of two elements. Integers wrap around; 16-bit floats are computed in float and
// rounded at each step. A NaN in any contribution gives a NaN (which one is not said). Of bools there are
// only kMin (and) and kMax (or). The values travel.
enum class ReduceOp : std::uint8_t { kSum = 0, kProd = 1, kMin = 2, kMax = 3 };

// The workers of a job, each with a rank from 0 on, as one group. Servers take no part, and there need be
// none (DMLC_NUM_SERVER=0); connections between workers are made when they are first needed.
//
// All ranks call the same operations in the same order: the n-th one of each belongs together. Before values
// are combined it is checked that they mean the same; what differs ends the operation on every rank with
// kInvalidArgument, which names two of them and what each has called. So does a rank that is lost
// (kUnavailable, with its name), and, after PS_BARRIER_TIMEOUT, one that does not come (kDeadlineExceeded,
// with its name). What the arrays hold then is not said.
//
// An operation that fails on one rank fails on all that have not finished it. Whoever had finished it has its
// result, does not hear of the error, and goes on to its next call. So a rank that just calls again may meet
// the next call of others, and where the two look alike their values are combined. Let the job fail; or agree
// first where to go on (what each has finished, what a checkpoint has); or call what must not be confused by
// names of its own ("step/17"): then who waits for one that others have finished gets kDeadlineExceeded.
//
// A rank may be ahead: what comes for operations that another has not begun is kept there, 100,000 messages
// or 64 MB (of arrays up to 16 KB: larger ones are sent to who has begun), and before it has asked for its
// Collective 10,000 or 4 x PS_SEND_BUFFER_BYTES. Beyond, the operation fails on all ranks with
// kResourceExhausted. Of larger arrays a rank copies up to PS_SEND_BUFFER_BYTES while others are late, and
// waits for all with what is beyond.
//
// Results have the same bits on all ranks. Small arrays travel in the fewest messages (recursive doubling and
// halving), large ones in pieces of 256 KB, between any two of up to 8 ranks, round a ring of more; the size
// decides.
//
// When a worker is lost (PS_ON_NODE_LOST on the scheduler): with `fail` what is under way fails, and so does
// what comes later until another process has taken its place, which begins anew, with the others, at the
// first operation. With `wait` what is under way waits for the place to be taken, within its deadline, and
// fails then, because the newcomer knows nothing of it. With `shrink` what is under way fails, and the others
// go on as a smaller group. A call that was made for the group before fails too. When the group has changed
// numbers begin anew: what was said of calling again holds. A worker that was declared lost itself (it stood
// still) gets kUnavailable, with its own name, from then on.
//
// Any thread, but all ranks must agree on the order of unnamed operations. None of them may be called in an
// inline handle, and none but AllreduceAsync in a continuation of one of its tickets.
class Collective {
 public:
  // Of a worker's node (null: the thread's, see ps.h), which has been started: one, for all who ask, until
  // the node ends. Throws Error elsewhere.
  static std::shared_ptr<Collective> Of(Postoffice* node = nullptr);
  explicit Collective(std::shared_ptr<CollectiveNode> node);  // for the library
  ~Collective();
  Collective(const Collective&) = delete;
  Collective& operator=(const Collective&) = delete;

  // Among the workers that take part: all, but those that were lost with `shrink`.
  int rank() const;
  int size() const;

  // The following return when the operation is done on this rank; throw Error (above). Arrays are dense, on
  // any device: those of the processor are used where they lie, those of CUDA devices copied to its memory
  // and back. A tensor's stream is waited for.

  // Every rank gets the reduction of all contributions, in place.
  void Allreduce(const TensorView& values, ReduceOp op = ReduceOp::kSum);
  // Every rank gets the values of rank `root`.
  void Broadcast(const TensorView& values, int root);
  // Rank r gets elements [r n / P, (r + 1) n / P) of the reduction of `values`, n elements, in `part`, which
  // has as many and does not overlap `values`. Those are not changed.
  void ReduceScatter(const TensorView& values, const TensorView& part, ReduceOp op = ReduceOp::kSum);
  // The other way round: the part of every rank, in `all`. They may overlap only if `part` is its place in
  // `all`. What may not overlap and does is refused (kInvalidArgument).
  void Allgather(const TensorView& part, const TensorView& all);
  // Returns when all ranks have called it.
  void Barrier();

  // The same as Allreduce, done when the ticket is; matched by `name` (not empty, at most 1000 bytes) instead
  // of by order, so that ranks may begin several in different orders. `values` are the operation's until
  // then. A name may be used again when its ticket is done, and should be: the 65,536 last ones are
  // remembered. The deadline is PS_BARRIER_TIMEOUT too. Throws Error: kAlreadyExists while the name is under
  // way here.
  Ticket AllreduceAsync(const TensorView& values, ReduceOp op, const std::string& name);

  // Nobody cares any more for what is under way here by names that begin so: it goes on while the node lives,
  // for the other ranks, and the node's Finalize does not wait for it.
  void LetGo(const std::string& names);

  // Ends what is under way, on all ranks, with kCancelled and the name of this one, and refuses more. Every
  // call returns when that is done, but for one in a continuation. It comes with the end of the node.
  void Close();

 private:
  const std::shared_ptr<CollectiveNode> node_;  // shared with its tickets
};

// Collective::Allreduce of the thread's node.
void Allreduce(const TensorView& values, ReduceOp op = ReduceOp::kSum);
template <typename T>
void Allreduce(T* data, std::size_t n, ReduceOp op = ReduceOp::kSum) {
  TensorView values;
  values.data = data;
  values.shape = {static_cast<std::int64_t>(n)};
  values.dtype = DTypeOf<T>::value;
  Allreduce(values, op);
}

}  // namespace ps

#endif  // PS_COLLECTIVE_H_
