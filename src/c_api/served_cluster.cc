#include "c_api/served_cluster.h"

#include <algorithm>
#include <utility>

#include "base/guarded.h"
#include "postoffice/binding.h"
#include "ps/postoffice.h"

namespace ps::c_api {
namespace {

// How a node knows its cluster (Postoffice::Attachment).
constexpr char kAttachment[] = "c_api/cluster";
using Attached = std::weak_ptr<ServedCluster>;

}  // namespace

ServedCluster::ServedCluster(const LocalClusterOptions& options, KVController controller)
    : cluster_(options), controller_(std::move(controller)), num_workers_(options.workers) {}

ServedCluster::~ServedCluster() {
  if (host_ != nullptr) Close();
}

Result<std::shared_ptr<ServedCluster>> ServedCluster::Of(Postoffice* node) {
  const auto attached =
      std::static_pointer_cast<Attached>(node->Attachment(kAttachment, [] { return nullptr; }));
  if (attached == nullptr) return std::shared_ptr<ServedCluster>();
  std::shared_ptr<ServedCluster> cluster = attached->lock();
  if (cluster == nullptr || cluster->is_closed())
    return Status::FailedPrecondition("the PSLocalCluster of this node was closed");
  return cluster;
}

void ServedCluster::Start() {
  for (Postoffice* const node : cluster_.nodes())
    node->Attachment(kAttachment, [this] { return std::make_shared<Attached>(weak_from_this()); });
  host_ = std::make_unique<Thread>("ps-cluster", [this] {
    const Status outcome = Guarded([this] {
      cluster_.RunProgram([this](Postoffice& node) { Live(node); });
      return Status::Ok();
    });
    is_closed_.store(true);
    MutexLock lock(mutex_);
    outcome_ = outcome;
    phase_ = Phase::kEnded;
    changed_.NotifyAll();
  });
  MutexLock lock(mutex_);
  while (phase_ == Phase::kStarting && started_ < num_workers_) changed_.Wait(mutex_);
  if (phase_ == Phase::kStarting) {
    phase_ = Phase::kRunning;
    return;
  }
  while (phase_ != Phase::kEnded) changed_.Wait(mutex_);
  ThrowIfError(outcome_);
}

// What ends one node keeps none of the others waiting.
void ServedCluster::Live(Postoffice& node) {
  try {
    if (node.is_worker())
      Work(node);
    else
      RunServer(controller_, &node);
  } catch (...) {
    BeginTheEnd();
    throw;
  }
}

void ServedCluster::Work(Postoffice& worker) {
  worker.Start(0, nullptr, true);
  {
    MutexLock lock(mutex_);
    ++started_;
    changed_.NotifyAll();
    while (phase_ == Phase::kStarting || phase_ == Phase::kRunning) changed_.Wait(mutex_);
  }
  const Status outcome = worker.TryFinalize(0, true);
  // The program has finalized it, or does so now.
  if (outcome.code() == StatusCode::kFailedPrecondition) return;
  ThrowIfError(outcome);
}

void ServedCluster::BeginTheEnd() {
  MutexLock lock(mutex_);
  if (phase_ == Phase::kStarting || phase_ == Phase::kRunning) phase_ = Phase::kFinalizing;
  changed_.NotifyAll();
}

Status ServedCluster::WaitForTheEnd() {
  MutexLock lock(mutex_);
  while (phase_ != Phase::kEnded) changed_.Wait(mutex_);
  return outcome_;
}

void ServedCluster::CheckMayEnd() {
  const std::vector<Postoffice*> nodes = cluster_.nodes();
  if (std::find(nodes.begin(), nodes.end(), BoundPostoffice()) != nodes.end())
    throw Error(Status::FailedPrecondition("a callback can not end the PSLocalCluster that has called it"));
}

Status ServedCluster::Finalize() {
  {
    MutexLock lock(mutex_);
    if (phase_ != Phase::kRunning) return Status::FailedPrecondition("the PSLocalCluster was closed already");
  }
  BeginTheEnd();
  return WaitForTheEnd();
}

void ServedCluster::Close() {
  is_closed_.store(true);
  cluster_.Close();
  BeginTheEnd();
  // What its nodes' lives came to is nobody's matter any more.
  static_cast<void>(WaitForTheEnd());
}

}  // namespace ps::c_api
