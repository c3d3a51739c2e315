#ifndef PS_VAN_ASSEMBLER_H_
#define PS_VAN_ASSEMBLER_H_

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "ps/status.h"
#include "transport/transport.h"

namespace ps {

// Puts the frames of one admitted sender together again: one copy of the payload into blocks aligned to 64
// bytes that the receiver owns. Chunks of one priority come in order and never interleave; chunks of
// different priorities may. Pure.
class Assembler {
 public:
  struct Complete {
    Header header;  // without what is each chunk's own: sequence, ack, credits, chunk
    std::array<SArray<char>, kNumBlocks> blocks;
  };

  // Messages beyond `max_message_bytes` are refused before anything is allocated; so is every piece of a
  // message when too many others are begun.
  explicit Assembler(uint64_t max_message_bytes) : max_message_bytes_(max_message_bytes) {}

  // Adds a frame (in sequence). Returns the message if it is complete, nothing if chunks are missing. Errors:
  // kResourceExhausted for a claim over a limit (all chunks of that message are then swallowed, one error
  // per message: the first), kInvalidArgument when payload and header disagree or a chunk is out of place;
  // the message it belongs to is then forgotten.
  Result<std::optional<Complete>> Add(const Header& header, const Frame& frame);

  // The short way for what comes most: a frame that is a whole message within the limits, while no other is
  // begun. Its payload is then in `*blocks`, which are empty before. False: nothing was done, Add is for it.
  bool TakeWhole(const Header& header, const Frame& frame, std::array<SArray<char>, kNumBlocks>* blocks);

  // Forgets what is not complete.
  void Clear() {
    open_.clear();
    pending_bytes_ = 0;
  }
  // Bytes allocated for messages that are not complete.
  uint64_t pending_bytes() const { return pending_bytes_; }
  // Bytes copied so far (the counter of copies).
  uint64_t copied_bytes() const { return copied_bytes_; }

 private:
  struct Partial {
    Complete message;
    uint64_t received = 0;
    bool refused = false;  // has no blocks: the rest of it is only counted
  };
  using Lane = std::pair<bool, int>;  // (control lane, priority)
  using Open = std::map<Lane, Partial>;

  Status CheckPlace(const Header& header, const Frame& frame, Open::const_iterator open) const;
  std::optional<Complete> Continue(Open::iterator open, const Frame& frame);
  Result<std::optional<Complete>> Begin(const Header& header, const Frame& frame);
  // Makes the blocks of the message `header` begins, or refuses it.
  Status Allocate(const Header& header, Partial* partial) const;
  void Take(const Frame& frame, Partial* partial);
  void Forget(Open::iterator open);

  const uint64_t max_message_bytes_;
  Open open_;  // messages that are not complete
  uint64_t pending_bytes_ = 0;
  uint64_t copied_bytes_ = 0;
};

}  // namespace ps
#endif  // PS_VAN_ASSEMBLER_H_
