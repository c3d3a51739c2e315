#include "ps/c/collective.h"

#include <memory>
#include <string>
#include <utility>

#include "c_api/error.h"
#include "c_api/node.h"
#include "c_api/request.h"
#include "c_api/tensor.h"
#include "ps/collective.h"
#include "ps/postoffice.h"

namespace ps::c_api {
namespace {

// One that has ended knows of no workers.
bool IsStarted(Postoffice& node) { return node.van() != nullptr && node.num_workers() > 0; }

// The workers' end of a node, which is held as well.
class Workers {
 public:
  explicit Workers(PSNode node) : node_(NodeOf(node)) {
    if (node_->is_worker() && !IsStarted(*node_)) ThrowIfError(node_->TryStart(0, "", true));
    collective_ = Collective::Of(node_.get());
  }
  Collective* operator->() const { return collective_.get(); }

 private:
  const std::shared_ptr<Postoffice> node_;
  std::shared_ptr<Collective> collective_;
};

ReduceOp OpOfCode(int op) {
  if (op < PS_SUM || op > PS_MAX)
    throw Error(Status::InvalidArgument("no reduction has the number " + std::to_string(op)));
  return static_cast<ReduceOp>(op);
}

void AllreduceNamed(PSNode node, PSTensor values, int op, const char* name, PSRequest* request) {
  CheckGiven(name, "name");
  const Tensor array = TensorOf(values);
  const TensorView view = DenseView(array);
  const Ticket ticket = Workers(node)->AllreduceAsync(view, OpOfCode(op), name);
  // Its handle may be freed before it is done.
  if (request != nullptr) ticket.Then([array](const Status&) {});
  Finish(ticket, request);
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
