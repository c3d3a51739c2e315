#ifndef PS_VAN_INBOUND_H_
#define PS_VAN_INBOUND_H_

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/counters.h"
#include "base/line_limit.h"
#include "transport/transport.h"
#include "van/admission.h"
#include "van/control.h"
#include "van/handshake.h"
#include "van/identity.h"
#include "van/route_table.h"

namespace ps {

// What inbound frames turn into. Calls come from the receiver's thread and must not block.
class InboundHandler {
 public:
  virtual ~InboundHandler() = default;
  // An applicant that is to be challenged, or is refused because of PS_JOB_TOKEN.
  virtual void OnUnproven(const Node& applicant, const Handshake::Judgement& judgement,
                          const ReturnPath& from) = 0;
  // This node has to answer the challenge, or was answered by somebody who does not belong to its job.
  virtual void OnChallenge(const Digest& nonce) = 0;
  virtual void OnForeign(const std::string& why) = 0;
  // From here on all are of this job.
  virtual void OnRegister(const Registration& registration, const ReturnPath& from) = 0;
  virtual void OnNotice(HandshakeStep step, const Notice& notice, uint64_t sender_incarnation) = 0;
  virtual void OnControl(int sender, Control::Command command, const SArray<char>& body) = 0;
  // A data message, whose blocks are the handler's; `borrowed`: as Received has it. And one that was refused.
  // What has come so may be kept until EndOfData, which comes before anything else is told (but signs of
  // life) and does not throw: mostly one message, in times of many the small ones of a batch.
  virtual void OnData(const Header& header, Blocks&& blocks, bool borrowed) = 0;
  virtual void EndOfData() = 0;
  virtual void OnRefusedData(const Header& header, const Status& why) = 0;
  virtual void OnSignOfLife(int sender, bool wants_answer) = 0;
  // An incarnation that was declared lost still sends: it may not know.
  virtual void OnFencedSender(uint64_t incarnation, const ReturnPath& from) = 0;
  // A connection has closed: that of `node`, or (0) of nobody who was admitted.
  virtual void OnConnectionClosed(int node, const ReturnPath& from) = 0;
};

// The way of a frame through the van: header, admission, delivery, assembly. What comes from a node the
// roster does not have yet waits for the next roster. What is rejected is counted, and told in one line a
// second. Only the receiver's thread uses it.
class Inbound : public FrameSink {
 public:
  struct Bounds {
    size_t max_parked_frames = 4096;
    uint64_t max_parked_bytes = 64 << 20;
  };

  // What it works with; all outlive it.
  struct Host {
    const Identity* identity = nullptr;
    const Handshake* handshake = nullptr;
    RouteTable* routes = nullptr;
    InboundHandler* handler = nullptr;
    Counters* counters = nullptr;
  };
  Inbound(const Host& host, Bounds bounds);

  void OnFrame(Frame&& frame, const ReturnPath& from) override;
  void OnPeerClosed(const ReturnPath& from) override;
  void OnDropped(Counter why) override;
  bool IsFromMember() const override { return from_member_; }
  void BeginBatch() override { is_in_batch_ = true; }
  void EndBatch() override {
    is_in_batch_ = false;
    HandOnData();
  }

  // Remembers which connection is whose, for OnConnectionClosed. Before the first frame.
  void WatchConnections() { watches_connections_ = true; }

  // What was parked for it comes again at the end of the current frame.
  void AdmitScheduler(uint64_t incarnation);
  void SetRoster(const Roster& roster);
  void Fence(const Node& node);

 private:
  struct Parked {
    Header header;
    Frame frame;
    ReturnPath from;
  };

  void Judge(const Header& header, const Frame& frame, const ReturnPath& from);
  void OnHandshake(const Header& header, const Frame& frame, const ReturnPath& from);
  void OnApplicant(const Header& header, const HandshakeParts& parts, const ReturnPath& from);
  void OnAnswer(const Header& header, const HandshakeParts& parts);
  void Park(const Header& header, const Frame& frame, const ReturnPath& from);
  void Accept(const Header& header, const Frame& frame);
  void Remember(int sender, const ReturnPath& from);
  void HandUp(Received* received);
  void HandUpWhole(const Header& header, Blocks* blocks, bool borrowed);
  void HandOnData();
  // For all it is told but data.
  InboundHandler* handler() {
    HandOnData();
    return handler_;
  }
  void ReplayParked();
  void SayRejections();

  const Identity* const identity_;
  const Handshake& handshake_;
  const Bounds bounds_;
  RouteTable* const routes_;
  InboundHandler* const handler_;
  Counters* const counters_;
  Admission admission_;
  std::vector<Parked> parked_;
  uint64_t parked_bytes_ = 0;
  bool replay_due_ = false;
  bool watches_connections_ = false;
  bool is_in_batch_ = false;
  bool has_data_ = false;                          // that the handler may keep
  std::unordered_map<ReturnPath, int> sender_of_;  // by connection; only if watches_connections_
  bool answered_ = false;        // by somebody of this job: nobody else can end a Start any more
  bool from_member_ = false;     // of the frame seen last
  std::vector<Received> ready_;  // what Accept has in hand
  int frames_untold_ = 0;        // since SayRejections
  LineLimit rejection_lines_{1000};
  Counters::Snapshot said_{};  // rejections that a line has told of
  uint64_t num_said_ = 0;      // their sum
};

}  // namespace ps
#endif  // PS_VAN_INBOUND_H_
