#ifndef PS_VAN_NODE_VAN_H_
#define PS_VAN_NODE_VAN_H_

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/counters.h"
#include "base/line_limit.h"
#include "base/mutex.h"
#include "van/barrier_client.h"
#include "van/identity.h"
#include "van/inbound.h"
#include "van/io_loop.h"
#include "van/joining.h"
#include "van/leader.h"
#include "van/message_log.h"
#include "van/receiver.h"
#include "van/route_table.h"
#include "van/van_core.h"

namespace ps {

// The Van of a node: ties transport, receiver, timers, routes and (on the scheduler) the coordinator
// together.
//
// Threads: see the table of threads in src/README.md. `ps-rx` calls the InboundHandler side, `ps-io` OnTick.
// Locks: only those of its members; none is held while another object of the van is called.
class NodeVan : public VanCore, private InboundHandler, private LeaderHost {
 public:
  NodeVan(const Config& config, Van::TransportFactory transport_factory);
  ~NodeVan() override;

  Status Start(VanSink* sink, const StartOptions& options) override;
  Status Send(Message&& message, const SendOptions& options) override;
  void ReturnCredit(const Meta& request) override;
  void ReleaseLent(const Lent& lent) override;
  Status Barrier(int group, int64_t timeout_ms, bool is_final) override;
  void WakeAt(int64_t at_ms) override;
  VanHelp* help() override { return open_.load() ? receiver_.get() : nullptr; }
  std::vector<int> DeadNodes(int64_t timeout_ms) override;
  void Leave() override;
  void Close() override;
  State state() const override { return {identity_->node(), ready_.load()}; }
  const Counters& counters() const override { return counters_; }

 private:
  bool ready() const { return ready_.load(); }
  // Start, in order.
  Status Open(const StartOptions& options);
  Status LeadStart();
  Status FollowStart(const StartOptions& options);
  Registration MakeRegistration(const StartOptions& options) const;

  // InboundHandler, on ps-rx.
  void OnUnproven(const Node& applicant, const Handshake::Judgement& judgement,
                  const ReturnPath& from) override;
  void OnChallenge(const Digest& nonce) override;
  void OnForeign(const std::string& why) override;
  void OnRegister(const Registration& registration, const ReturnPath& from) override;
  void OnNotice(HandshakeStep step, const Notice& notice, uint64_t sender_incarnation) override;
  void OnControl(int sender, Control::Command command, const SArray<char>& body) override;
  void OnData(const Header& header, Blocks&& blocks, bool borrowed) override;
  void EndOfData() override;
  void OnRefusedData(const Header& header, const Status& why) override;
  void OnSignOfLife(int sender, bool wants_answer) override;
  void OnFencedSender(uint64_t incarnation, const ReturnPath& from) override;
  void OnConnectionClosed(int node, const ReturnPath& from) override;

  // LeaderHost, on ps-rx.
  void SendAnswer(const Coordinator::Answer& answer) override;
  void SendControl(int node, Control::Command command, SArray<char> body) override;
  void AskForLife(int node) override;
  void AcceptRoster(const Roster& roster) override;
  void OnReleased(const BarrierNotice& release) override;
  void OnLost(const Node& node, const Status& why) override;
  void LogLife(const std::string& text) const override;

  void LogRefusal(const Node& node, const std::string& why);
  void OnFirstRoster();
  void OnDeparture(int sender, const Departure& departure);
  // A node says that this one was declared lost.
  void OnOwnLoss(const Notice& notice, uint64_t sender_incarnation);
  // Once per incarnation; a lost one is fenced, one that left may still ask for acknowledgements.
  void OnGone(const Node& node, const Status& why, bool is_lost);
  // To the sink, when nothing refers to memory of requests to it any more.
  void TellGone(const Node& node, const Status& why);
  void TellUntold();
  void CloseRoute(const Node& node, const Status& why, bool keep_requests);
  bool ComesBack(const Node& node, bool is_lost) const;

  // Whether a server in the barrier of Finalize, which the scheduler can not end any more, has waited for the
  // scheduler to be heard again; false when no worker needs it any longer.
  bool StayForWorkers(Deadline deadline);
  void NoteWorkers();

  int64_t OnTick(int64_t now_ms);
  int64_t Heartbeat(int64_t now_ms);
  void SendHeartbeats();
  int64_t TickLeader(int64_t now_ms);
  void OnSchedulerSilent();

  // `asker`: of a response, the incarnation that asked; else 0.
  Status SendToPeer(int peer, uint64_t asker, Outgoing* outgoing, const SendOptions& options);
  void TellAll(const Departure& departure);
  bool Drain(Route* route, Deadline until);
  void EndWaits(const Status& why);
  void Report(const std::vector<Undelivered>& undelivered);
  bool is_scheduler() const { return config_.role == Role::kScheduler; }
  std::string name() const { return identity_->name(); }

  const Config config_;
  const Van::TransportFactory transport_factory_;
  VanSink* sink_ = nullptr;
  Counters counters_;
  MessageLog message_log_;
  std::unique_ptr<Identity> identity_;
  std::unique_ptr<Transport> transport_;
  std::unique_ptr<RouteTable> routes_;
  std::unique_ptr<Handshake> handshake_;
  std::unique_ptr<Inbound> inbound_;
  std::unique_ptr<Receiver> receiver_;
  std::unique_ptr<IoLoop> io_;
  std::unique_ptr<Leader> leader_;  // scheduler only
  std::atomic<bool> leader_due_{false};
  Joining joining_;
  BarrierClient barriers_;
  std::atomic<bool> open_{false};  // the objects above are there
  std::atomic<bool> ready_{false};
  std::atomic<bool> left_{false};
  std::atomic<bool> closing_{false};
  LineLimit refusal_lines_{1000};  // ps-rx only
  std::atomic<int64_t> heartbeat_interval_ms_{0};
  std::atomic<int64_t> heartbeat_timeout_ms_{0};
  std::atomic<int64_t> scheduler_heard_ms_{0};
  std::atomic<bool> scheduler_silent_{false};
  std::atomic<bool> scheduler_gone_{false};
  int64_t next_heartbeat_ms_ = 0;                     // ps-io only
  uint64_t epoch_ = 0;                                // ps-rx only
  Roster roster_;                                     // ps-rx only
  std::vector<Message> messages_;                     // since EndOfData, or
  std::vector<BareAnswer> answers_;                   // those; ps-rx only
  std::map<uint64_t, std::string> gone_;              // why, by incarnation; ps-rx only
  std::string first_loss_;                            // of another node, for texts; ps-rx only
  std::vector<std::pair<Node, Status>> untold_gone_;  // ps-rx only
  std::atomic<bool> has_untold_gone_{false};

  Mutex workers_mutex_;  // a leaf
  CondVar workers_changed_;
  int num_living_workers_ PS_GUARDED_BY(workers_mutex_) = 0;

  Mutex lost_mutex_;  // a leaf
  std::set<int> announced_lost_ PS_GUARDED_BY(lost_mutex_);

  Mutex close_mutex_;  // serialises opening and Close; held while threads are joined
  bool closed_ PS_GUARDED_BY(close_mutex_) = false;
};

}  // namespace ps
#endif  // PS_VAN_NODE_VAN_H_
