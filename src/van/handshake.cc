#include "van/handshake.h"

#include <algorithm>
#include <utility>

#include "van/payload.h"

namespace ps {
namespace {

constexpr size_t kProofBytes = 2 * kDigestBytes;
// What a mac is about, so that none can be used for another purpose.
constexpr const char* kAboutRegistration = "caravan registration 1";
constexpr const char* kAboutAnswer = "caravan answer 1";

void Append(uint64_t value, std::string* text) {
  for (int i = 0; i < 8; ++i) text->push_back(static_cast<char>(value >> (8 * i) & 0xff));
}
void Append(const Digest& digest, std::string* text) { text->append(digest.begin(), digest.end()); }
void Append(const SArray<char>& bytes, std::string* text) {
  if (!bytes.empty()) text->append(bytes.data(), bytes.size());
}

bool IsZero(const Digest& digest) { return SameDigest(digest, Digest{}); }

}  // namespace

Result<HandshakeParts> ReadHandshake(const Header& header, const Frame& frame) {
  const uint64_t proof_bytes = header.block_bytes[kBlockKeys];
  SArray<char> payload = PayloadOf(frame);
  if ((proof_bytes != 0 && proof_bytes != kProofBytes) || header.block_bytes[kBlockVals] != 0 ||
      header.block_bytes[kBlockLens] != 0 || payload.size() != header.total_bytes()) {
    return Status::InvalidArgument("blocks that are none of a handshake");
  }
  HandshakeParts parts;
  if (proof_bytes != 0) {
    parts.proof.has_token = true;
    std::copy_n(payload.begin(), kDigestBytes, parts.proof.nonce.begin());
    std::copy_n(payload.begin() + kDigestBytes, kDigestBytes, parts.proof.mac.begin());
  }
  parts.body = payload.segment(proof_bytes, payload.size());
  return parts;
}

Handshake::Handshake(uint64_t my_incarnation, std::string token, const Digest& secret)
    : my_incarnation_(my_incarnation), token_(std::move(token)), secret_(secret) {}

Digest Handshake::NonceFor(uint64_t applicant, const ReturnPath& from) const {
  std::string text;
  Append(applicant, &text);
  return KeyedHash(secret_, text + from);
}

Digest Handshake::RegistrationMac(uint64_t applicant, const Digest& nonce,
                                  const SArray<char>& registration) const {
  std::string text = kAboutRegistration;
  Append(nonce, &text);
  Append(applicant, &text);
  Append(registration, &text);
  return HmacSha256(token_, text);
}

Digest Handshake::AnswerMac(const Header& header, const SArray<char>& notice) const {
  std::string text = kAboutAnswer;
  Append(static_cast<uint32_t>(header.head), &text);
  Append(header.receiver_incarnation, &text);
  Append(header.sender_incarnation, &text);
  Append(notice, &text);
  return HmacSha256(token_, text);
}

Handshake::Judgement Handshake::Judge(const Header& header, const HandshakeParts& parts,
                                      const ReturnPath& from) const {
  const Proof& proof = parts.proof;
  if (!has_token() && !proof.has_token) return {};
  if (!has_token()) {
    return {Verdict::kRefused,
            {},
            "the node has a PS_JOB_TOKEN, but this job has none: set it on all or on none"};
  }
  if (!proof.has_token) {
    return {Verdict::kRefused, {}, "the node has no PS_JOB_TOKEN, but this job has one: set the same on all"};
  }
  const uint64_t applicant = header.sender_incarnation;
  const Digest nonce = NonceFor(applicant, from);
  // None yet, or one of an earlier connection or of a scheduler that was here before.
  if (!SameDigest(proof.nonce, nonce)) return {Verdict::kChallenge, nonce, ""};
  if (SameDigest(proof.mac, RegistrationMac(applicant, nonce, parts.body))) return {};
  return {Verdict::kRefused, {}, "the node belongs to another job: PS_JOB_TOKEN differs"};
}

Handshake::Judgement Handshake::JudgeAnswer(const Header& header, const HandshakeParts& parts) const {
  const Proof& proof = parts.proof;
  if (!has_token() && !proof.has_token) return {};
  if (!has_token()) return {Verdict::kRefused, {}, "it has a PS_JOB_TOKEN, this node has none"};
  if (!proof.has_token) return {Verdict::kRefused, {}, "it has no PS_JOB_TOKEN, this node has one"};
  const bool is_challenge = header.head == static_cast<int32_t>(HandshakeStep::kChallenge);
  if (is_challenge && !IsZero(proof.nonce)) return {Verdict::kChallenge, proof.nonce, ""};
  if (!is_challenge && SameDigest(proof.mac, AnswerMac(header, parts.body))) return {};
  return {Verdict::kRefused, {}, "PS_JOB_TOKEN differs"};
}

Frame Handshake::FrameOf(Header header, const Proof& proof, const SArray<char>& body) const {
  Frame frame;
  if (proof.has_token) {
    SArray<char> bytes = SArray<char>::Uninitialized(kProofBytes);
    std::copy(proof.nonce.begin(), proof.nonce.end(), bytes.begin());
    std::copy(proof.mac.begin(), proof.mac.end(), bytes.begin() + kDigestBytes);
    frame.parts[0] = bytes;
  }
  frame.parts[1] = body;
  header.kind = FrameKind::kHandshake;
  header.sender_incarnation = my_incarnation_;
  header.block_bytes[kBlockKeys] = frame.parts[0].size();
  header.block_bytes[kBlockBody] = body.size();
  header.chunk_length = static_cast<uint32_t>(frame.payload_bytes());
  frame.head = EncodeHeader(header);
  return frame;
}

Frame Handshake::AnswerUnproven(const Judgement& judgement, uint64_t applicant) const {
  const bool is_challenge = judgement.verdict == Verdict::kChallenge;
  Header header;
  header.flags = kFlagReply;
  header.head = static_cast<int32_t>(is_challenge ? HandshakeStep::kChallenge : HandshakeStep::kReject);
  header.receiver_incarnation = applicant;
  const Notice notice{is_challenge ? StatusCode::kOk : StatusCode::kFailedPrecondition, judgement.why, 0};
  return FrameOf(header, {has_token(), judgement.nonce, {}}, EncodeNotice(notice));
}

Frame Handshake::Answer(HandshakeStep step, uint64_t applicant, const SArray<char>& notice) const {
  Header header;
  header.flags = kFlagReply;
  header.head = static_cast<int32_t>(step);
  header.sender_incarnation = my_incarnation_;
  header.receiver_incarnation = applicant;
  if (!has_token()) return FrameOf(header, {}, notice);
  return FrameOf(header, {true, {}, AnswerMac(header, notice)}, notice);
}

Frame Handshake::Register(const SArray<char>& registration, const Digest& nonce) const {
  Header header;
  header.head = static_cast<int32_t>(HandshakeStep::kRegister);
  Proof proof{has_token(), nonce, {}};
  if (has_token() && !IsZero(nonce)) proof.mac = RegistrationMac(my_incarnation_, nonce, registration);
  return FrameOf(header, proof, registration);
}

}  // namespace ps
