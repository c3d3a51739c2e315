#include "ps/c/collective.h"

#include <memory>
#include <string>
#include <utility>

#include "c_api/error.h"
#include "c_api/node.h"
#include "c_api/request.h"
#include "c_api/tensor.h"
#include "postoffice/started.h"
#include "ps/collective.h"
#include "ps/postoffice.h"

namespace ps::c_api {
namespace {

// The workers' end of a node, which is held as well.
class Workers {
 public:
  explicit Workers(PSNode node) : node_(NodeOf(node)) {
    if (node_->is_worker() && !IsStarted(*node_)) ThrowIfError(node_->TryStart(0, "", true));
    collective_ = Collective::Of(node_.get());
  }
  Collective* operator->() const { return collective_.get(); }
  const std::shared_ptr<Postoffice>& node() const { return node_; }

 private:
  const std::shared_ptr<Postoffice> node_;
  std::shared_ptr<Collective> collective_;
};

static_assert(PS_SUM == static_cast<int>(ReduceOp::kSum) && PS_PROD == static_cast<int>(ReduceOp::kProd) &&
              PS_MIN == static_cast<int>(ReduceOp::kMin) && PS_MAX == static_cast<int>(ReduceOp::kMax));

ReduceOp OpOfCode(int op) {
  if (op < PS_SUM || op > PS_MAX)
    throw Error(Status::InvalidArgument("no reduction has the number " + std::to_string(op)));
  return static_cast<ReduceOp>(op);
}

void AllreduceNamed(PSNode node, PSTensor values, int op, const char* name, PSRequest* request) {
  CheckGiven(name, "name");
  const Tensor array = TensorOf(values);
  const TensorView view = DenseView(array);
  const Workers workers(node);
  const Ticket ticket = workers->AllreduceAsync(view, OpOfCode(op), name);
  const Status outcome = Guarded([&] {
    Finish(ticket, request, workers.node());
    return Status::Ok();
  });
  // Its handle may be freed before it is done: also where the wait for it was refused, as in a callback.
  if (!ticket.Done()) ticket.Then([array](const Status&) {});
  ThrowIfError(outcome);
}

}  // namespace
}  // namespace ps::c_api

using ps::Tensor;
using ps::c_api::Call;
using ps::c_api::DenseView;
using ps::c_api::TensorOf;
using ps::c_api::Workers;

extern "C" {

int PSCollectiveGetRank(PSNode node, int* rank) {
  return Call([&] {
    ps::c_api::CheckGiven(rank, "rank");
    *rank = Workers(node)->rank();
  });
}

int PSCollectiveGetSize(PSNode node, int* size) {
  return Call([&] {
    ps::c_api::CheckGiven(size, "size");
    *size = Workers(node)->size();
  });
}

int PSAllreduce(PSNode node, PSTensor values, int op) {
  return Call([&] {
    const Tensor array = TensorOf(values);
    const ps::TensorView view = DenseView(array);
    Workers(node)->Allreduce(view, ps::c_api::OpOfCode(op));
  });
}

int PSAllreduceNamed(PSNode node, PSTensor values, int op, const char* name, PSRequest* request) {
  return Call([&] { ps::c_api::AllreduceNamed(node, values, op, name, request); });
}

int PSBroadcast(PSNode node, PSTensor values, int root) {
  return Call([&] {
    const Tensor array = TensorOf(values);
    const ps::TensorView view = DenseView(array);
    Workers(node)->Broadcast(view, root);
  });
}

int PSReduceScatter(PSNode node, PSTensor values, PSTensor part, int op) {
  return Call([&] {
    const Tensor from = TensorOf(values);
    const Tensor to = TensorOf(part);
    const ps::TensorView whole = DenseView(from);
    const ps::TensorView own = DenseView(to);
    Workers(node)->ReduceScatter(whole, own, ps::c_api::OpOfCode(op));
  });
}

int PSAllgather(PSNode node, PSTensor part, PSTensor all) {
  return Call([&] {
    const Tensor from = TensorOf(part);
    const Tensor to = TensorOf(all);
    const ps::TensorView own = DenseView(from);
    const ps::TensorView whole = DenseView(to);
    Workers(node)->Allgather(own, whole);
  });
}

int PSCollectiveBarrier(PSNode node) {
  return Call([&] { Workers(node)->Barrier(); });
}

}  // extern "C"
