#include "van/node_van.h"

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "base/log.h"
#include "base/network.h"
#include "base/test_point.h"
#include "base/version.h"
#include "message/node_id.h"
#include "van/listen.h"

namespace ps {
namespace {

// Given to frames already sent when the transport closes: the last acknowledgements.
constexpr int kLingerMs = 200;
// The scheduler speaks of a barrier's deadline; this much later a node stops waiting for that.
constexpr int64_t kBarrierGraceMs = 2000;
constexpr int kLastAcks = 3;             // repeated by a leaving node: nobody can ask it for them any more
constexpr int64_t kLeastLeaveMs = 8000;  // a lossy network needs it, also where PS_RESEND_TIMEOUT is short
constexpr int64_t kLeastFarewellMs = 500;
constexpr int64_t kLookAtPeerMs = 100;  // of a leaving node: how often it looks whether a peer is still there

RouteSettings SettingsOf(const Config& config) {
  RouteSettings settings;
  settings.chunk_bytes = static_cast<uint64_t>(config.chunk_bytes);
  settings.max_message_bytes = static_cast<uint64_t>(config.max_message_bytes);
  settings.water_mark = static_cast<uint32_t>(config.water_mark);
  settings.send_buffer_bytes = static_cast<uint64_t>(config.send_buffer_bytes);
  // The question has to come, and be answered, before a request is given up.
  settings.ask_after_ms = config.resend_timeout_ms;
  if (config.request_timeout_ms > 0) {
    settings.ask_after_ms =
        std::max<int64_t>(1, std::min(settings.ask_after_ms, config.request_timeout_ms / 2));
  }
  settings.request_timeout_ms = config.request_timeout_ms;
  settings.answer_timeout_ms = config.barrier_timeout_ms;
  return settings;
}

SArray<char> OwnCopy(const SArray<char>& bytes) {
  SArray<char> copy = SArray<char>::Uninitialized(bytes.size());
  std::copy(bytes.begin(), bytes.end(), copy.data());
  return copy;
}

// As much of the meta as says whose it is.
Meta AddressOf(const Header& header) {
  Meta meta;
  meta.app_id = header.app_id;
  meta.customer_id = header.customer_id;
  meta.request = (header.flags & kFlagRequest) != 0;
  meta.simple_app = (header.flags & kFlagSimpleApp) != 0;
  return meta;
}

}  // namespace

NodeVan::NodeVan(const Config& config, Van::TransportFactory transport_factory)
    : config_(config),
      transport_factory_(std::move(transport_factory)),
      message_log_(config.verbose >= 2),
      identity_(std::make_unique<Identity>(static_cast<Node::Role>(config.role), 0)) {}

NodeVan::~NodeVan() { Close(); }

void NodeVan::LogLife(const std::string& text) const {
  if (config_.verbose >= 1) PS_LOG(kInfo, name(), text);
}

Status NodeVan::Start(VanSink* sink, const StartOptions& options) {
  {
    MutexLock lock(close_mutex_);
    if (closed_) return Status::Cancelled("the node was closed");
    sink_ = sink;
    PS_RETURN_IF_ERROR(Open(options));
    if (is_scheduler()) {
      LeaderHost* const host = this;
      leader_ = std::make_unique<Leader>(config_, identity_->node(), host, transport_.get(), &counters_);
    }
    receiver_->Start();
    io_->Start();
  }
  return is_scheduler() ? LeadStart() : FollowStart(options);
}

Status NodeVan::Open(const StartOptions& options) {
  identity_ = std::make_unique<Identity>(static_cast<Node::Role>(config_.role), options.customer_id);
  Result<std::unique_ptr<Transport>> transport = transport_factory_(identity_->incarnation());
  PS_RETURN_IF_ERROR(transport.status());
  transport_ = std::move(transport).value();
  transport_->set_release_callback([this] { io_->Wake(); });
  io_ = std::make_unique<IoLoop>([this](int64_t now_ms) { return OnTick(now_ms); });
  SharedReception* const shared = transport_->shared_reception();
  const RouteHost route_host{identity_.get(),
                             &counters_,
                             [this](int64_t at_ms) { io_->WakeAt(at_ms); },
                             SettingsOf(config_),
                             [this](const Header& header) { return sink_->Borrows(AddressOf(header)); },
                             shared == nullptr ? nullptr : shared->token().dependents()};
  routes_ = std::make_unique<RouteTable>(route_host, transport_.get());
  InboundHandler* const handler = this;
  const Result<Digest> secret = RandomDigest();
  PS_RETURN_IF_ERROR(secret.status());
  handshake_ = std::make_unique<Handshake>(identity_->incarnation(), config_.job_token, secret.value());
  inbound_ = std::make_unique<Inbound>(
      Inbound::Host{identity_.get(), handshake_.get(), routes_.get(), handler, &counters_},
      Inbound::Bounds());
  if (is_scheduler()) inbound_->WatchConnections();
  receiver_ = std::make_unique<Receiver>(transport_.get(), inbound_.get(),
                                         [this](int64_t at_ms) { io_->WakeAt(at_ms); });
  open_.store(true);

  const Result<std::string> host = AdvertisedHost(config_, identity_->incarnation());
  PS_RETURN_IF_ERROR(host.status());
  const Result<Address> bound = transport_->Bind(ListenAddress(config_, host.value()));
  PS_RETURN_IF_ERROR(bound.status());
  identity_->SetAddress(host.value(), bound.value().port);
  if (is_scheduler()) identity_->SetId(kSchedulerId, false);
  LogLife("Bind to " + identity_->node().DebugString());
  return Status::Ok();
}

Status NodeVan::LeadStart() {
  Joining::Plan plan;
  plan.node_name = name();
  plan.timeout_ms = config_.start_timeout_ms;
  plan.describe = [this](const std::string&) { return Joining::Reason{"nodes", leader_->Progress()}; };
  const Status outcome = joining_.Wait(plan);
  if (outcome.code() != StatusCode::kDeadlineExceeded) return outcome;
  const std::string why = "the scheduler gave up: " + outcome.message();
  receiver_->Post([this, why] { leader_->OnEnd(why); });
  return outcome;
}

Registration NodeVan::MakeRegistration(const StartOptions& options) const {
  Registration registration;
  registration.node = identity_->node();
  registration.num_workers = config_.num_workers;
  registration.num_servers = config_.num_servers;
  registration.key_bits = static_cast<int>(8 * sizeof(Key));
  registration.protocol = kProtocolVersion;
  registration.chunk_bytes = config_.chunk_bytes;
  registration.rank_wish = options.wish_counts ? config_.rank_wish : -1;
  registration.previous_rank = options.previous_rank;
  registration.node_key = config_.node_key;
  registration.fixed_port = config_.port != 0;
  registration.start_barrier = options.do_barrier;
  return registration;
}

Status NodeVan::FollowStart(const StartOptions& options) {
  const Address root = RootAddress(config_);
  message_log_.Registering(identity_->node());
  Result<std::unique_ptr<Link>> link = transport_->Connect(root);
  PS_RETURN_IF_ERROR(link.status());

  const SArray<char> registration = EncodeRegistration(MakeRegistration(options));
  Joining::Plan plan;
  plan.node_name = name();
  plan.timeout_ms = config_.start_timeout_ms;
  plan.retry_ms = config_.resend_timeout_ms;
  plan.retry = [&, answered = Digest{}](const Digest& challenge) mutable {
    // Until it is connected the first one waits inside the link; more of them would only pile up.
    if (link.value()->unreleased() > 0 && SameDigest(challenge, answered)) return;
    answered = challenge;
    (void)link.value()->TrySend(handshake_->Register(registration, challenge));
  };
  plan.describe = [&](const std::string& progress) {
    if (!progress.empty()) return Joining::Reason{"other nodes", progress};
    return Joining::Reason{"the scheduler at " + root.ToString(), transport_->Probe(root)};
  };
  return joining_.Wait(plan);
}

void NodeVan::WakeAt(int64_t at_ms) {
  if (open_.load()) io_->WakeAt(at_ms);
}

Status NodeVan::Send(Message&& message, const SendOptions& options) {
  if (!ready()) return Status::FailedPrecondition("this node is not in a cluster: call Start() first");
  // Of a response: who asked.
  const uint64_t asker = message.meta.request ? 0 : message.meta.sender_incarnation;
  const int self = identity_->id();
  message.meta.sender = self;
  message.meta.sender_incarnation = identity_->incarnation();
  message_log_.Data(message, self, message.meta.recver);
  if (message.meta.recver == self) {
    // The receiver owns what it gets, also from itself.
    for (SArray<char>& block : message.data) block = OwnCopy(block);
    auto shared = std::make_shared<Message>(std::move(message));
    receiver_->Post([this, shared, self] {
      message_log_.Data(*shared, self, self);
      sink_->OnMessage(std::move(*shared));
    });
    return Status::Ok();
  }
  Outgoing outgoing{HeaderOf(message), {}, 0};
  TakeBlocks(&message, &outgoing.blocks);
  return SendToPeer(message.meta.recver, asker, &outgoing, options);
}

Status NodeVan::SendToPeer(int peer, uint64_t asker, Outgoing* outgoing, const SendOptions& options) {
  Status outcome;
  Route* tried = nullptr;
  while (true) {
    Status unknown;
    Route* const found = routes_->Reach(peer, &unknown);
    if (found == nullptr) return unknown;
    if (found == tried) return outcome;  // the peer was not replaced meanwhile
    tried = found;
    if (asker != 0 && asker != tried->peer().incarnation) {
      counters_.Add(Counter::kRejectedStale);  // it has been restarted: nobody there waits for this answer
      return Status::Ok();
    }
    if (outgoing->bytes() > static_cast<uint64_t>(config_.max_message_bytes)) {
      return Status::ResourceExhausted(
          "a message of " + std::to_string(outgoing->bytes()) + " bytes to " + DescribeNode(tried->peer()) +
          " is over PS_MAX_MESSAGE_BYTES=" + std::to_string(config_.max_message_bytes));
    }
    outcome = tried->Send(outgoing, options);
    if (outcome.ok()) return outcome;
  }
}

void NodeVan::ReturnCredit(const Meta& request) {
  if (!open_.load()) return;
  Route* const route = routes_->Look(request.sender);
  if (route == nullptr || route->peer().incarnation != request.sender_incarnation) return;
  route->ReturnCredit(static_cast<uint64_t>(request.data_size) + request.body.size());
}

void NodeVan::ReleaseLent(const Lent& lent) {
  if (!open_.load()) return;
  for (const std::shared_ptr<Route>& route : routes_->AllAndRetired()) route->ReleaseLent(lent);
}

Status NodeVan::Barrier(int group, int64_t timeout_ms, bool is_final) {
  if (!ready()) return Status::FailedPrecondition("this node is not in a cluster: call Start() first");
  const BarrierClient::Entry entry = barriers_.Enter(group);
  if (entry.first) {
    BarrierNotice notice;
    notice.group = group;
    notice.round = entry.round;
    notice.timeout_ms = timeout_ms;
    notice.is_final = is_final;
    SendControl(kSchedulerId, Control::BARRIER, EncodeBarrier(notice));
  }
  const Deadline deadline = Deadline::After(
      timeout_ms == 0 || timeout_ms > CondVar::kNever - kBarrierGraceMs ? 0 : timeout_ms + kBarrierGraceMs);
  const std::string late =
      "barrier of group " + std::to_string(group) + ": the scheduler has not answered in time";
  const DependsOnFrames depends(receiver_->dependents());
  Status outcome = barriers_.Wait(group, entry.round, deadline, late);
  if (!is_final || config_.role != Role::kServer) return outcome;
  const Deadline stay = Deadline::After(config_.barrier_timeout_ms);
  for (bool stays = true; outcome.code() == StatusCode::kUnavailable && stays;) {
    // Only the silence or the end of the scheduler says nothing about the workers.
    const bool is_over = !scheduler_gone_.load() && barriers_.IsOver(group, entry.round);
    stays = !is_over && StayForWorkers(stay);
    // At once if it is over, and then with the last reason.
    outcome = barriers_.Wait(group, entry.round, deadline, late);
  }
  return outcome;
}

bool NodeVan::StayForWorkers(Deadline deadline) {
  MutexLock lock(workers_mutex_);
  while (scheduler_silent_.load() || scheduler_gone_.load()) {
    if (!ready() || num_living_workers_ == 0) return false;
    if (!workers_changed_.WaitUntil(workers_mutex_, deadline.at_ms())) return false;
  }
  return ready();
}

std::vector<int> NodeVan::DeadNodes(int64_t timeout_ms) {
  const int64_t now = Clock::Real().NowMs();
  if (!ready() || timeout_ms <= 0 || heartbeat_interval_ms_.load() <= 0) return {};
  if (is_scheduler()) return leader_->Silent(timeout_ms, now);
  std::vector<int> dead;
  if (now - scheduler_heard_ms_.load() >= timeout_ms) dead.push_back(kSchedulerId);
  MutexLock lock(lost_mutex_);
  dead.insert(dead.end(), announced_lost_.begin(), announced_lost_.end());
  return dead;
}

void NodeVan::SendControl(int node, Control::Command command, SArray<char> body) {
  const bool arrival = command == Control::BARRIER && node == kSchedulerId;
  message_log_.Control(command, body, identity_->id(), node, arrival);
  if (node == identity_->id()) {
    receiver_->Post([this, command, body] { OnControl(identity_->id(), command, body); });
    return;
  }
  const Result<std::shared_ptr<Route>> route = routes_->For(node);
  if (!route.ok()) return;  // it left in the meantime
  Outgoing outgoing;
  outgoing.header.kind = FrameKind::kControl;
  outgoing.header.head = command;
  outgoing.header.block_bytes[kBlockBody] = body.size();
  outgoing.blocks[kBlockBody] = std::move(body);
  (void)route.value()->Send(&outgoing, SendOptions());  // refused only by a peer that is gone
}

void NodeVan::TellAll(const Departure& departure) {
  for (const std::shared_ptr<Route>& route : routes_->All()) {
    SendControl(route->peer().id, Control::LEAVE, EncodeDeparture(departure));
  }
}

// Whether the peer has acknowledged everything by then, or is gone: of one that was killed after the
// scheduler knew that it leaves nobody hears that it can not do so any more.
bool NodeVan::Drain(Route* route, Deadline until) {
  const Address peer{route->peer().hostname, route->peer().port};
  std::unique_ptr<ReachCheck> check;
  while (!route->WaitDrained(std::min(until, Deadline::After(kLookAtPeerMs)))) {
    if (until.expired(Clock::Real().NowMs())) return false;
    if (check == nullptr) check = transport_->StartCheck(peer);
    const ReachCheck::State state = check->Look();
    if (state == ReachCheck::State::kRefused) return true;
    if (state != ReachCheck::State::kPending) check = nullptr;
  }
  return true;
}

void NodeVan::Leave() {
  if (!ready() || left_.exchange(true)) return;
  LogLife(name() + " is stopping");
  const Deadline deadline = Deadline::After(std::max(8 * config_.resend_timeout_ms, kLeastLeaveMs));
  const auto drain = [&](Deadline until) {
    const std::vector<std::shared_ptr<Route>> routes = routes_->All();
    // All are asked before the first is waited for.
    for (const std::shared_ptr<Route>& route : routes) (void)route->WaitDrained(Deadline::After(-1));
    for (const std::shared_ptr<Route>& route : routes) {
      if (route->peer().id == kSchedulerId && scheduler_silent_.load()) continue;
      if (Drain(route.get(), until)) continue;
      PS_LOG(kWarning, name(),
             "leaves although " << DescribeNode(route->peer()) << " has not acknowledged everything");
    }
  };
  PS_TEST_POINT("leave.before_drain");
  drain(deadline);
  PS_TEST_POINT("leave.after_drain");
  if (!is_scheduler()) {
    TellAll({identity_->id(), identity_->incarnation(), ""});
    PS_TEST_POINT("leave.after_send");
    drain(Deadline::After(std::max(2 * config_.resend_timeout_ms, kLeastFarewellMs)));
  } else if (receiver_->Post([this] { leader_->OnEnd("the job has ended"); });
             !leader_->WaitAllGone(deadline.at_ms())) {
    PS_LOG(kWarning, name(), "leaves before the last node has (waited 8 x PS_RESEND_TIMEOUT, 8 s at least)");
    TellAll({identity_->id(), identity_->incarnation(), ""});
  }
  // Not where nothing was lost: to a peer that has left already they would only delay the end.
  const bool is_lossy = counters_.Get(Counter::kDuplicatesDropped) + counters_.Get(Counter::kResendsSent) > 0;
  for (int i = 0; is_lossy && i < kLastAcks; ++i) {
    for (const std::shared_ptr<Route>& route : routes_->All()) route->SendBare(FrameKind::kAck);
  }
}

// Lets go of a thread that waits in Leave.
void NodeVan::EndWaits(const Status& why) {
  if (leader_ != nullptr) leader_->EndWait();
  if (routes_ == nullptr) return;
  for (const std::shared_ptr<Route>& route : routes_->AllAndRetired()) route->Close(why);
}

void NodeVan::Close() {
  MutexLock lock(close_mutex_);
  if (closed_) return;
  closed_ = true;
  const bool was_ready = ready();
  const bool leaving = left_.exchange(true);
  ready_.store(false);  // what the others make of this end is of no interest any more
  {
    MutexLock waiting(workers_mutex_);
    workers_changed_.NotifyAll();
  }
  if (was_ready && !leaving) {
    LogLife(name() + " is stopping");
    TellAll({identity_->id(), identity_->incarnation(), "ended without Finalize"});
  }
  const Status why = Status::Cancelled("the node was closed");
  joining_.OnOutcome(why);
  barriers_.Fail(why);
  if (leaving) EndWaits(why);
  if (receiver_ != nullptr) receiver_->Stop();
  if (io_ != nullptr) io_->Stop();
  if (transport_ != nullptr) transport_->Close(kLingerMs);
  if (routes_ != nullptr) {
    for (const std::shared_ptr<Route>& route : routes_->AllAndRetired()) route->Shutdown();
  }
  if (was_ready) LogLife(name() + " is stopped");
}

}  // namespace ps
