#include "app/kv_worker_core.h"

#include <utility>

#include "app/customer_core.h"
#include "app/kv_message.h"
#include "app/kv_request.h"
#include "app/node_text.h"
#include "base/fork.h"
#include "base/log.h"
#include "ps/postoffice.h"

namespace ps {
namespace {

const char* NameOf(const KVCall& call) {
  if (call.push && call.pull) return "push-pull";
  return call.push ? "push" : "pull";
}

Gather::Pull PullOf(const KVCall& call, const ElementType& element) {
  Gather::Pull pull;
  pull.num_keys = call.send.keys.size();
  pull.element = element;
  pull.vals = call.vals;
  pull.lens = call.lens;
  pull.exact = call.push;
  pull.exact_vals = call.exact_vals;
  return pull;
}

}  // namespace

KVWorkerCore::KVWorkerCore(CustomerCore* customer, const ElementType& element)
    : customer_(customer), element_(element) {
  // Gather copies them where they belong; nobody else sees them.
  customer_->borrowing.of_answers.store(true);
}

void KVWorkerCore::set_slicer(ByteSlicer slicer) {
  MutexLock lock(mutex_);
  slicer_ = std::make_shared<const ByteSlicer>(std::move(slicer));
  has_slicer_.store(true);
}

int KVWorkerCore::Issue(KVCall&& call) {
  ThrowIfError(Check(call));
  if (call.send.keys.empty()) return IssueSlices(&call, {});
  const int rank = OnlyServer(call);
  if (rank >= 0) return IssueToOne(&call, rank);
  return IssueSlices(&call, std::move(Cut(call).value()));
}

// The rank of the server that gets all keys, where it takes no slices to see that; else -1.
int KVWorkerCore::OnlyServer(const KVCall& call) {
  if (has_slicer_.load()) return -1;
  const std::vector<Range>& ranges = customer_->postoffice()->GetServerKeyRanges();
  const SArray<Key>& keys = call.send.keys;
  if (ranges.size() == 1) return 0;
  if (ranges.empty() || keys.size() >= kManyKeys) return -1;  // many may be lopsided
  if (customer_->settings().key_partition == KeyPartition::kHash)
    return keys.size() == 1 ? static_cast<int>(HashServer(keys[0], ranges.size())) : -1;
  const std::size_t first = RangeServer(keys[0], ranges);
  return first == RangeServer(keys.data()[keys.size() - 1], ranges) ? static_cast<int>(first) : -1;
}

int KVWorkerCore::IssueToOne(KVCall* call, int rank) {
  RequestTracker::Request request;
  request.receivers.Add(Postoffice::ServerRankToID(rank));
  request.lent = call->lent;
  request.direct = !call->callback;
  if (call->pull) {
    request.sink = std::make_shared<KVRequest>(PullOf(*call, element_), rank, call->send.keys,
                                               std::move(call->callback));
  } else if (call->callback) {
    request.sink = std::make_shared<KVRequest>(std::nullopt, std::move(call->callback));
  }
  const int timestamp = customer_->Issue(std::move(request));
  Send(*call, timestamp, rank, std::move(call->send));
  return timestamp;
}

int KVWorkerCore::IssueSlices(KVCall* call, std::vector<Slice> slices) {
  RequestTracker::Request request;
  for (std::size_t rank = 0; rank < slices.size(); ++rank) {
    if (!slices[rank].data.keys.empty())
      request.receivers.Add(Postoffice::ServerRankToID(static_cast<int>(rank)));
  }
  request.lent = call->lent;
  request.direct = !call->callback;
  if (call->pull || call->callback) {
    std::optional<Gather> gather;
    if (call->pull && !slices.empty()) gather.emplace(PullOf(*call, element_), slices);
    request.sink = std::make_shared<KVRequest>(std::move(gather), std::move(call->callback));
  }
  const int timestamp = customer_->Issue(std::move(request));
  for (std::size_t rank = 0; rank < slices.size(); ++rank) {
    KVBytes& data = slices[rank].data;
    if (!data.keys.empty()) Send(*call, timestamp, static_cast<int>(rank), std::move(data));
  }
  return timestamp;
}

Status KVWorkerCore::Check(const KVCall& call) const {
  if (IsForked()) return CheckNotForked();
  const KVBytes& send = call.send;
  if (!call.keys_in_order && send.keys.size() > 1) PS_RETURN_IF_ERROR(CheckOrder(send.keys, NameOf(call)));
  const bool one_each = send.lens.empty() && send.vals.size() == send.keys.size() * element_.size;
  if (call.push && !one_each) PS_RETURN_IF_ERROR(CheckSizes(send, element_.size, NameOf(call)));
  if (!call.pull) return Status::Ok();
  if (call.vals.container == nullptr)
    return Status::InvalidArgument(std::string(NameOf(call)) + ": no buffer for the values");
  const std::size_t has = call.vals.size(call.vals.container);
  if (call.push && has != 0 && has != call.exact_vals) {
    return Status::InvalidArgument("push-pull: outs has " + std::to_string(has) + " elements, vals has " +
                                   std::to_string(call.exact_vals) + ": it must be empty or as long");
  }
  return Status::Ok();
}

Result<std::vector<Slice>> KVWorkerCore::Cut(const KVCall& call) {
  std::shared_ptr<const ByteSlicer> slicer;
  {
    MutexLock lock(mutex_);
    slicer = slicer_;
  }
  const std::vector<Range>& ranges = customer_->postoffice()->GetServerKeyRanges();
  if (slicer != nullptr) return CutBySlicer(*slicer, call, ranges);
  if (ranges.empty())
    return Status::FailedPrecondition(std::string(NameOf(call)) + ": the job has no servers");
  if (customer_->settings().key_partition == KeyPartition::kHash)
    return SliceByHash(call.send, element_.size, ranges.size());
  std::vector<Slice> slices = SliceByRange(call.send, element_.size, ranges);
  WarnIfLopsided(slices);
  return slices;
}

Result<std::vector<Slice>> KVWorkerCore::CutBySlicer(const ByteSlicer& slicer, const KVCall& call,
                                                     const std::vector<Range>& ranges) const {
  ByteSlices cut;
  slicer(call.send, ranges, &cut);
  if (cut.size() > ranges.size()) {
    return Status::InvalidArgument("the slicer made " + std::to_string(cut.size()) + " slices for " +
                                   std::to_string(ranges.size()) + " servers");
  }
  std::vector<Slice> slices(cut.size());
  for (std::size_t i = 0; i < cut.size(); ++i) {
    if (!cut[i].first) continue;
    PS_RETURN_IF_ERROR(
        CheckShape(cut[i].second, element_.size, call.push, "slice " + std::to_string(i) + " of the slicer"));
    slices[i].data = std::move(cut[i].second);
  }
  if (call.pull) PS_RETURN_IF_ERROR(FindPlaces(call.send.keys, &slices));
  return slices;
}

void KVWorkerCore::WarnIfLopsided(const std::vector<Slice>& slices) {
  if (!IsLopsided(slices)) return;
  {
    MutexLock lock(mutex_);
    if (lopsided_reported_) return;
    lopsided_reported_ = true;
  }
  PS_LOG(kWarning, LogName(customer_->postoffice()),
         customer_->Describe() << ": one of " << slices.size()
                               << " servers gets all keys of a large request; keys are spread by their size "
                                  "over the whole range, set "
                               << "PS_KEY_PARTITION=hash on all nodes to spread small integers evenly");
}

void KVWorkerCore::Send(const KVCall& call, int timestamp, int rank, KVBytes&& data) {
  Message message;
  message.meta.head = call.cmd;
  message.meta.push = call.push;
  message.meta.pull = call.pull;
  message.meta.timestamp = timestamp;
  message.meta.priority = call.send.priority;
  message.meta.recver = Postoffice::ServerRankToID(rank);
  AddBlocks(std::move(data), element_.type, &message);
  customer_->SendRequest(std::move(message));
}

// --- KVWorkerBase ---

KVWorkerBase::KVWorkerBase(Postoffice* postoffice, int app_id, int customer_id, ElementType element)
    : core_((MakeCustomer(postoffice, app_id, customer_id),
             std::make_unique<KVWorkerCore>(&obj_->core(), element))) {}

KVWorkerBase::~KVWorkerBase() { CloseCustomer(); }

int KVWorkerBase::Issue(KVCall&& call) { return core_->Issue(std::move(call)); }

void KVWorkerBase::CopyKeys(const std::vector<Key>& keys, KVCall* call) {
  call->send.keys = SArray<Key>::Uninitialized(keys.size());
  call->keys_in_order = CopyInOrder(keys.data(), keys.size(), call->send.keys.data());
}

void KVWorkerBase::SetByteSlicer(ByteSlicer slicer) { core_->set_slicer(std::move(slicer)); }

// The answers to pushes and pulls go to their KVRequest.
void KVWorkerBase::Process(const Message& msg) {
  if (msg.meta.simple_app) {
    SimpleApp::Process(msg);
  } else if (msg.meta.request) {
    obj_->core().SendError(msg.meta, Status::InvalidArgument(obj_->core().Describe() +
                                                             " is no server: it takes no pushes and pulls"));
  }
}

}  // namespace ps
