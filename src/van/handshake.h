#ifndef PS_VAN_HANDSHAKE_H_
#define PS_VAN_HANDSHAKE_H_

#include <cstdint>
#include <string>

#include "message/codec.h"
#include "transport/transport.h"
#include "van/control.h"
#include "van/proof.h"

namespace ps {

// The part of a handshake frame that is about PS_JOB_TOKEN. On the wire: nothing, or the block of keys with
// the nonce and the mac; the protobuf is the block `body` as ever.
struct Proof {
  bool has_token = false;  // false: the sender has none, the rest is empty
  Digest nonce{};          // of the challenge made or answered; zeros: none
  Digest mac{};            // zeros: nothing is proven
};

struct HandshakeParts {
  Proof proof;
  SArray<char> body;
};

// Errors (kInvalidArgument): blocks that are not those of a handshake.
Result<HandshakeParts> ReadHandshake(const Header& header, const Frame& frame);

// Who belongs to the job, by PS_JOB_TOKEN: comes before any rule of registration, on every node that is
// asked.
//
//   applicant -> kRegister, no nonce       I have a token (or: I have none)
//   asked     -> kChallenge, nonce         unless neither has one; keeps nothing
//   applicant -> kRegister, nonce, mac     over the nonce and the registration
//   asked     -> kWaiting or kReject, mac  over both incarnations and the answer
//   anybody   -> kFenced, mac              the same, to a node that was declared lost
//
// The applicant proves first, so that a stranger who only asks gets nothing to guess the token from. The
// nonce is a keyed hash of applicant and return path with a secret of this start: it is neither stored nor
// good for anybody else. Losing or repeating any frame is harmless: the applicant repeats what it has, and
// an answer to an outdated challenge is challenged anew.
//
// Pure and immutable: any thread. Never shows the token.
class Handshake {
 public:
  enum class Verdict {
    kProven,     // both have the same token, or both none
    kChallenge,  // `nonce` has to be answered
    kRefused,    // `why`: not of the same job
  };
  struct Judgement {
    Verdict verdict = Verdict::kProven;
    Digest nonce{};
    std::string why;
  };

  // `secret` is random, one per start.
  Handshake(uint64_t my_incarnation, std::string token, const Digest& secret);

  uint64_t my_incarnation() const { return my_incarnation_; }

  // Asked: judges a kRegister.
  Judgement Judge(const Header& header, const HandshakeParts& parts, const ReturnPath& from) const;
  // The frame for an applicant that has not proven itself: the challenge, or the refusal.
  Frame AnswerUnproven(const Judgement& judgement, uint64_t applicant) const;
  // The frame for one that has.
  Frame Answer(HandshakeStep step, uint64_t applicant, const SArray<char>& notice) const;

  // Applicant: the frame to send, `nonce` of the last challenge or zeros.
  Frame Register(const SArray<char>& registration, const Digest& nonce) const;
  // Judges an answer to it.
  Judgement JudgeAnswer(const Header& header, const HandshakeParts& parts) const;

 private:
  Digest NonceFor(uint64_t applicant, const ReturnPath& from) const;
  Digest RegistrationMac(uint64_t applicant, const Digest& nonce, const SArray<char>& registration) const;
  Digest AnswerMac(const Header& header, const SArray<char>& notice) const;
  Frame FrameOf(Header header, const Proof& proof, const SArray<char>& body) const;
  bool has_token() const { return !token_.empty(); }

  const uint64_t my_incarnation_;
  const std::string token_;
  const Digest secret_;
};

}  // namespace ps
#endif  // PS_VAN_HANDSHAKE_H_
