#include "postoffice/postoffice_impl.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "base/clock.h"
#include "base/fork.h"
#include "base/log.h"
#include "base/test_point.h"
#include "message/node_id.h"
#include "postoffice/binding.h"
#include "postoffice/key_ranges.h"

namespace ps {
namespace {

constexpr int64_t kNoWaitMs = -1;  // for room on a route

// Requests for customers that do not exist yet, in units of PS_SEND_BUFFER_BYTES: what several peers send
// ahead.
constexpr uint64_t kParkedBuffers = 4;
constexpr int kEverybody = 7;

Status NotStarted() {
  return Status::FailedPrecondition("this node is not in a cluster: call Start() first");
}

Status InInlineHandle(const std::string& what) {
  return Status::FailedPrecondition(
      what + " inside an inline handle would keep everybody from receiving: use kOnAppThread");
}

// What the Van says about a barrier, with the variable that gave it its deadline.
Status WithVariable(const Status& outcome, const char* variable) {
  if (outcome.code() != StatusCode::kDeadlineExceeded) return outcome;
  return Status::DeadlineExceeded(outcome.message() + "; " + variable + " says how long to wait");
}

// One that throws does not keep the others from running.
void RunExitCallback(const Postoffice::Callback& callback) {
  try {
    callback();
  } catch (const std::exception& error) {
    PS_LOG(kError, "", "an exit callback failed: " << error.what());
  }
}

}  // namespace

Postoffice::Impl::Impl(Postoffice* owner, Config config, Environment* environment, VanFactory van_factory)
    : owner_(owner),
      environment_(environment),
      van_factory_(std::move(van_factory)),
      verbosity_(config.verbose),
      config_(std::move(config)) {}

Postoffice::Impl::~Impl() = default;

Result<Config> Postoffice::Impl::ReadConfig() const {
  if (environment_ != nullptr) return Config::FromEnvironment(*environment_);
  const Config config = CurrentConfig();
  PS_RETURN_IF_ERROR(config.Validate());
  return config;
}

Config Postoffice::Impl::CurrentConfig() const {
  MutexLock lock(mutex_);
  if (environment_ == nullptr || phase_ != Phase::kNew) return config_;
  Config config;
  config.role = Config::RoleFromEnvironment(*environment_).value_or(Role::kJoint);
  config.num_workers = Config::NumWorkersFromEnvironment(*environment_).value_or(0);
  config.num_servers = Config::NumServersFromEnvironment(*environment_).value_or(0);
  return config;
}

Postoffice::Impl::Phase Postoffice::Impl::phase() const {
  MutexLock lock(mutex_);
  return phase_;
}

std::shared_ptr<Van> Postoffice::Impl::van() const {
  MutexLock lock(mutex_);
  return van_;
}

Status Postoffice::Impl::Start(int customer_id, const char* argv0, bool do_barrier) {
  PS_RETURN_IF_ERROR(CheckNotForked());
  MutexLock life(life_mutex_);
  if (phase() == Phase::kRunning) {
    return Status::FailedPrecondition("this node has been started already");
  }
  const Result<Config> config = ReadConfig();
  PS_RETURN_IF_ERROR(config.status());
  if (config.value().verbose >= 1 && argv0 != nullptr) {
    PS_LOG(kInfo, "", "starting " << argv0 << " as " << RoleName(config.value().role));
  }
  Status outcome = Join(config.value(), customer_id, do_barrier);
  if (outcome.ok()) outcome = Settle(config.value(), do_barrier);
  if (!outcome.ok()) EndVan(outcome);
  return outcome;
}

// The node has its place: says so, and waits for the others.
Status Postoffice::Impl::Settle(const Config& config, bool do_barrier) {
  bool recovery = false;
  {
    MutexLock lock(mutex_);
    if (closed_) return Status::Cancelled("the node was closed");
    phase_ = Phase::kRunning;
    recovery = is_recovery_;
  }
  if (environment_ != nullptr) {
    environment_->Publish("DMLC_RANK", std::to_string(owner_->my_rank()));
  }
  // The others passed this barrier long ago.
  if (!do_barrier || recovery) return Status::Ok();
  return WithVariable(van()->core().Barrier(7, config.start_timeout_ms, false), "PS_START_TIMEOUT");
}

Status Postoffice::Impl::Join(const Config& config, int customer_id, bool do_barrier) {
  Result<std::unique_ptr<Van>> made = van_factory_(config);
  PS_RETURN_IF_ERROR(made.status());
  const std::shared_ptr<Van> fresh = std::move(made).value();
  StartOptions options;
  options.customer_id = customer_id;
  options.do_barrier = do_barrier;
  options.wish_counts = wish_counts_;
  Router::Bounds bounds;
  bounds.timeout_ms = config.request_timeout_ms;
  bounds.bytes = kParkedBuffers * static_cast<uint64_t>(config.send_buffer_bytes);
  router_.Reset(bounds, config.role == Role::kWorker);
  {
    MutexLock lock(mutex_);
    if (closed_) return Status::Cancelled("the node was closed");
    options.previous_rank = rank_;
    config_ = config;
    verbosity_.store(config.verbose);
    phase_ = Phase::kStarting;
    van_ = fresh;
    groups_ = {std::make_shared<const NodeGroups>(config.num_workers, config.num_servers)};
    roster_ = Roster();
    ranges_ = std::make_shared<const std::vector<Range>>(ServerKeyRanges(config.num_servers));
    ranges_now_.store(ranges_.get());
  }
  way_.Replace(std::make_unique<const Way>(Way{fresh,
                                               {{{config.request_timeout_ms, false},
                                                 {config.resend_timeout_ms, true},
                                                 {kNoWaitMs, true},
                                                 {kNoWaitMs, true, true}}}}));
  return fresh->core().Start(this, options);
}

void Postoffice::Impl::Accept(const Roster& roster) {
  const std::shared_ptr<Van> current = van();
  const Node me = current->core().state().node;
  std::vector<int> ids;
  for (const Node& node : roster.nodes) ids.push_back(node.id);
  auto groups = std::make_shared<const NodeGroups>(ids);
  MutexLock lock(mutex_);
  // Order does not matter: both list workers, servers, scheduler by rank.
  if (*groups_.back()->Find(kEverybody) != *groups->Find(kEverybody)) groups_.push_back(groups);
  roster_ = roster;
  rank_ = RankOfId(me.id);
  is_recovery_ = me.is_recovery;
}

void Postoffice::Impl::OnRoster(const Roster& roster) {
  Accept(roster);
  router_.ForEach([](Mailbox* mailbox) { mailbox->OnRoster(); });
}

int Postoffice::Impl::ShrunkWorkers() const {
  MutexLock lock(mutex_);
  if (roster_.nodes.empty() || roster_.settings.on_node_lost != OnNodeLost::kShrink) return -1;
  return static_cast<int>(std::count_if(roster_.nodes.begin(), roster_.nodes.end(),
                                        [](const Node& node) { return node.role == Node::WORKER; }));
}

void Postoffice::Impl::EndVan(const Status& why) {
  const std::shared_ptr<Van> current = van();
  PS_TEST_POINT("close.before");
  if (current != nullptr) current->core().Close();
  PS_TEST_POINT("close.after");
  router_.ForEach([&](Mailbox* mailbox) { mailbox->OnClose(why); });
  router_.WaitIdle();  // the callbacks of what failed
  {
    MutexLock lock(mutex_);
    if (phase_ != Phase::kNew) phase_ = Phase::kEnded;
  }
  DropAttachments();
}

std::shared_ptr<void> Postoffice::Impl::Attachment(const std::string& name,
                                                   const std::function<std::shared_ptr<void>()>& make) {
  MutexLock lock(attachments_mutex_);
  if (phase() == Phase::kEnded) return nullptr;
  std::shared_ptr<void>& attachment = attachments_[name];
  if (attachment == nullptr) attachment = make();
  return attachment;
}

// They may detach, and what they call back may ask for others.
void Postoffice::Impl::DropAttachments() {
  std::map<std::string, std::shared_ptr<void>> dropped;
  MutexLock lock(attachments_mutex_);
  dropped.swap(attachments_);
}

Status Postoffice::Impl::Finalize(bool do_barrier) {
  PS_RETURN_IF_ERROR(CheckNotForked());
  if (RunsInlineHandle()) return InInlineHandle("Finalize");
  {
    MutexLock lock(mutex_);
    // Another call is under way, and may wait for the very thread that makes this one.
    if (phase_ == Phase::kEnding) return Status::FailedPrecondition("this node is being finalized already");
    if (phase_ != Phase::kRunning) return NotStarted();
    phase_ = Phase::kEnding;
  }
  const Status outcome = Part(do_barrier);
  RunExitCallbacks();
  return outcome;
}

Status Postoffice::Impl::Part(bool do_barrier) {
  MutexLock life(life_mutex_);
  PS_TEST_POINT("finalize.begin");
  router_.WaitIdle();
  const std::shared_ptr<Van> current = van();
  Status outcome;
  PS_TEST_POINT("finalize.before_barrier");
  if (do_barrier) outcome = WithVariable(current->core().Barrier(7, 0, true), "PS_BARRIER_TIMEOUT");
  PS_TEST_POINT("finalize.after_barrier");
  current->core().Leave();
  EndVan(Status::Cancelled("the node was finalized"));
  return outcome;
}

void Postoffice::Impl::Close() {
  if (IsForked()) return;
  {
    MutexLock lock(mutex_);
    closed_ = true;
  }
  // Without life_mutex_: it ends a Start or Finalize that waits.
  EndVan(Status::Cancelled("the node was closed"));
}

void Postoffice::Impl::RunExitCallbacks() {
  std::vector<Callback> callbacks;
  {
    MutexLock lock(mutex_);
    callbacks.swap(exit_callbacks_);
  }
  const ScopedPostoffice bound(owner_);
  for (auto callback = callbacks.rbegin(); callback != callbacks.rend(); ++callback)
    RunExitCallback(*callback);
}

Status Postoffice::Impl::Barrier(int group, int64_t timeout_ms) {
  PS_RETURN_IF_ERROR(CheckNotForked());
  if (RunsInlineHandle()) return InInlineHandle("a barrier");
  const std::shared_ptr<Van> current = van();
  if (current == nullptr || phase() != Phase::kRunning) return NotStarted();
  const Config config = CurrentConfig();
  if (!IsGroup(group) || (GroupOfRole(static_cast<Node::Role>(config.role)) & group) == 0) {
    return Status::InvalidArgument("a " + std::string(RoleName(config.role)) +
                                   " is not in the barrier of group " + std::to_string(group) +
                                   " (scheduler 1, servers 2, workers 4, or a sum of them)");
  }
  if (owner_->GetNodeIDs(group).size() <= 1) return Status::Ok();
  const Status outcome =
      current->core().Barrier(group, timeout_ms < 0 ? config.barrier_timeout_ms : timeout_ms, false);
  return timeout_ms < 0 ? WithVariable(outcome, "PS_BARRIER_TIMEOUT") : outcome;
}

Status Postoffice::Impl::Send(Message&& message, SentFrom from) {
  if (IsForked()) return CheckNotForked();
  const auto way = way_.Read();
  if (!way) return NotStarted();
  return way->van->core().Send(std::move(message), way->options[static_cast<size_t>(from)]);
}

std::shared_ptr<Van> Postoffice::Impl::CurrentVan() {
  const auto way = way_.Read();
  return way ? way->van : nullptr;
}

void Postoffice::Impl::ReturnCredit(const Meta& request) {
  if (request.room_returned) return;
  const auto way = way_.Read();
  if (way) way->van->core().ReturnCredit(request);
}

void Postoffice::Impl::ReleaseLent(const Lent& lent) {
  const std::shared_ptr<Van> current = van();
  if (current != nullptr) current->core().ReleaseLent(lent);
}

void Postoffice::Impl::WakeAt(int64_t at_ms) {
  const std::shared_ptr<Van> current = van();
  if (current != nullptr) current->core().WakeAt(at_ms);
}

std::string Postoffice::Impl::Describe(int node_id) const {
  MutexLock lock(mutex_);
  const Node* node = roster_.Find(node_id);
  return node != nullptr ? DescribeNode(*node) : DescribeNodeId(node_id);
}

void Postoffice::Impl::OnMessages(std::vector<Message>* messages) {
  for (size_t done = 0; done < messages->size();) {
    Message& first = (*messages)[done];
    size_t delivered = 1;  // also if it is lost, to nobody else's harm
    try {
      delivered = router_.Deliver(&first, messages->size() - done);
      if (delivered == 0) OnMessage(std::move(first));
    } catch (const std::exception& error) {
      PS_LOG(kError, "", "a received message was dropped: " << error.what());
    }
    done += std::max<size_t>(delivered, 1);
  }
}

// Those that nobody waits for any more are dropped.
void Postoffice::Impl::OnAnswers(const std::vector<BareAnswer>& answers) {
  for (size_t done = 0; done < answers.size();) {
    done += std::max<size_t>(router_.Deliver(&answers[done], answers.size() - done), 1);
  }
}

void Postoffice::Impl::OnMessage(Message&& message) {
  if (router_.Deliver(&message, 1) > 0) return;
  const Router::Fate fate = router_.Route(&message, Clock::Real().NowMs());
  switch (fate) {
    case Router::Fate::kDelivered:
    case Router::Fate::kDropped:  // an answer nobody waits for any more
      return;
    case Router::Fate::kParked:
      ReturnCredit(message.meta);
      WakeAt(Clock::Real().NowMs() + 1);  // its deadline counts from now
      return;
    case Router::Fate::kNoRoom:
      ReturnCredit(message.meta);
      Refuse(message,
             Status::ResourceExhausted(
                 Describe(owner_->van()->core().state().node.id) + " " + NoCustomerText(message.meta.app_id) +
                 " yet, and what waits for such has reached its bound (10000 requests, or 4 x "
                 "PS_SEND_BUFFER_BYTES): build the app earlier"));
      return;
  }
}

void Postoffice::Impl::Refuse(const Message& request, const Status& why) {
  Message answer;
  answer.meta.recver = request.meta.sender;
  answer.meta.sender_incarnation = request.meta.sender_incarnation;
  answer.meta.app_id = request.meta.app_id;
  answer.meta.customer_id = request.meta.customer_id;
  answer.meta.timestamp = request.meta.timestamp;
  answer.meta.head = request.meta.head;
  answer.meta.push = request.meta.push;
  answer.meta.pull = request.meta.pull;
  answer.meta.simple_app = request.meta.simple_app;
  answer.meta.status = why.code();
  answer.meta.body = why.message();
  const Status sent = Send(std::move(answer), SentFrom::kInlineHandle);
  if (!sent.ok()) PS_LOG(kWarning, "", "could not refuse a request: " << sent.message());
}

void Postoffice::Impl::OnUndelivered(const Meta& meta, const Status& why) {
  router_.Visit(meta.app_id, meta.customer_id, [&](Mailbox* mailbox) { mailbox->OnUndelivered(meta, why); });
}

void Postoffice::Impl::OnNodeGone(const Node& node, const Status& why) {
  router_.ForEach([&](Mailbox* mailbox) { mailbox->OnNodeGone(node.id, node.incarnation, why); });
}

void Postoffice::Impl::OnOwnLoss(const Status& why) {
  router_.ForEach([&](Mailbox* mailbox) { mailbox->OnOwnLoss(why); });
}

int64_t Postoffice::Impl::OnTimer(int64_t now_ms) {
  int64_t next = CondVar::kNever;
  for (const Message& request : router_.Expire(now_ms, &next)) {
    Refuse(request, Status::DeadlineExceeded(DescribeNodeId(van()->core().state().node.id) + " " +
                                             NoCustomerText(request.meta.app_id) +
                                             " (it waited for one for PS_REQUEST_TIMEOUT)"));
  }
  router_.ForEach([&](Mailbox* mailbox) { next = std::min(next, mailbox->OnTimer(now_ms)); });
  return next;
}

}  // namespace ps
