#ifndef PS_VAN_ASSEMBLER_H_
#define PS_VAN_ASSEMBLER_H_

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "ps/status.h"
#include "transport/transport.h"

namespace ps {

// Puts the frames of one admitted sender together again: one copy of the payload into blocks aligned to 64
// bytes that the receiver owns. Values that the sender has lent, all of them and in one piece, are not copied
// for who takes them so. Chunks of one priority come in order and never interleave; chunks of
// different priorities may. Pure.
class Assembler {
 public:
  struct Complete {
    Header header;  // without what is each chunk's own: sequence, ack, credits, chunk
    Blocks blocks;
    bool borrowed = false;  // the values are the sender's memory, only to be read
  };
  // Whether whom this message is for takes values as they lie in the sender's memory.
  using Borrows = std::function<bool(const Header& header)>;

  // Messages beyond `max_message_bytes` are refused before anything is allocated; so is every piece of a
  // message when too many others are begun.
  explicit Assembler(uint64_t max_message_bytes, Borrows borrows = nullptr)
      : max_message_bytes_(max_message_bytes), borrows_(std::move(borrows)) {}

  // Adds a frame (in sequence). Returns the message if it is complete, nothing if chunks are missing. Errors:
  // kResourceExhausted for a claim over a limit (all chunks of that message are then swallowed, one error
  // per message: the first), kInvalidArgument when payload and header disagree or a chunk is out of place;
  // the message it belongs to is then forgotten.
  Result<std::optional<Complete>> Add(const Header& header, const Frame& frame);

  // The short way for what comes most: a frame that is a whole message within the limits, while no other is
  // begun. Its payload is then in `*blocks`, which are empty before. False: nothing was done, Add is for it.
  bool TakeWhole(const Header& header, const Frame& frame, Blocks* blocks);

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
    // While all values so far were lent, in one piece: no block is allocated for them, `lent` are they.
    bool is_borrowing = false;
    uint64_t lent_bytes = 0;
    std::vector<SArray<char>> lent;
  };
  using Lane = std::pair<bool, int>;  // (control lane, priority)
  using Open = std::map<Lane, Partial>;

  Status CheckPlace(const Header& header, const Frame& frame, Open::const_iterator open) const;
  Result<std::optional<Complete>> Continue(Open::iterator open, const Frame& frame);
  Result<std::optional<Complete>> Begin(const Header& header, const Frame& frame);
  // Makes the blocks of the message `header` begins, or refuses it.
  Status Allocate(const Header& header, const Frame& frame, Partial* partial) const;
  // Error: no memory for values that were to be borrowed and can not be; the rest is refused.
  Status Take(const Frame& frame, Partial* partial);
  // True when the part was added to the values that are lent.
  static bool Borrow(const SArray<char>& part, bool is_lent, Partial* partial);
  Status StopBorrowing(Partial* partial);
  static Complete Finish(Partial* partial);
  void Forget(Open::iterator open);

  const uint64_t max_message_bytes_;
  const Borrows borrows_;
  Open open_;  // messages that are not complete
  uint64_t pending_bytes_ = 0;
  uint64_t copied_bytes_ = 0;
};

}  // namespace ps
#endif  // PS_VAN_ASSEMBLER_H_
