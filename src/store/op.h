#ifndef PS_STORE_OP_H_
#define PS_STORE_OP_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ps/status.h"

namespace ps {

// What a client asks of a server. The codes travel: they never change.
enum class OpCode : std::uint8_t {
  kCreate = 1,  // text: the spec. Opens a table that exists with an equal one
  kAdd = 2,     // a contribution
  kGet = 3,
  kAddGet = 4,  // a contribution, then a read that sees it
  kClose = 5,   // ends a round: `parts` contributions were sent here
  kLeave = 6,   // `round` was the last one
  kSet = 7,     // values as they are
  kErase = 8,   // rows; with kWhole the table
  kOption = 9,  // text: options of the updater, from `round` on (0: at once)
  kSave = 10,   // text: where to
  kLoad = 11,   // text: where from
  kStat = 12,   // text of the answer: what the server knows of the table
  // text: a rule (EncodeRule). `round`: the one that its sender's next contribution has; `parts` 1: it has
  // contributed to that one already
  kUpdater = 13,
  kFind = 14,  // text of the answer: the spec of the table; empty: the server has no part of it
};

// One operation on one table. A message carries any number; their row ids lie one after the other in its
// keys, their values (each aligned to kValueAlignment) in its values.
struct Op {
  enum Flags : std::uint8_t {
    kWhole = 1,    // rows: all that the server has of the table
    kDelta = 2,    // of a read: rows that have changed since `since` only; the answer lists them
    kAuto = 4,     // of a contribution: its round ends with it
    kCommit = 8,   // of kLoad: what was loaded takes the place of what is there
    kAsk = 16,     // of kLoad: which step did so last; of kUpdater: whether it could be, nothing changes
    kForget = 32,  // of kLoad: what its sender has loaded is let go
    kUser =
        64,  // of kAdd and kGet: blocks (user_blocks.h) for a table that waits to be registered, if need be
  };

  OpCode code = OpCode::kGet;
  std::uint8_t flags = 0;
  std::uint64_t table = 0;  // TableId of its name
  std::uint64_t round = 0;  // of a contribution: which; of a read: how many the reader has ended
  std::uint64_t since = 0;  // kDelta: the version seen last; kOption: the rounds its sender has ended ...
  std::uint64_t epoch = 0;  // ... and of which epoch; of another one than the server's it counts for nothing
  std::uint32_t parts = 0;
  std::uint64_t num_keys = 0;
  std::uint64_t num_bytes = 0;  // of values
  std::string text;

  bool whole() const { return (flags & kWhole) != 0; }
  bool delta() const { return (flags & kDelta) != 0; }
  bool adds() const { return code == OpCode::kAdd || code == OpCode::kAddGet; }
  bool reads() const { return code == OpCode::kGet || code == OpCode::kAddGet; }
};

// The answer to one operation, in the order of the operations. Of a delta read the keys are the places, among
// the rows asked for, of those that follow.
struct OpReply {
  Status status;
  std::uint64_t version = 0;  // of the shard, for the next delta read
  std::uint64_t round = 0;    // kCreate: where the asker's rounds go on
  std::uint64_t epoch = 0;    // changes when a server has forgotten or restored: versions begin anew
  std::uint64_t num_keys = 0;
  std::uint64_t num_bytes = 0;
  std::string text;
};

// The text of the answer to kCreate where the table's updater needs all of it (Partition).
constexpr char kNeedsWhole[] = "whole";

constexpr std::size_t kValueAlignment = 64;
constexpr std::size_t AlignedValues(std::size_t bytes) {
  return (bytes + kValueAlignment - 1) / kValueAlignment * kValueAlignment;
}

// Operations and answers as the text of a message: little-endian, with a version. Decoding takes any bytes:
// kInvalidArgument says what is wrong. It checks that keys and values are as many as the message brings.
class OpCodec {
 public:
  static std::string Encode(const std::vector<Op>& ops);
  static std::string Encode(const std::vector<OpReply>& replies);
  // Of such a text.
  static std::size_t BytesOf(const std::vector<Op>& ops);
  static std::size_t BytesOf(const std::vector<OpReply>& replies);
  static Result<std::vector<Op>> DecodeOps(std::string_view body, std::size_t num_keys,
                                           std::size_t num_bytes);
  static Result<std::vector<OpReply>> DecodeReplies(std::string_view body, std::size_t num_keys,
                                                    std::size_t num_bytes);
};

}  // namespace ps
#endif  // PS_STORE_OP_H_
