#ifndef PS_VAN_CONTROL_H_
#define PS_VAN_CONTROL_H_

#include <cstdint>
#include <string>
#include <vector>

#include "ps/sarray.h"
#include "ps/status.h"
#include "van/roster.h"

namespace ps {

// `head` of a kHandshake frame.
enum class HandshakeStep : int32_t {
  kRegister = 1,   // node -> scheduler: Registration
  kWaiting = 2,    // scheduler -> node: registered, the cluster is not complete: Notice (text = who is there)
  kReject = 3,     // scheduler -> node: Notice (why)
  kChallenge = 4,  // asked node -> node: register again with a proof of PS_JOB_TOKEN (van/handshake.h)
  kFenced = 5,     // node -> sender of what was fenced: you were declared lost: Notice (why)
};

// Text for an applicant. `scheduler_incarnation` lets it know the scheduler before the roster comes.
struct Notice {
  StatusCode code = StatusCode::kOk;
  std::string text;
  uint64_t scheduler_incarnation = 0;
};

// Control::BARRIER, both ways.
struct BarrierNotice {
  int group = 0;
  uint64_t round = 0;
  int64_t timeout_ms = 0;             // of an arrival: how long this member will wait, 0 = for ever
  bool is_final = false;              // of an arrival: the barrier of Finalize
  StatusCode code = StatusCode::kOk;  // of a release: not kOk ends the barrier with `text`
  std::string text;
};

// Control::LEAVE and Control::NODE_LOST.
struct Departure {
  int node_id = 0;
  uint64_t incarnation = 0;
  std::string reason;
};

// Bodies of control messages as protobuf (proto/wire.proto). Decoders check everything a peer may get wrong:
// unknown roles, ids, ports, lengths of texts, counts of nodes; errors are kInvalidArgument. Text from
// outside is cut at 4096 bytes.
SArray<char> EncodeRegistration(const Registration& value);
SArray<char> EncodeRoster(const Roster& value);
SArray<char> EncodeNotice(const Notice& value);
SArray<char> EncodeBarrier(const BarrierNotice& value);
SArray<char> EncodeDeparture(const Departure& value);
Result<Registration> DecodeRegistration(const SArray<char>& bytes);
Result<Roster> DecodeRoster(const SArray<char>& bytes);
Result<Notice> DecodeNotice(const SArray<char>& bytes);
Result<BarrierNotice> DecodeBarrier(const SArray<char>& bytes);
Result<Departure> DecodeDeparture(const SArray<char>& bytes);

// Body of a kHave frame. At most kMaxHaveRanges ranges, ascending and disjoint; else kInvalidArgument.
struct SeqRange;
constexpr size_t kMaxHaveRanges = 512;
SArray<char> EncodeHave(const std::vector<SeqRange>& held);
Result<std::vector<SeqRange>> DecodeHave(const SArray<char>& bytes);

}  // namespace ps
#endif  // PS_VAN_CONTROL_H_
