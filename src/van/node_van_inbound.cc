// The half of NodeVan that reacts to what comes in. Everything here runs on ps-rx.
#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "base/log.h"
#include "base/test_point.h"
#include "message/node_id.h"
#include "van/listen.h"
#include "van/node_van.h"

namespace ps {

void NodeVan::OnRegister(const Registration& registration, const ReturnPath& from) {
  message_log_.Registering(registration.node);
  PS_TEST_POINT("register.received");
  if (is_scheduler()) {
    leader_->OnRegister(registration, from);
    io_->Wake();  // it may have to wait for a place
    return;
  }
  counters_.Add(Counter::kRejectedMisrouted);
  const std::string text = "this is not a scheduler but " + DescribeNode(identity_->node()) +
                           ": check DMLC_PS_ROOT_URI and DMLC_PS_ROOT_PORT";
  SendAnswer({from, registration.node.incarnation, HandshakeStep::kReject,
              Notice{StatusCode::kInvalidArgument, text, 0}, registration.node});
}

void NodeVan::OnConnectionClosed(int node, const ReturnPath& from) {
  if (leader_ == nullptr) return;
  leader_->OnConnectionClosed(node, from);
  io_->Wake();
}

// One line a second: a stranger must not fill the log.
void NodeVan::LogRefusal(const Node& node, const std::string& why) {
  if (!refusal_lines_.Allows(Clock::Real().NowMs())) return;
  const int unsaid = refusal_lines_.TakeHeldBack();
  const std::string more = unsaid == 0 ? "" : " (and " + std::to_string(unsaid) + " others)";
  PS_LOG(kWarning, name(), "refused " << node.DebugString() << ": " << why << more);
}

void NodeVan::OnUnproven(const Node& applicant, const Handshake::Judgement& judgement,
                         const ReturnPath& from) {
  if (judgement.verdict == Handshake::Verdict::kRefused) LogRefusal(applicant, judgement.why);
  // Without a word if it is gone: it may be anybody.
  (void)transport_->Reply(from, handshake_->AnswerUnproven(judgement, applicant.incarnation));
}

void NodeVan::SendAnswer(const Coordinator::Answer& answer) {
  if (answer.step == HandshakeStep::kReject && answer.node.incarnation != 0) {
    LogRefusal(answer.node, answer.notice.text);
  }
  Notice notice = answer.notice;
  notice.scheduler_incarnation = is_scheduler() ? identity_->incarnation() : 0;
  const Frame frame = handshake_->Answer(answer.step, answer.applicant, EncodeNotice(notice));
  const Status sent = transport_->Reply(answer.to, frame);
  if (!sent.ok() && refusal_lines_.Allows(Clock::Real().NowMs())) {
    PS_LOG(kWarning, name(), "an applicant is gone: " << sent.message());
  }
}

void NodeVan::OnChallenge(const Digest& nonce) {
  if (is_scheduler() || ready()) return;  // nothing was asked
  joining_.OnChallenge(nonce);
}

void NodeVan::OnForeign(const std::string& why) {
  if (is_scheduler() || ready()) return;
  joining_.OnOutcome(Status::FailedPrecondition("the scheduler at " + RootAddress(config_).ToString() +
                                                " belongs to another job: " + why));
}

void NodeVan::OnReleased(const BarrierNotice& release) {
  message_log_.Control(Control::BARRIER, EncodeBarrier(release), kSchedulerId, kSchedulerId, false);
  barriers_.OnRelease(release);
}

void NodeVan::OnLost(const Node& node, const Status& why) { OnGone(node, why, true); }

void NodeVan::AskForLife(int node) {
  const Result<std::shared_ptr<Route>> route = routes_->For(node);
  if (route.ok()) route.value()->SendBare(FrameKind::kHeartbeat);
}

void NodeVan::OnNotice(HandshakeStep step, const Notice& notice, uint64_t sender_incarnation) {
  if (step == HandshakeStep::kFenced) return OnOwnLoss(notice, sender_incarnation);
  if (is_scheduler() || ready()) return;  // a repeat
  if (step == HandshakeStep::kReject) {
    joining_.OnOutcome(Status(notice.code, "refused by " + config_.root_uri + ":" +
                                               std::to_string(config_.root_port) + ": " + notice.text));
    return;
  }
  PS_TEST_POINT("register.answered");
  joining_.OnProgress(notice.text);
  // The scheduler alone, until the roster comes: enough to receive it.
  Roster known;
  Node scheduler;
  scheduler.role = Node::SCHEDULER;
  scheduler.id = kSchedulerId;
  const Address root = RootAddress(config_);
  scheduler.hostname = root.host;
  scheduler.port = root.port;
  scheduler.incarnation = sender_incarnation;
  known.nodes.push_back(scheduler);
  for (const std::shared_ptr<Route>& route : routes_->SetRoster(known)) route->Shutdown();
  inbound_->AdmitScheduler(sender_incarnation);
}

void NodeVan::AcceptRoster(const Roster& roster) {
  const auto me = std::find_if(roster.nodes.begin(), roster.nodes.end(), [this](const Node& node) {
    return node.incarnation == identity_->incarnation();
  });
  if (roster.epoch <= epoch_ || me == roster.nodes.end()) return;
  PS_TEST_POINT("roster.before_accept");
  const bool first = epoch_ == 0;
  epoch_ = roster.epoch;
  roster_ = roster;
  identity_->SetId(me->id, me->is_recovery);
  heartbeat_interval_ms_.store(roster.settings.heartbeat_interval_ms);
  heartbeat_timeout_ms_.store(roster.settings.heartbeat_timeout_ms);
  scheduler_heard_ms_.store(Clock::Real().NowMs());
  for (const std::shared_ptr<Route>& route : routes_->SetRoster(roster)) {
    Report(route->Close(Status::Unavailable(DescribeNode(route->peer()) + " was replaced")));
  }
  // What was asked of former lives fails before anything is asked of the new ones.
  TellUntold();
  NoteWorkers();
  inbound_->SetRoster(roster);
  const Node::Role peers = me->role == Node::WORKER ? Node::SERVER : Node::WORKER;
  for (const Node& node : roster.nodes) {
    if (me->role != Node::SCHEDULER && node.role == peers) (void)routes_->For(node.id);
  }
  {
    MutexLock lock(lost_mutex_);
    for (const Node& node : roster.nodes) {
      if (gone_.count(node.incarnation) == 0) announced_lost_.erase(node.id);
    }
  }
  sink_->OnRoster(roster);
  if (first) OnFirstRoster();
}

void NodeVan::OnFirstRoster() {
  LogLife(is_scheduler() ? "the scheduler is connected to " + std::to_string(config_.num_workers) +
                               " workers and " + std::to_string(config_.num_servers) + " servers"
                         : name() + " is connected to others");
  ready_.store(true);
  PS_TEST_POINT("roster.after_accept");
  joining_.OnOutcome(Status::Ok());
  io_->Wake();
}

void NodeVan::OnControl(int sender, Control::Command command, const SArray<char>& body) {
  const bool arrival = command == Control::BARRIER && is_scheduler();
  message_log_.Control(command, body, sender, identity_->id(), arrival);
  Status malformed;
  switch (command) {
    case Control::ADD_NODE: {
      const Result<Roster> roster = DecodeRoster(body);
      malformed = roster.status();
      if (roster.ok() && sender == kSchedulerId) AcceptRoster(roster.value());
      break;
    }
    case Control::BARRIER: {
      const Result<BarrierNotice> notice = DecodeBarrier(body);
      malformed = notice.status();
      if (!notice.ok()) break;
      PS_TEST_POINT("barrier.received");
      if (is_scheduler()) {
        leader_->OnBarrier(sender, notice.value());
      } else if (sender == kSchedulerId) {
        barriers_.OnRelease(notice.value());
      }
      break;
    }
    case Control::LEAVE:
    case Control::NODE_LOST: {
      const Result<Departure> departure = DecodeDeparture(body);
      malformed = departure.status();
      PS_TEST_POINT("leave.received");
      // Everybody speaks for itself, the scheduler for all.
      const bool may_say = sender == kSchedulerId || (command == Control::LEAVE && departure.ok() &&
                                                      sender == departure.value().node_id);
      if (departure.ok() && may_say) OnDeparture(sender, departure.value());
      break;
    }
    default: malformed = Status::InvalidArgument("not a control message");
  }
  if (!malformed.ok()) counters_.Add(Counter::kRejectedMalformed);
  if (is_scheduler()) io_->Wake();  // a deadline may have changed
}

void NodeVan::OnDeparture(int sender, const Departure& departure) {
  if (!ready()) return;
  const Node* const found = roster_.Find(departure.node_id);
  if (found == nullptr || found->incarnation != departure.incarnation) return;
  const Node node = *found;
  const bool is_lost = !departure.reason.empty();
  if (is_scheduler()) {
    leader_->OnLeave(node.id, departure.reason);
    if (is_lost) return;  // OnLost has been called
  }
  const std::string reason = is_lost ? departure.reason : "has left";
  // The scheduler's texts about others name them.
  const bool is_named = is_lost && sender == kSchedulerId && node.id != kSchedulerId;
  OnGone(node, Status::Unavailable(is_named ? reason : DescribeNode(node) + " " + reason), is_lost);
}

// The scheduler's own announcement may not reach it, and its route is closed.
void NodeVan::OnFencedSender(uint64_t incarnation, const ReturnPath& from) {
  const auto gone = gone_.find(incarnation);
  if (gone == gone_.end()) return;
  const Notice notice{StatusCode::kUnavailable, gone->second, 0};
  // Best effort: it is told again while it goes on sending.
  (void)transport_->Reply(from,
                          handshake_->Answer(HandshakeStep::kFenced, incarnation, EncodeNotice(notice)));
}

// Nothing comes of what this node has asked for, and of what it will ask: everybody drops it.
void NodeVan::OnOwnLoss(const Notice& notice, uint64_t sender_incarnation) {
  if (!ready() || is_scheduler()) return;
  const auto teller = std::find_if(roster_.nodes.begin(), roster_.nodes.end(), [&](const Node& node) {
    return node.incarnation == sender_incarnation && node.id != identity_->id();
  });
  const Node* const me = roster_.Find(identity_->id());
  if (teller == roster_.nodes.end() || me == nullptr) {
    counters_.Add(Counter::kRejectedStranger);
    return;
  }
  if (gone_.count(sender_incarnation) != 0 || gone_.count(me->incarnation) != 0) return;
  const Status why = Status::Unavailable(notice.text + "; said by " + DescribeNode(*teller));
  PS_LOG(kWarning, name(), why.message());
  OnGone(*me, why, true);
}

// Its open requests wait for it (PS_ON_NODE_LOST=wait).
bool NodeVan::ComesBack(const Node& node, bool is_lost) const {
  return is_lost && node.id != kSchedulerId && node.id != identity_->id() &&
         roster_.settings.on_node_lost == OnNodeLost::kWait;
}

void NodeVan::OnGone(const Node& node, const Status& why, bool is_lost) {
  if (!gone_.emplace(node.incarnation, why.message()).second) return;
  const bool is_self = node.id == identity_->id();
  if (node.id == kSchedulerId) scheduler_gone_.store(true);
  if (!is_self) NoteWorkers();
  if (is_lost && !is_self) {
    inbound_->Fence(node);
    MutexLock lock(lost_mutex_);
    announced_lost_.insert(node.id);
  }
  const bool comes_back = ComesBack(node, is_lost);
  if (!is_self) CloseRoute(node, why, comes_back);
  if (comes_back) return;
  // Without the scheduler no barrier can end, nor one of a node that it has given up.
  if (node.id == kSchedulerId || is_self) {
    // It may have ended because somebody else was lost before.
    const std::string cause = first_loss_.empty() || is_self ? "" : ", after " + first_loss_;
    barriers_.Fail(Status(why.code(), why.message() + cause));
    if (is_self) NoteWorkers();  // who stays for them finds the reason
  } else if (is_lost && first_loss_.empty()) {
    first_loss_ = why.message();
  }
  if (!is_self) {
    TellGone(node, why);
    return;
  }
  // The others have given this node up: no answer will come from any of them.
  sink_->OnOwnLoss(why);
  for (const Node& other : roster_.nodes) {
    if (other.id == identity_->id()) continue;
    const std::shared_ptr<Route> open = routes_->Find(other.id);
    if (open != nullptr) Report(open->Close(why));
    TellGone(other, why);
  }
}

// Opened if need be: a closed route refuses what is sent later, or keeps it.
void NodeVan::CloseRoute(const Node& node, const Status& why, bool keep_requests) {
  const Result<std::shared_ptr<Route>> route = routes_->For(node.id);
  if (!route.ok() || route.value()->peer().incarnation != node.incarnation) return;  // its successor is there
  Report(route.value()->Close(why, keep_requests ? Route::Then::kKeepRequests : Route::Then::kGiveUp));
  route.value()->SendBare(FrameKind::kAck);  // it may wait for this before it ends
}

// None for a node that was declared lost itself.
void NodeVan::NoteWorkers() {
  const bool is_lost = gone_.count(identity_->incarnation()) != 0;
  const auto lives = [&](const Node& node) {
    return node.role == Node::WORKER && !is_lost && gone_.count(node.incarnation) == 0;
  };
  const auto living = std::count_if(roster_.nodes.begin(), roster_.nodes.end(), lives);
  MutexLock lock(workers_mutex_);
  num_living_workers_ = static_cast<int>(living);
  workers_changed_.NotifyAll();
}

void NodeVan::TellGone(const Node& node, const Status& why) {
  untold_gone_.emplace_back(node, why);
  TellUntold();
}

// The requests to such a node end then, and their memory is the caller's again.
void NodeVan::TellUntold() {
  std::vector<std::pair<Node, Status>> later;
  has_untold_gone_.store(true);  // before the look: a release after it is told by a tick that sees this
  for (auto& [node, why] : untold_gone_) {
    if (routes_->HoldsMemory(node)) {
      later.emplace_back(node, why);
    } else {
      sink_->OnNodeGone(node, why);
    }
  }
  untold_gone_ = std::move(later);
  if (untold_gone_.empty()) has_untold_gone_.store(false);
}

void NodeVan::OnData(const Header& header, Blocks&& blocks, bool borrowed) {
  BareAnswer answer;
  if (!message_log_.is_on() && FillBareAnswer(header, &answer)) {
    if (!messages_.empty()) EndOfData();
    answers_.push_back(answer);
    return;
  }
  if (!answers_.empty()) EndOfData();
  Message& message = messages_.emplace_back();
  const Status filled = FillMessage(header, &blocks, &message);
  if (!filled.ok()) {
    messages_.pop_back();
    EndOfData();
    return OnRefusedData(header, filled);
  }
  message.meta.borrowed = borrowed;
  message_log_.Data(message, message.meta.sender, identity_->id());
}

// Only one of the two has something, so that all goes up in order.
void NodeVan::EndOfData() {
  if (!answers_.empty()) sink_->OnAnswers(answers_);
  answers_.clear();
  if (!messages_.empty()) sink_->OnMessages(&messages_);
  messages_.clear();
}

void NodeVan::OnRefusedData(const Header& header, const Status& why) {
  counters_.Add(Counter::kRejectedMalformed);
  Message answer;
  answer.meta.app_id = header.app_id;
  answer.meta.customer_id = header.customer_id;
  answer.meta.timestamp = header.timestamp;
  answer.meta.head = header.head;
  answer.meta.push = (header.flags & kFlagPush) != 0;
  answer.meta.pull = (header.flags & kFlagPull) != 0;
  answer.meta.simple_app = (header.flags & kFlagSimpleApp) != 0;
  answer.meta.status = why.code();
  answer.meta.body = why.message() + " (refused by " + DescribeNode(identity_->node()) + ")";
  answer.meta.sender = static_cast<int>(header.sender);
  answer.meta.sender_incarnation = header.sender_incarnation;
  if ((header.flags & kFlagRequest) == 0) {
    // An answer that can not be taken fails the request it belongs to.
    sink_->OnMessage(std::move(answer));
    return;
  }
  Meta request = answer.meta;
  request.body.clear();
  request.data_size = static_cast<int64_t>(header.total_bytes());
  ReturnCredit(request);
  answer.meta.recver = static_cast<int>(header.sender);
  (void)Send(std::move(answer), SendOptions());  // fails only if the asker is gone
}

void NodeVan::OnSignOfLife(int sender, bool wants_answer) {
  if (is_scheduler()) {
    leader_->Heard(sender);
  } else if (sender == kSchedulerId) {
    scheduler_heard_ms_.store(Clock::Real().NowMs());
    if (scheduler_silent_.load()) {
      PS_LOG(kWarning, name(), "the scheduler at " << RootAddress(config_).ToString() << " is heard again");
      barriers_.Resume();  // first: who waits for the other enters the barrier again
      scheduler_silent_.store(false);
      NoteWorkers();
    }
  }
  if (!wants_answer) return;
  counters_.Add(Counter::kHeartbeatsReceived);
  Route* const route = routes_->Look(sender);
  if (route != nullptr) route->SendBare(FrameKind::kHeartbeat, kFlagReply);
}

}  // namespace ps
