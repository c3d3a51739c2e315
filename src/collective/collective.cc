#include "ps/collective.h"

#include <functional>
#include <limits>
#include <utility>

#include "base/copy.h"
#include "collective/collective_node.h"
#include "collective/host_array.h"
#include "collective/reduce.h"
#include "ps/postoffice.h"
#include "store/ticket_source.h"

namespace ps {
namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

// What a node keeps: lets go of it when it ends, whoever else has it.
struct KeptCollective {
  explicit KeptCollective(Postoffice* postoffice)
      : node(std::make_shared<CollectiveNode>(postoffice)), collective(std::make_shared<Collective>(node)) {
    node->Open();
  }
  ~KeptCollective() { node->Leave(); }

  const std::shared_ptr<CollectiveNode> node;
  const std::shared_ptr<Collective> collective;
};

class CollectiveTicket : public TicketSource {
 public:
  CollectiveTicket(std::shared_ptr<CollectiveNode> node, std::shared_ptr<OpenOperation> operation)
      : node_(std::move(node)), operation_(std::move(operation)) {}

  Status Wait(const std::chrono::milliseconds* timeout) override {
    return node_->Wait(operation_.get(), DeadlineOf(timeout));
  }
  bool done() override { return operation_->done(); }
  void Then(Continuation continuation) override {
    if (operation_->Keep(&continuation)) return;
    const auto run = [continuation = std::move(continuation), operation = operation_] {
      continuation(operation->outcome());
    };
    if (!node_->Post(run)) run();  // the caller's own
  }

 private:
  const std::shared_ptr<CollectiveNode> node_;
  const std::shared_ptr<OpenOperation> operation_;
};

Signature SignatureOf(CollectiveKind kind, const TensorView& values, ReduceOp op, std::uint32_t root) {
  return {kind, op, values.dtype, root, static_cast<std::uint64_t>(values.size())};
}

Operation::Arrays InPlace(const HostArray& array) { return {array.data(), array.data(), 0}; }

void CheckPart(const char* call, const TensorView& part, const TensorView& whole, const Range& block) {
  if (part.dtype == whole.dtype && static_cast<std::uint64_t>(part.size()) == block.size()) return;
  ThrowIfError(Status::InvalidArgument(std::string(call) + ": the part of this rank is " +
                                       std::to_string(block.size()) + " " + NameOf(whole.dtype) + " of " +
                                       std::to_string(whole.size()) + ", the one given has " +
                                       std::to_string(part.size()) + " " + NameOf(part.dtype)));
}

// One that is read while the other is written.
void CheckApart(const char* call, const TensorView& part, const TensorView& whole) {
  if (part.size() == 0 || part.device != whole.device) return;
  const std::less<const char*> before;
  const auto* const a = static_cast<const char*>(part.data);
  const auto* const b = static_cast<const char*>(whole.data);
  if (!before(a, b + whole.bytes()) || !before(b, a + part.bytes())) return;
  ThrowIfError(Status::InvalidArgument(std::string(call) + ": the part overlaps the whole array"));
}

void CheckRoot(int root, int size) {
  if (root >= 0 && root < size) return;
  ThrowIfError(Status::InvalidArgument("broadcast from rank " + std::to_string(root) + " among " +
                                       std::to_string(size)));
}

}  // namespace

std::shared_ptr<Collective> Collective::Of(Postoffice* node) {
  if (node == nullptr) node = Postoffice::Get();
  if (!node->is_worker())
    ThrowIfError(Status::FailedPrecondition("collectives are for workers (DMLC_ROLE=worker)"));
  if (node->van() == nullptr || node->Members(Node::WORKER).empty())
    ThrowIfError(Status::FailedPrecondition("this node is not in a cluster: call Start() first"));
  const std::shared_ptr<void> kept =
      node->Attachment("collective", [node] { return std::make_shared<KeptCollective>(node); });
  if (kept == nullptr) ThrowIfError(Status::FailedPrecondition("the node has left the cluster"));
  return static_cast<KeptCollective*>(kept.get())->collective;
}

Collective::Collective(std::shared_ptr<CollectiveNode> node) : node_(std::move(node)) {}
Collective::~Collective() = default;
void Collective::Close() { node_->Close(); }
void Collective::LetGo(const std::string& names) { node_->LetGo(names); }

int Collective::rank() const { return node_->group().rank(); }
int Collective::size() const { return node_->group().size(); }

namespace {

void Do(CollectiveNode* node, CollectiveNode::Call&& call) {
  ThrowIfError(node->Wait(node->Begin(std::move(call), false).get(), kNever));
}

// Read once for a call: it may change at any time.
GroupMembers GroupOf(CollectiveNode* node) {
  GroupMembers group = node->group();
  if (group.rank() < 0)
    ThrowIfError(
        Status::Unavailable("this worker is not among those that take part in collective operations"));
  return group;
}

CollectiveNode::Call CallOf(const GroupMembers& group, const Signature& signature) {
  CollectiveNode::Call call;
  call.group = group.tag();
  call.signature = signature;
  call.algorithm = ChooseAlgorithm(signature.kind, signature.bytes(), group.size());
  return call;
}

CollectiveNode::Call AllreduceCall(CollectiveNode* node, const TensorView& values, ReduceOp op,
                                   std::shared_ptr<HostArray> array) {
  CollectiveNode::Call call = CallOf(GroupOf(node), SignatureOf(CollectiveKind::kAllreduce, values, op, 0));
  call.arrays = InPlace(*array);
  call.finish = [array = std::move(array)] { return array->CopyBack(); };
  return call;
}

}  // namespace

void Collective::Allreduce(const TensorView& values, ReduceOp op) {
  ThrowIfError(CheckReduce(op, values.dtype));
  Do(node_.get(), AllreduceCall(node_.get(), values, op, HostArray::Of(values, HostArray::kInOut).value()));
}

void Collective::Broadcast(const TensorView& values, int root) {
  const GroupMembers group = GroupOf(node_.get());
  CheckRoot(root, group.size());
  const std::shared_ptr<HostArray> array =
      HostArray::Of(values, group.rank() == root ? HostArray::kIn : HostArray::kOut).value();
  CollectiveNode::Call call = CallOf(group, SignatureOf(CollectiveKind::kBroadcast, values, ReduceOp::kSum,
                                                        static_cast<std::uint32_t>(root)));
  call.arrays = InPlace(*array);
  call.finish = [array] { return array->CopyBack(); };
  Do(node_.get(), std::move(call));
}

void Collective::ReduceScatter(const TensorView& values, const TensorView& part, ReduceOp op) {
  ThrowIfError(CheckReduce(op, values.dtype));
  const GroupMembers group = GroupOf(node_.get());
  const Range block = BlockOf(static_cast<std::uint64_t>(values.size()), group.rank(), group.size());
  CheckPart("ReduceScatter", part, values, block);
  CheckApart("ReduceScatter", part, values);
  const std::shared_ptr<HostArray> from = HostArray::Of(values, HostArray::kIn).value();
  const std::shared_ptr<HostArray> to = HostArray::Of(part, HostArray::kOut).value();
  CollectiveNode::Call call = CallOf(group, SignatureOf(CollectiveKind::kReduceScatter, values, op, 0));
  const std::size_t begin = block.begin() * SizeOf(values.dtype);
  SArray<char> scratch;
  if (call.algorithm == Algorithm::kRing || call.algorithm == Algorithm::kDirect) {
    call.arrays = {from->data(), to->data(), block.begin()};
    call.finish = [to] { return to->CopyBack(); };
  } else {
    // Everybody gets everything, which is little, in a copy.
    scratch.CopyFrom(from->data(), values.bytes());
    call.arrays = {scratch.data(), scratch.data(), 0};
    call.finish = [to, scratch, begin] {
      CopyBytes(to->data(), scratch.data() + begin, to->bytes());
      return to->CopyBack();
    };
  }
  Do(node_.get(), std::move(call));
}

void Collective::Allgather(const TensorView& part, const TensorView& all) {
  const GroupMembers group = GroupOf(node_.get());
  const Range block = BlockOf(static_cast<std::uint64_t>(all.size()), group.rank(), group.size());
  CheckPart("Allgather", part, all, block);
  const std::size_t begin = block.begin() * SizeOf(all.dtype);
  if (part.data != static_cast<char*>(all.data) + begin) CheckApart("Allgather", part, all);
  const std::shared_ptr<HostArray> from = HostArray::Of(part, HostArray::kIn).value();
  const std::shared_ptr<HostArray> to = HostArray::Of(all, HostArray::kOut).value();
  char* const place = to->data() + begin;
  if (place != from->data()) CopyBytes(place, from->data(), from->bytes());
  CollectiveNode::Call call = CallOf(group, SignatureOf(CollectiveKind::kAllgather, all, ReduceOp::kSum, 0));
  call.arrays = InPlace(*to);
  call.finish = [to] { return to->CopyBack(); };
  Do(node_.get(), std::move(call));
}

void Collective::Barrier() { Do(node_.get(), CallOf(GroupOf(node_.get()), Signature())); }

Ticket Collective::AllreduceAsync(const TensorView& values, ReduceOp op, const std::string& name) {
  ThrowIfError(CheckReduce(op, values.dtype));
  if (name.empty() || name.size() > kMostNameBytes)
    ThrowIfError(Status::InvalidArgument("the name of a collective operation has 1 to " +
                                         std::to_string(kMostNameBytes) + " bytes, not " +
                                         std::to_string(name.size())));
  CollectiveNode::Call call =
      AllreduceCall(node_.get(), values, op, HostArray::Of(values, HostArray::kInOut).value());
  call.name = name;
  return Ticket(std::make_shared<CollectiveTicket>(node_, node_->Begin(std::move(call), true)));
}

void Allreduce(const TensorView& values, ReduceOp op) { Collective::Of()->Allreduce(values, op); }

}  // namespace ps
