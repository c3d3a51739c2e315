#include "ps/postoffice.h"

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "message/node_id.h"
#include "postoffice/binding.h"
#include "postoffice/compat.h"
#include "postoffice/postoffice_impl.h"

namespace ps {

Postoffice::Postoffice(Config config, VanFactory van_factory)
    : impl_(std::make_unique<Impl>(this, std::move(config), nullptr, std::move(van_factory))) {}

Postoffice::Postoffice(Environment* environment, VanFactory van_factory)
    : impl_(std::make_unique<Impl>(this, Config(), environment, std::move(van_factory))) {}

Postoffice::~Postoffice() {
  Close();
  if (BoundPostoffice() == this) BindThread(nullptr);
}

Postoffice* Postoffice::Get() { return LegacyProcess::OfThread().Current(); }

Van* Postoffice::van() { return impl_->van().get(); }

void Postoffice::Start(int customer_id, const char* argv0, const bool do_barrier) {
  ThrowIfError(TryStart(customer_id, argv0, do_barrier));
}

Status Postoffice::TryStart(int customer_id, const char* argv0, bool do_barrier) {
  if (impl_->process_ != nullptr) return impl_->process_->Start(customer_id, argv0, do_barrier);
  return impl_->Start(customer_id, argv0, do_barrier);
}

void Postoffice::Finalize(const int customer_id, const bool do_barrier) {
  ThrowIfError(TryFinalize(customer_id, do_barrier));
}

Status Postoffice::TryFinalize(int customer_id, bool do_barrier) {
  if (impl_->process_ != nullptr) return impl_->process_->Finalize(customer_id, do_barrier);
  return impl_->Finalize(do_barrier);
}

void Postoffice::Close() { impl_->Close(); }

void Postoffice::AddCustomer(Mailbox* customer) { ThrowIfError(Attach(customer)); }

void Postoffice::RemoveCustomer(Mailbox* customer) { Detach(customer); }

Customer* Postoffice::GetCustomer(int app_id, int customer_id, int timeout) const {
  const Deadline deadline = Deadline::After(timeout > 0 ? int64_t{1000} * timeout : -1);
  Mailbox* const mailbox = impl_->router_.Find(app_id, customer_id, deadline);
  return mailbox == nullptr ? nullptr : mailbox->customer();
}

const std::vector<int>& Postoffice::GetNodeIDs(int node_id) const {
  MutexLock lock(impl_->mutex_);
  if (impl_->groups_.empty()) {
    ThrowIfError(Status::FailedPrecondition("the nodes of the cluster are known after Start()"));
  }
  const std::vector<int>* ids = impl_->groups_.back()->Find(node_id);
  if (ids == nullptr) {
    ThrowIfError(Status::NotFound("node " + std::to_string(node_id) + " doesn't exist"));
  }
  return *ids;
}

const std::vector<Range>& Postoffice::GetServerKeyRanges() {
  const std::vector<Range>* const ranges = impl_->ranges_now_.load(std::memory_order_acquire);
  if (ranges == nullptr) {
    ThrowIfError(Status::FailedPrecondition("the key ranges are known after Start()"));
  }
  return *ranges;
}

void Postoffice::RegisterExitCallback(const Callback& callback) {
  MutexLock lock(impl_->mutex_);
  impl_->exit_callbacks_.push_back(callback);
}

int Postoffice::WorkerRankToID(int rank) { return WorkerIdOfRank(rank); }
int Postoffice::ServerRankToID(int rank) { return ServerIdOfRank(rank); }
int Postoffice::IDtoRank(int id) { return RankOfId(id); }

int Postoffice::num_workers() const {
  if (impl_->phase() == Impl::Phase::kEnded) return 0;
  const int shrunk = impl_->ShrunkWorkers();
  return shrunk >= 0 ? shrunk : impl_->CurrentConfig().num_workers;
}

int Postoffice::num_servers() const {
  return impl_->phase() == Impl::Phase::kEnded ? 0 : impl_->CurrentConfig().num_servers;
}

int Postoffice::my_rank() const {
  MutexLock lock(impl_->mutex_);
  if (impl_->rank_ < 0) {
    ThrowIfError(Status::FailedPrecondition("this node has no rank yet: call Start() first"));
  }
  return impl_->rank_;
}

bool Postoffice::is_worker() const { return impl_->CurrentConfig().role == Role::kWorker; }
bool Postoffice::is_server() const { return impl_->CurrentConfig().role == Role::kServer; }
bool Postoffice::is_scheduler() const { return impl_->CurrentConfig().role == Role::kScheduler; }

int Postoffice::verbose() const { return impl_->verbosity_.load(); }

bool Postoffice::is_recovery() const {
  MutexLock lock(impl_->mutex_);
  return impl_->is_recovery_;
}

void Postoffice::Barrier(int customer_id, int node_group) {
  ThrowIfError(TryBarrier(customer_id, node_group));
}

Status Postoffice::TryBarrier(int customer_id, int node_group, int64_t timeout_ms) {
  Postoffice* const named = impl_->process_ == nullptr ? nullptr : impl_->process_->Find(customer_id);
  Postoffice* const node = named != nullptr ? named : this;
  return node->impl_->Barrier(node_group, timeout_ms);
}

std::vector<int> Postoffice::GetDeadNodes(int t) {
  const std::shared_ptr<Van> van = impl_->van();
  if (van == nullptr || t <= 0) return {};
  return van->core().DeadNodes(int64_t{1000} * t);
}

Status Postoffice::Attach(Mailbox* mailbox) {
  if (impl_->router_.Add(mailbox)) return Status::Ok();
  return Status::AlreadyExists("customer " + std::to_string(mailbox->customer_id()) + " of app " +
                               std::to_string(mailbox->app_id()) + " exists already on this node");
}

void Postoffice::Detach(Mailbox* mailbox) {
  impl_->router_.Remove(mailbox);
  impl_->ReleaseLent({mailbox->app_id(), mailbox->customer_id()});
}

void Postoffice::GiveUp(int app_id, int customer_id, int timestamp) {
  impl_->ReleaseLent({app_id, customer_id, timestamp});
}

Status Postoffice::Send(Message&& message, SentFrom from) { return impl_->Send(std::move(message), from); }

void Postoffice::ReturnCredit(const Meta& request) { impl_->ReturnCredit(request); }

bool Postoffice::Help(const HelpWish& wish) {
  const std::shared_ptr<Van> van = impl_->CurrentVan();
  VanHelp* const help = van == nullptr ? nullptr : van->core().help();
  return help != nullptr && help->Help(wish);
}

std::shared_ptr<Dependents> Postoffice::dependents() const {
  const std::shared_ptr<Van> van = impl_->van();
  VanHelp* const help = van == nullptr ? nullptr : van->core().help();
  return help == nullptr ? nullptr : help->dependents();
}

void Postoffice::WakeAt(int64_t at_ms) { impl_->WakeAt(at_ms); }

Config Postoffice::config() const { return impl_->CurrentConfig(); }

std::vector<Node> Postoffice::Members(Node::Role role) const {
  MutexLock lock(impl_->mutex_);
  std::vector<Node> members;
  for (const Node& node : impl_->roster_.nodes)
    if (node.role == role) members.push_back(node);
  std::sort(members.begin(), members.end(), [](const Node& a, const Node& b) { return a.id < b.id; });
  return members;
}

OnNodeLost Postoffice::on_node_lost() const {
  MutexLock lock(impl_->mutex_);
  return impl_->roster_.nodes.empty() ? impl_->config_.on_node_lost : impl_->roster_.settings.on_node_lost;
}

std::shared_ptr<void> Postoffice::Attachment(const std::string& name,
                                             const std::function<std::shared_ptr<void>()>& make) {
  return impl_->Attachment(name, make);
}

std::string Postoffice::Describe(int node_id) const { return impl_->Describe(node_id); }

}  // namespace ps
