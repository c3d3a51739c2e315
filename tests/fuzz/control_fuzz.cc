// Everything a peer's bytes reach before they are data: bodies of control messages, and streams of frames
// through admission, delivery and assembly. The first byte chooses.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "ps/base.h"
#include "van/admission.h"
#include "van/assembler.h"
#include "van/barrier.h"
#include "van/control.h"
#include "van/delivery.h"
#include "van/handshake.h"
#include "van/membership.h"

namespace ps {
namespace {

constexpr uint64_t kMine = 500;
constexpr uint64_t kLimit = 1 << 16;

SArray<char> Bytes(const uint8_t* data, size_t size) {
  SArray<char> bytes;
  bytes.CopyFrom(reinterpret_cast<const char*>(data), size);
  return bytes;
}

Node Scheduler() {
  Node node;
  node.role = Node::SCHEDULER;
  node.id = 1;
  node.hostname = "10.0.0.1";
  node.port = 8000;
  node.incarnation = 100;
  return node;
}

void FuzzRegistration(const SArray<char>& bytes) {
  const Result<Registration> value = DecodeRegistration(bytes);
  if (!value.ok()) return;
  const Result<Registration> again = DecodeRegistration(EncodeRegistration(value.value()));
  CHECK(again.ok() && again.value() == value.value());
  Membership membership(value.value().num_workers, value.value().num_servers, {}, Scheduler(), 1);
  const Membership::Answer answer = membership.Register(value.value());
  CHECK_EQ(answer.kind == Membership::Answer::kReject, !answer.reason.ok());
  CHECK(!membership.Progress().empty());
}

void FuzzRoster(const SArray<char>& bytes) {
  const Result<Roster> value = DecodeRoster(bytes);
  if (!value.ok()) return;
  const Result<Roster> again = DecodeRoster(EncodeRoster(value.value()));
  CHECK(again.ok() && again.value() == value.value());
  Admission admission(kMine);
  admission.SetRoster(value.value());
  Header header;
  header.sender = 1;
  header.sender_incarnation = value.value().Find(1)->incarnation;
  header.receiver_incarnation = kMine;
  CHECK(admission.Judge(header).verdict == Admission::Verdict::kAccept);
}

void FuzzBarrier(const SArray<char>& bytes) {
  const Result<BarrierNotice> value = DecodeBarrier(bytes);
  if (!value.ok()) return;
  BarrierCounter counter;
  counter.SetMembers({1, 8, 9});
  for (int node : {1, 8, 9, 10}) counter.Arrive(node, value.value().group, value.value().round);
  for (int group = 1; group <= 7; ++group) CHECK_LT(counter.Arrived(group), 3);
}

void FuzzNotice(const SArray<char>& bytes) {
  const Result<Notice> value = DecodeNotice(bytes);
  if (value.ok()) CHECK_LE(value.value().text.size(), 4096u);
}

void FuzzDeparture(const SArray<char>& bytes) {
  const Result<Departure> value = DecodeDeparture(bytes);
  if (!value.ok()) return;
  CHECK_LE(value.value().reason.size(), 4096u);
  CHECK(value.value().node_id == 1 || value.value().node_id >= 8);
}

void FuzzHave(const SArray<char>& bytes) {
  const Result<std::vector<SeqRange>> value = DecodeHave(bytes);
  if (!value.ok()) return;
  CHECK(DecodeHave(EncodeHave(value.value())).value() == value.value());
  DeliverySender sender(1000);
  for (int i = 0; i < 20; ++i) sender.Keep(Frame(), 0);
  sender.Asked(1000);
  CHECK_LE(sender.Missing(bytes.size() % 23, value.value(), 1001).size(), 20u);
}

// A header of 128 bytes and its payload, as an applicant's frame and as an answer. What was made up can ask
// for a challenge, and never comes through.
void FuzzHandshake(const SArray<char>& bytes) {
  if (bytes.size() < kHeaderBytes) return;
  Frame frame;
  std::memcpy(frame.head.data(), bytes.data(), kHeaderBytes);
  frame.parts[2] = bytes.segment(kHeaderBytes, bytes.size());
  const Result<Header> header = DecodeHeader(frame.head.data(), kHeaderBytes);
  if (!header.ok()) return;
  const Result<HandshakeParts> parts = ReadHandshake(header.value(), frame);
  if (!parts.ok()) return;
  CHECK_LE(parts.value().body.size(), frame.payload_bytes());
  const Handshake closed(kMine, "a token", Digest{1});
  CHECK(closed.Judge(header.value(), parts.value(), "path").verdict != Handshake::Verdict::kProven);
  CHECK(closed.JudgeAnswer(header.value(), parts.value()).verdict != Handshake::Verdict::kProven);
  const Handshake open(kMine, "", Digest{1});
  const auto expected =
      parts.value().proof.has_token ? Handshake::Verdict::kRefused : Handshake::Verdict::kProven;
  CHECK(open.Judge(header.value(), parts.value(), "path").verdict == expected);
  CHECK(open.JudgeAnswer(header.value(), parts.value()).verdict == expected);
}

// Headers of 128 bytes, each followed by its payload as far as there is any.
void FuzzFrames(const SArray<char>& bytes) {
  Admission admission(kMine);
  admission.AdmitScheduler(100);
  DeliveryReceiver delivery;
  Assembler assembler(kLimit);
  const auto* data = reinterpret_cast<const uint8_t*>(bytes.data());
  size_t at = 0;
  while (bytes.size() - at >= kHeaderBytes) {
    const Result<Header> header = DecodeHeader(data + at, kHeaderBytes);
    if (!header.ok()) return;
    Frame frame;
    std::memcpy(frame.head.data(), data + at, kHeaderBytes);
    at += kHeaderBytes;
    const size_t payload = std::min<size_t>(header.value().chunk_length, bytes.size() - at);
    frame.parts[0] = bytes.segment(at, at + payload / 2);
    frame.parts[1] = bytes.segment(at + payload / 2, at + payload);
    at += payload;
    if (admission.Judge(header.value()).verdict != Admission::Verdict::kAccept) continue;
    std::vector<Frame> ready;
    delivery.Accept(header.value().sequence, frame, &ready);
    for (const Frame& next : ready) {
      const Result<Header> kept = DecodeHeader(next.head.data(), kHeaderBytes);
      const auto result = assembler.Add(kept.value(), next);
      if (!result.ok() || !result.value().has_value()) continue;
      uint64_t total = 0;
      for (const SArray<char>& block : result.value()->blocks) total += block.size();
      CHECK_EQ(total, kept.value().total_bytes());
    }
    // One message for each priority that was begun, and the one lane of control, whose bound is its own.
    CHECK_LE(assembler.pending_bytes(), kLimit * (1 + bytes.size() / kHeaderBytes) + (8 << 20));
  }
}

void Fuzz(uint8_t choice, const SArray<char>& bytes) {
  switch (choice % 8) {
    case 0: return FuzzRegistration(bytes);
    case 1: return FuzzRoster(bytes);
    case 2: return FuzzBarrier(bytes);
    case 3: return FuzzHave(bytes);
    case 4: return FuzzFrames(bytes);
    case 5: return FuzzNotice(bytes);
    case 7: return FuzzHandshake(bytes);
    default: return FuzzDeparture(bytes);
  }
}

}  // namespace
}  // namespace ps

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > 0) ps::Fuzz(data[0], ps::Bytes(data + 1, size - 1));
  return 0;
}
