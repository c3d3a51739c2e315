#include "van/handshake.h"

#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ps {
namespace {

using Verdict = Handshake::Verdict;

SArray<char> BytesOf(const std::string& text) {
  SArray<char> bytes;
  bytes.CopyFrom(text.data(), text.size());
  return bytes;
}

Header HeaderIn(const Frame& frame) {
  const Result<Header> header = DecodeHeader(frame.head.data(), frame.head.size());
  EXPECT_TRUE(header.ok()) << header.status();
  return header.ok() ? header.value() : Header();
}

HandshakeParts PartsOf(const Frame& frame) {
  const Result<HandshakeParts> parts = ReadHandshake(HeaderIn(frame), frame);
  EXPECT_TRUE(parts.ok()) << parts.status();
  return parts.ok() ? parts.value() : HandshakeParts();
}

Digest SecretOf(uint8_t fill) {
  Digest secret;
  secret.fill(fill);
  return secret;
}

// The bytes of all that a frame carries.
std::string Everything(const Frame& frame) {
  std::string text(frame.head.begin(), frame.head.end());
  for (const SArray<char>& part : frame.parts) {
    if (!part.empty()) text.append(part.data(), part.size());
  }
  return text;
}

constexpr uint64_t kScheduler = 0x1111;
constexpr uint64_t kNode = 0x2222;
const char* const kPath = "R-path-1";

class HandshakeTest : public testing::Test {
 protected:
  Handshake::Judgement Judge(const Handshake& asked, const Frame& frame, const std::string& path = kPath) {
    return asked.Judge(HeaderIn(frame), PartsOf(frame), path);
  }
  static Handshake::Judgement JudgeAnswer(const Handshake& node, const Frame& frame) {
    return node.JudgeAnswer(HeaderIn(frame), PartsOf(frame));
  }
  // The nonce that `asked` wants to be answered.
  Digest NonceOf(const Handshake& asked) {
    const Handshake::Judgement judgement = Judge(asked, node_.Register(registration_, {}));
    EXPECT_EQ(judgement.verdict, Verdict::kChallenge);
    return judgement.nonce;
  }

  const SArray<char> registration_ = BytesOf("a registration");
  const SArray<char> notice_ = BytesOf("a notice");
  const Handshake scheduler_{kScheduler, "the token", SecretOf(1)};
  const Handshake node_{kNode, "the token", SecretOf(2)};
  const Handshake foreign_{kNode, "another", SecretOf(2)};
  const Handshake open_scheduler_{kScheduler, "", SecretOf(1)};
  const Handshake open_node_{kNode, "", SecretOf(2)};
};

TEST_F(HandshakeTest, AHolderOfTheTokenIsAdmittedAfterOneChallenge) {
  const Handshake::Judgement first = Judge(scheduler_, node_.Register(registration_, {}));
  ASSERT_EQ(first.verdict, Verdict::kChallenge);
  const Frame challenge = scheduler_.AnswerUnproven(first, kNode);
  EXPECT_EQ(HeaderIn(challenge).receiver_incarnation, kNode);
  const Handshake::Judgement asked = JudgeAnswer(node_, challenge);
  ASSERT_EQ(asked.verdict, Verdict::kChallenge);

  const Frame proven = node_.Register(registration_, asked.nonce);
  EXPECT_EQ(Judge(scheduler_, proven).verdict, Verdict::kProven);
  const SArray<char> body = PartsOf(proven).body;
  EXPECT_EQ(std::string(body.data(), body.size()), "a registration");
  EXPECT_EQ(Judge(scheduler_, proven).verdict, Verdict::kProven) << "a repeat is as good";
}

TEST_F(HandshakeTest, WithoutTokensNothingIsAskedAndNothingTravels) {
  const Frame frame = open_node_.Register(registration_, {});
  EXPECT_EQ(frame.payload_bytes(), registration_.size());
  EXPECT_EQ(Judge(open_scheduler_, frame).verdict, Verdict::kProven);
  const Frame answer = open_scheduler_.Answer(HandshakeStep::kWaiting, kNode, notice_);
  EXPECT_EQ(answer.payload_bytes(), notice_.size());
  EXPECT_EQ(JudgeAnswer(open_node_, answer).verdict, Verdict::kProven);
}

TEST_F(HandshakeTest, AnotherTokenIsRefusedByNameOnBothSides) {
  const Handshake::Judgement judgement =
      Judge(scheduler_, foreign_.Register(registration_, NonceOf(scheduler_)));
  ASSERT_EQ(judgement.verdict, Verdict::kRefused);
  EXPECT_NE(judgement.why.find("PS_JOB_TOKEN differs"), std::string::npos) << judgement.why;
  const Handshake::Judgement told = JudgeAnswer(foreign_, scheduler_.AnswerUnproven(judgement, kNode));
  ASSERT_EQ(told.verdict, Verdict::kRefused);
  EXPECT_EQ(told.why, "PS_JOB_TOKEN differs");
}

TEST_F(HandshakeTest, ATokenOnOneSideIsRefusedByNameOnBoth) {
  Handshake::Judgement judgement = Judge(scheduler_, open_node_.Register(registration_, {}));
  ASSERT_EQ(judgement.verdict, Verdict::kRefused);
  EXPECT_NE(judgement.why.find("the node has no PS_JOB_TOKEN"), std::string::npos) << judgement.why;
  Handshake::Judgement told = JudgeAnswer(open_node_, scheduler_.AnswerUnproven(judgement, kNode));
  ASSERT_EQ(told.verdict, Verdict::kRefused);
  EXPECT_EQ(told.why, "it has a PS_JOB_TOKEN, this node has none");

  judgement = Judge(open_scheduler_, node_.Register(registration_, {}));
  ASSERT_EQ(judgement.verdict, Verdict::kRefused);
  EXPECT_NE(judgement.why.find("this job has none"), std::string::npos) << judgement.why;
  told = JudgeAnswer(node_, open_scheduler_.AnswerUnproven(judgement, kNode));
  ASSERT_EQ(told.verdict, Verdict::kRefused);
  EXPECT_EQ(told.why, "it has no PS_JOB_TOKEN, this node has one");
}

TEST_F(HandshakeTest, AProofIsGoodForItsConnectionItsApplicantAndItsStartOnly) {
  const Frame proven = node_.Register(registration_, NonceOf(scheduler_));
  EXPECT_EQ(Judge(scheduler_, proven, "R-path-2").verdict, Verdict::kChallenge) << "replayed by another";
  const Handshake restarted(kScheduler + 1, "the token", SecretOf(3));
  EXPECT_EQ(Judge(restarted, proven).verdict, Verdict::kChallenge) << "of an earlier scheduler";
  Header other = HeaderIn(proven);
  other.sender_incarnation += 1;
  EXPECT_EQ(scheduler_.Judge(other, PartsOf(proven), kPath).verdict, Verdict::kChallenge);
}

TEST_F(HandshakeTest, AProofCoversTheRegistration) {
  const Frame proven = node_.Register(registration_, NonceOf(scheduler_));
  HandshakeParts parts = PartsOf(proven);
  parts.body = BytesOf("A registration");
  EXPECT_EQ(scheduler_.Judge(HeaderIn(proven), parts, kPath).verdict, Verdict::kRefused);
}

TEST_F(HandshakeTest, OnlyAHolderOfTheTokenCanAnswer) {
  const Frame answer = scheduler_.Answer(HandshakeStep::kWaiting, kNode, notice_);
  EXPECT_EQ(JudgeAnswer(node_, answer).verdict, Verdict::kProven);
  const Handshake liar(kScheduler, "a guess", SecretOf(1));
  EXPECT_EQ(JudgeAnswer(node_, liar.Answer(HandshakeStep::kWaiting, kNode, notice_)).verdict,
            Verdict::kRefused);
}

TEST_F(HandshakeTest, AnAnswerCoversItsStepBothNodesAndTheNotice) {
  const Frame answer = scheduler_.Answer(HandshakeStep::kWaiting, kNode, notice_);
  const std::vector<std::function<void(Header*, HandshakeParts*)>> changes = {
      [](Header* header, HandshakeParts*) { header->head = static_cast<int32_t>(HandshakeStep::kReject); },
      [](Header* header, HandshakeParts*) { header->head = static_cast<int32_t>(HandshakeStep::kFenced); },
      [](Header* header, HandshakeParts*) { header->sender_incarnation += 1; },
      [](Header* header, HandshakeParts*) { header->receiver_incarnation += 1; },
      [](Header*, HandshakeParts* parts) { parts->body = BytesOf("A notice"); },
      [](Header*, HandshakeParts* parts) {
        parts->proof.mac[0] = static_cast<uint8_t>(parts->proof.mac[0] + 1);
      },
  };
  for (size_t i = 0; i < changes.size(); ++i) {
    Header header = HeaderIn(answer);
    HandshakeParts parts = PartsOf(answer);
    changes[i](&header, &parts);
    EXPECT_EQ(node_.JudgeAnswer(header, parts).verdict, Verdict::kRefused) << "change " << i;
  }
}

TEST_F(HandshakeTest, AProofIsNotAnAnswerNorTheOtherWayRound) {
  const Frame answer = scheduler_.Answer(HandshakeStep::kRegister, kNode, registration_);
  HandshakeParts parts = PartsOf(answer);
  parts.proof.nonce = NonceOf(scheduler_);
  Header header = HeaderIn(answer);
  header.sender_incarnation = kNode;
  EXPECT_EQ(scheduler_.Judge(header, parts, kPath).verdict, Verdict::kRefused);
}

TEST_F(HandshakeTest, WhoHasProvenNothingIsGivenNothingToGuessFrom) {
  const Handshake::Judgement challenge = Judge(scheduler_, node_.Register(registration_, {}));
  const Handshake::Judgement refusal =
      Judge(scheduler_, foreign_.Register(registration_, NonceOf(scheduler_)));
  for (const Handshake::Judgement& judgement : {challenge, refusal}) {
    const HandshakeParts parts = PartsOf(scheduler_.AnswerUnproven(judgement, kNode));
    EXPECT_TRUE(SameDigest(parts.proof.mac, Digest{}));
  }
  EXPECT_TRUE(SameDigest(PartsOf(node_.Register(registration_, {})).proof.mac, Digest{}));
}

TEST_F(HandshakeTest, TheTokenTravelsInNoFrame) {
  const Handshake::Judgement challenge = Judge(scheduler_, node_.Register(registration_, {}));
  for (const Frame& frame : {node_.Register(registration_, {}), scheduler_.AnswerUnproven(challenge, kNode),
                             node_.Register(registration_, challenge.nonce),
                             scheduler_.Answer(HandshakeStep::kWaiting, kNode, notice_)}) {
    EXPECT_EQ(Everything(frame).find("the token"), std::string::npos);
  }
}

TEST_F(HandshakeTest, BlocksOfAnotherSizeAreNoHandshake) {
  const Frame proven = node_.Register(registration_, NonceOf(scheduler_));
  const std::vector<std::function<void(Header*)>> changes = {
      [](Header* header) { header->block_bytes[kBlockKeys] -= 1, header->block_bytes[kBlockBody] += 1; },
      [](Header* header) { header->block_bytes[kBlockVals] += 1, header->block_bytes[kBlockBody] -= 1; },
      [](Header* header) { header->block_bytes[kBlockLens] += 1, header->block_bytes[kBlockBody] -= 1; },
      [](Header* header) { header->block_bytes[kBlockBody] += 1; },
      [](Header* header) { header->block_bytes[kBlockBody] = ~uint64_t{0} - 10; },
  };
  for (size_t i = 0; i < changes.size(); ++i) {
    Header header = HeaderIn(proven);
    changes[i](&header);
    EXPECT_EQ(ReadHandshake(header, proven).status().code(), StatusCode::kInvalidArgument) << "change " << i;
  }
}

TEST_F(HandshakeTest, AChallengeWithoutANonceIsNone) {
  Handshake::Judgement judgement;
  judgement.verdict = Verdict::kChallenge;
  const Frame frame = scheduler_.AnswerUnproven(judgement, kNode);
  EXPECT_EQ(JudgeAnswer(node_, frame).verdict, Verdict::kRefused);
  judgement.nonce = SecretOf(9);
  EXPECT_EQ(JudgeAnswer(open_node_, scheduler_.AnswerUnproven(judgement, kNode)).verdict, Verdict::kRefused);
}

}  // namespace
}  // namespace ps
