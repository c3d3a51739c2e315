#include "postoffice/compat.h"

#include <algorithm>
#include <utility>

#include "base/fork.h"
#include "base/never_destroyed.h"
#include "postoffice/binding.h"
#include "postoffice/close_at_exit.h"
#include "postoffice/postoffice_impl.h"

namespace ps {
namespace {

std::unique_ptr<Postoffice> NodeOfEnvironment() { return std::make_unique<Postoffice>(Environment::Get()); }

// The real process. At exit, nodes that were not finalized are closed, so that the others are told and no
// thread outlives main; the objects stay, because static destructors of the program may still use them.
struct RealProcess {
  RealProcess()
      : environment(Environment::_GetSharedRef()),
        main(NodeOfEnvironment()),
        process(main.get(), NodeOfEnvironment) {}

  const std::shared_ptr<Environment> environment;
  const std::unique_ptr<Postoffice> main;
  LegacyProcess process;
};

LegacyProcess& TheProcess() {
  static NeverDestroyed<RealProcess> real;
  static const CloseAtExit closer([] { real.value.process.Close(); });
  return real.value.process;
}

}  // namespace

LegacyProcess::LegacyProcess(Postoffice* main, std::function<std::unique_ptr<Postoffice>()> make_node)
    : main_(main), make_node_(std::move(make_node)) {
  main_->impl_->process_ = this;
}

LegacyProcess::~LegacyProcess() { Close(); }

LegacyProcess& LegacyProcess::OfThread() {
  Postoffice* const bound = BoundPostoffice();
  if (bound != nullptr && bound->impl_->process_ != nullptr) return *bound->impl_->process_;
  return TheProcess();
}

Postoffice* LegacyProcess::Current() {
  Postoffice* const bound = BoundPostoffice();
  return bound != nullptr ? bound : main_;
}

Postoffice* LegacyProcess::Find(int customer_id) {
  MutexLock lock(mutex_);
  const auto found = started_.find(customer_id);
  return found == started_.end() ? nullptr : found->second;
}

Postoffice* LegacyProcess::NodeFor(int customer_id) {
  Postoffice* const started = Find(customer_id);
  return started != nullptr ? started : Current();
}

Postoffice* LegacyProcess::TakeNode(int customer_id) {
  const auto before = last_.find(customer_id);
  Postoffice* node = before == last_.end() ? nullptr : before->second;
  if (node == nullptr || IsStarted(node)) node = IsStarted(main_) ? FurtherNode() : main_;
  started_[customer_id] = node;
  last_[customer_id] = node;
  return node;
}

bool LegacyProcess::IsStarted(const Postoffice* node) const {
  return std::any_of(started_.begin(), started_.end(),
                     [&](const auto& entry) { return entry.second == node; });
}

Postoffice* LegacyProcess::FurtherNode() {
  for (const std::unique_ptr<Postoffice>& node : further_) {
    if (!IsStarted(node.get())) return node.get();
  }
  further_.push_back(make_node_());
  further_.back()->impl_->process_ = this;
  further_.back()->impl_->wish_counts_ = false;
  return further_.back().get();
}

Status LegacyProcess::Start(int customer_id, const char* argv0, bool do_barrier) {
  PS_RETURN_IF_ERROR(CheckNotForked());
  Postoffice* node = nullptr;
  Status started;
  {
    MutexLock lock(mutex_);
    if (started_.count(customer_id) != 0) {
      return Status::FailedPrecondition("customer id " + std::to_string(customer_id) +
                                        " has been started already");
    }
    node = TakeNode(customer_id);
    started = MoveUndecided(customer_id, node);
  }
  // Nodes of a cluster inside this process are bound by those who run their threads, and go with it.
  const bool bind = node != main_ || this == &TheProcess();
  if (bind) BindThread(node);
  if (started.ok()) started = node->impl_->Start(customer_id, argv0, do_barrier);
  if (bind) BindThread(node);  // again: now the verbosity is known
  if (!started.ok()) {
    MutexLock lock(mutex_);
    started_.erase(customer_id);
  }
  return started;
}

// Under the lock: a mailbox that goes at the same moment waits for it in Decide.
Status LegacyProcess::MoveUndecided(int customer_id, Postoffice* node) {
  const auto stays = [&](const Undecided& entry) { return entry.mailbox->customer_id() != customer_id; };
  const auto first = std::stable_partition(undecided_.begin(), undecided_.end(), stays);
  Status moved;
  for (auto entry = first; entry != undecided_.end(); ++entry) {
    if (!moved.ok() || entry->where == node) continue;
    entry->where->Detach(entry->mailbox);
    entry->mailbox->OnMoved(node);
    moved = node->Attach(entry->mailbox);
  }
  undecided_.erase(first, undecided_.end());
  return moved;
}

Status LegacyProcess::Finalize(int customer_id, bool do_barrier) {
  PS_RETURN_IF_ERROR(CheckNotForked());
  Postoffice* const node = Find(customer_id);
  if (node == nullptr) {
    return Status::FailedPrecondition("customer id " + std::to_string(customer_id) + " was not started");
  }
  const Status outcome = node->impl_->Finalize(do_barrier);
  MutexLock lock(mutex_);
  started_.erase(customer_id);
  return outcome;
}

void LegacyProcess::Close() {
  std::vector<Postoffice*> all = {main_};
  {
    MutexLock lock(mutex_);
    for (const std::unique_ptr<Postoffice>& node : further_) all.push_back(node.get());
  }
  for (Postoffice* node : all) node->Close();
}

void LegacyProcess::AddUndecided(Mailbox* mailbox, Postoffice* where) {
  MutexLock lock(mutex_);
  undecided_.push_back({mailbox, where});
}

void LegacyProcess::Decide(Mailbox* mailbox) {
  MutexLock lock(mutex_);
  undecided_.erase(std::remove_if(undecided_.begin(), undecided_.end(),
                                  [&](const Undecided& entry) { return entry.mailbox == mailbox; }),
                   undecided_.end());
}

}  // namespace ps
