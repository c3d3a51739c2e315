#include "van/assembler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <optional>
#include <random>
#include <string>

#include "van/send_queue.h"

namespace ps {
namespace {

constexpr uint64_t kLimit = 1 << 20;

SArray<char> Bytes(const std::string& text) {
  SArray<char> bytes;
  bytes.CopyFrom(text.data(), text.size());
  return bytes;
}

Header HeaderWith(const std::array<uint64_t, kNumBlocks>& block_bytes, uint64_t offset, uint32_t length) {
  Header header;
  header.sender = 9;
  header.block_bytes = block_bytes;
  header.chunk_offset = offset;
  header.chunk_length = length;
  return header;
}

Frame FrameWith(const std::vector<std::string>& parts) {
  Frame frame;
  for (size_t i = 0; i < parts.size(); ++i) frame.parts[i] = Bytes(parts[i]);
  return frame;
}

std::string Text(const SArray<char>& block) { return std::string(block.data(), block.size()); }

// The message, when it is complete.
Assembler::Complete MustComplete(Assembler* assembler, const Header& header, const Frame& frame) {
  Result<std::optional<Assembler::Complete>> result = assembler->Add(header, frame);
  EXPECT_TRUE(result.ok()) << result.status();
  if (!result.ok() || !result.value().has_value()) {
    ADD_FAILURE() << "not complete";
    return {};
  }
  return *result.value();
}

void MustWait(Assembler* assembler, const Header& header, const Frame& frame) {
  const Result<std::optional<Assembler::Complete>> result = assembler->Add(header, frame);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_FALSE(result.value().has_value());
}

Status MustFail(Assembler* assembler, const Header& header, const Frame& frame) {
  const Result<std::optional<Assembler::Complete>> result = assembler->Add(header, frame);
  EXPECT_FALSE(result.ok());
  return result.status();
}

void MustBeOutOfPlace(Assembler* assembler, const Header& header, const Frame& frame) {
  EXPECT_EQ(MustFail(assembler, header, frame).code(), StatusCode::kInvalidArgument);
}

TEST(AssemblerTest, OneFrameIsOneMessageHoweverItIsCut) {
  const Header header = HeaderWith({3, 4, 0, 1}, 0, 8);
  for (const std::vector<std::string>& parts : {std::vector<std::string>{"abc", "defg", "", "h"},
                                                {"abcdefgh"},
                                                {"a", "bcdef", "g", "h"},
                                                {"", "", "", "abcdefgh"}}) {
    Assembler assembler(kLimit);
    const Assembler::Complete message = MustComplete(&assembler, header, FrameWith(parts));
    EXPECT_EQ(Text(message.blocks[0]), "abc");
    EXPECT_EQ(Text(message.blocks[1]), "defg");
    EXPECT_EQ(Text(message.blocks[2]), "");
    EXPECT_EQ(Text(message.blocks[3]), "h");
    EXPECT_EQ(message.header.sender, 9u);
    EXPECT_EQ(assembler.copied_bytes(), 8u);
    EXPECT_EQ(assembler.pending_bytes(), 0u);
  }
}

TEST(AssemblerTest, BlocksAreAlignedAndBelongToTheReceiver) {
  Assembler assembler(kLimit);
  const Frame frame = FrameWith({"xabc", "defgh"});
  const Assembler::Complete message = MustComplete(&assembler, HeaderWith({1, 3, 4, 1}, 0, 9), frame);
  for (const SArray<char>& block : message.blocks)
    EXPECT_EQ(reinterpret_cast<uintptr_t>(block.data()) % 64, 0u);
  frame.parts[0].data()[1] = '!';
  EXPECT_EQ(Text(message.blocks[1]), "abc");
}

TEST(AssemblerTest, EachBlockMayBeWrittenAndKeptWithoutTheOthers) {
  for (const size_t large : {size_t{1}, size_t{64}, size_t{1900}, size_t{3000}, size_t{70000}}) {
    Assembler assembler(kLimit);
    const std::array<uint64_t, kNumBlocks> sizes = {65, large, 0, 3};
    const uint64_t total = 68 + large;
    const Frame frame = FrameWith({std::string(65, 'k'), std::string(large, 'v'), "", "bod"});
    Assembler::Complete message =
        MustComplete(&assembler, HeaderWith(sizes, 0, static_cast<uint32_t>(total)), frame);
    for (const SArray<char>& block : message.blocks)
      EXPECT_EQ(reinterpret_cast<uintptr_t>(block.data()) % 64, 0u);
    std::fill(message.blocks[1].begin(), message.blocks[1].end(), '!');
    EXPECT_EQ(Text(message.blocks[0]), std::string(65, 'k'));
    EXPECT_EQ(Text(message.blocks[3]), "bod");
    const SArray<char> kept = message.blocks[3];
    message = Assembler::Complete();
    EXPECT_EQ(Text(kept), "bod");
  }
}

TEST(AssemblerTest, ChunksOfALargeMessageComeTogether) {
  Assembler assembler(kLimit);
  const std::array<uint64_t, kNumBlocks> sizes = {3, 4, 0, 2};
  MustWait(&assembler, HeaderWith(sizes, 0, 5), FrameWith({"ab", "cde"}));
  EXPECT_EQ(assembler.pending_bytes(), 9u);
  MustWait(&assembler, HeaderWith(sizes, 5, 1), FrameWith({"f"}));
  const Assembler::Complete message =
      MustComplete(&assembler, HeaderWith(sizes, 6, 3), FrameWith({"g", "hi"}));
  EXPECT_EQ(Text(message.blocks[0]), "abc");
  EXPECT_EQ(Text(message.blocks[1]), "defg");
  EXPECT_EQ(Text(message.blocks[3]), "hi");
  EXPECT_EQ(assembler.pending_bytes(), 0u);
}

TEST(AssemblerTest, ChunksOfDifferentPrioritiesMayInterleave) {
  Assembler assembler(kLimit);
  Header low = HeaderWith({4, 0, 0, 0}, 0, 2);
  Header high = low;
  high.priority = 5;
  Header control = low;
  control.kind = FrameKind::kControl;
  MustWait(&assembler, low, FrameWith({"ab"}));
  MustWait(&assembler, high, FrameWith({"AB"}));
  MustWait(&assembler, control, FrameWith({"12"}));
  for (Header* header : {&low, &high, &control}) header->chunk_offset = 2;
  EXPECT_EQ(Text(MustComplete(&assembler, low, FrameWith({"cd"})).blocks[0]), "abcd");
  EXPECT_EQ(Text(MustComplete(&assembler, control, FrameWith({"34"})).blocks[0]), "1234");
  EXPECT_EQ(Text(MustComplete(&assembler, high, FrameWith({"CD"})).blocks[0]), "ABCD");
}

TEST(AssemblerTest, AMessageWithoutBytesIsCompleteAtOnce) {
  Assembler assembler(kLimit);
  const Assembler::Complete message = MustComplete(&assembler, HeaderWith({0, 0, 0, 0}, 0, 0), Frame());
  for (const SArray<char>& block : message.blocks) EXPECT_TRUE(block.empty());
}

TEST(AssemblerTest, AClaimOverTheLimitIsRefusedOnceAndItsChunksAreSwallowed) {
  Assembler assembler(10);
  const std::array<uint64_t, kNumBlocks> sizes = {8, 3, 0, 0};
  const Status refused = MustFail(&assembler, HeaderWith(sizes, 0, 4), FrameWith({"abcd"}));
  EXPECT_EQ(refused.code(), StatusCode::kResourceExhausted);
  EXPECT_NE(refused.message().find("PS_MAX_MESSAGE_BYTES"), std::string::npos);
  EXPECT_NE(refused.message().find("worker 0"), std::string::npos);
  EXPECT_EQ(assembler.pending_bytes(), 0u);
  MustWait(&assembler, HeaderWith(sizes, 4, 4), FrameWith({"efgh"}));
  MustWait(&assembler, HeaderWith(sizes, 8, 3), FrameWith({"ijk"}));
  EXPECT_EQ(Text(MustComplete(&assembler, HeaderWith({2, 0, 0, 0}, 0, 2), FrameWith({"ok"})).blocks[0]),
            "ok");
  EXPECT_EQ(assembler.copied_bytes(), 2u);
}

TEST(AssemblerTest, TooManyBegunMessagesAreRefusedUntilOneIsComplete) {
  Assembler assembler(kLimit);
  Header begun = HeaderWith({4, 0, 0, 0}, 0, 2);
  constexpr int kMost = 1024;
  for (begun.priority = 0; begun.priority < kMost; ++begun.priority) {
    MustWait(&assembler, begun, FrameWith({"ab"}));
  }
  EXPECT_EQ(MustFail(&assembler, begun, FrameWith({"ab"})).code(), StatusCode::kResourceExhausted);
  EXPECT_EQ(assembler.pending_bytes(), uint64_t{4} * kMost);
  Header whole = HeaderWith({2, 0, 0, 0}, 0, 2);
  whole.priority = kMost;
  MustComplete(&assembler, whole, FrameWith({"ok"}));
  Header rest = HeaderWith({4, 0, 0, 0}, 2, 2);
  rest.priority = 7;
  EXPECT_EQ(Text(MustComplete(&assembler, rest, FrameWith({"cd"})).blocks[0]), "abcd");
  MustWait(&assembler, begun, FrameWith({"ab"}));
}

TEST(AssemblerTest, AMessageAsLargeAsTheLimitPasses) {
  Assembler assembler(4);
  MustComplete(&assembler, HeaderWith({2, 2, 0, 0}, 0, 4), FrameWith({"abcd"}));
}

TEST(AssemblerTest, WhatThisMachineCannotHoldIsRefused) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer's allocator ends the process instead of throwing";
#endif
  Assembler assembler(~uint64_t{0});
  const Status refused =
      MustFail(&assembler, HeaderWith({1, uint64_t{1} << 60, 0, 0}, 0, 2), FrameWith({"ab"}));
  EXPECT_EQ(refused.code(), StatusCode::kResourceExhausted);
  EXPECT_EQ(assembler.pending_bytes(), 0u);
}

TEST(AssemblerTest, PayloadAndHeaderMustAgree) {
  Assembler assembler(kLimit);
  MustBeOutOfPlace(&assembler, HeaderWith({4, 0, 0, 0}, 0, 4), FrameWith({"abc"}));
  MustBeOutOfPlace(&assembler, HeaderWith({4, 0, 0, 0}, 0, 3), FrameWith({"abcd"}));
  MustBeOutOfPlace(&assembler, HeaderWith({4, 0, 0, 0}, 0, 5), FrameWith({"abcde"}));
  MustBeOutOfPlace(&assembler, HeaderWith({4, 0, 0, 0}, 0, 0), Frame());
}

TEST(AssemblerTest, AChunkOutOfPlaceEndsItsMessageAndNothingElse) {
  Assembler assembler(kLimit);
  const std::array<uint64_t, kNumBlocks> sizes = {6, 0, 0, 0};
  Header other = HeaderWith(sizes, 0, 2);
  other.priority = 1;
  MustWait(&assembler, other, FrameWith({"xy"}));
  MustBeOutOfPlace(&assembler, HeaderWith(sizes, 2, 2), FrameWith({"cd"}));
  MustWait(&assembler, HeaderWith(sizes, 0, 2), FrameWith({"ab"}));
  MustBeOutOfPlace(&assembler, HeaderWith(sizes, 4, 2), FrameWith({"ef"}));
  MustWait(&assembler, HeaderWith(sizes, 0, 2), FrameWith({"ab"}));
  Header changed = HeaderWith({6, 1, 0, 0}, 2, 2);
  MustBeOutOfPlace(&assembler, changed, FrameWith({"cd"}));
  MustWait(&assembler, HeaderWith(sizes, 0, 2), FrameWith({"ab"}));
  MustBeOutOfPlace(&assembler, HeaderWith(sizes, 2, 5), FrameWith({"cdefg"}));
  EXPECT_EQ(assembler.pending_bytes(), 6u);
  other.chunk_offset = 2;
  other.chunk_length = 4;
  EXPECT_EQ(Text(MustComplete(&assembler, other, FrameWith({"zabc"})).blocks[0]), "xyzabc");
}

TEST(AssemblerTest, SequenceAcknowledgementAndCreditsMayDifferBetweenChunks) {
  Assembler assembler(kLimit);
  Header header = HeaderWith({4, 0, 0, 0}, 0, 2);
  header.sequence = 5;
  MustWait(&assembler, header, FrameWith({"ab"}));
  header.chunk_offset = 2;
  header.sequence = 6;
  header.ack = 3;
  header.credit_requests = 1;
  header.credit_bytes = 8;
  MustComplete(&assembler, header, FrameWith({"cd"}));
}

TEST(AssemblerTest, TheShortWayIsForWholeMessagesWithinTheLimitsWhileNoneIsBegun) {
  Assembler assembler(kLimit);
  std::array<SArray<char>, kNumBlocks> blocks;
  EXPECT_TRUE(assembler.TakeWhole(HeaderWith({2, 0, 1, 0}, 0, 3), FrameWith({"a", "bc"}), &blocks));
  EXPECT_EQ(Text(blocks[0]) + "," + Text(blocks[1]) + "," + Text(blocks[2]), "ab,,c");
  EXPECT_EQ(assembler.copied_bytes(), 3u);
  blocks = {};
  const Header first = HeaderWith({4, 0, 0, 0}, 0, 2);
  EXPECT_FALSE(assembler.TakeWhole(first, FrameWith({"ab"}), &blocks)) << "a chunk";
  EXPECT_FALSE(assembler.TakeWhole(HeaderWith({2, 0, 0, 0}, 0, 2), FrameWith({"a"}), &blocks));
  EXPECT_FALSE(assembler.TakeWhole(HeaderWith({kLimit + 1, 0, 0, 0}, 0, kLimit + 1),
                                   FrameWith({std::string(kLimit + 1, 'x')}), &blocks));
  ASSERT_TRUE(assembler.Add(first, FrameWith({"ab"})).ok());
  EXPECT_FALSE(assembler.TakeWhole(HeaderWith({2, 0, 0, 0}, 0, 2), FrameWith({"ab"}), &blocks)) << "begun";
  assembler.Clear();
  EXPECT_EQ(assembler.pending_bytes(), 0u);
  EXPECT_TRUE(assembler.TakeWhole(HeaderWith({2, 0, 0, 0}, 0, 2), FrameWith({"ab"}), &blocks));
  EXPECT_EQ(Text(blocks[0]), "ab");
}

using Texts = std::array<std::string, kNumBlocks>;

Outgoing RandomMessage(int timestamp, std::mt19937* random, Texts* texts) {
  Outgoing message;
  message.header.timestamp = timestamp;
  message.header.priority = static_cast<int>((*random)() % 3);
  message.header.kind = (*random)() % 5 == 0 ? FrameKind::kControl : FrameKind::kData;
  for (int i = 0; i < kNumBlocks; ++i) {
    std::string& text = (*texts)[i];
    text.resize((*random)() % 4 == 0 ? 0 : (*random)() % 60);
    std::generate(text.begin(), text.end(), [&] { return static_cast<char>((*random)()); });
    message.blocks[i] = Bytes(text);
    message.header.block_bytes[i] = text.size();
  }
  return message;
}

// Moves the next chunk; the message, if it was its last.
std::optional<Assembler::Complete> MoveChunk(SendQueue* queue, Assembler* assembler, bool short_way) {
  const SendQueue::Chunk chunk = queue->Next();
  Frame frame;
  frame.parts = chunk.parts;
  queue->Advance();
  Assembler::Complete whole{chunk.header, {}};
  if (short_way && assembler->TakeWhole(chunk.header, frame, &whole.blocks)) {
    EXPECT_TRUE(chunk.last);
    return whole;
  }
  const Result<std::optional<Assembler::Complete>> result = assembler->Add(chunk.header, frame);
  EXPECT_TRUE(result.ok()) << result.status();
  if (!result.ok()) return std::nullopt;
  EXPECT_EQ(result.value().has_value(), chunk.last);
  return result.value();
}

// What a SendQueue cuts, an Assembler puts together, whatever the sizes, the chunk and the priorities.
TEST(AssemblerTest, PutsTogetherWhatASendQueueCuts) {
  for (uint32_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    SendQueue queue(1 + random() % 50);
    Assembler assembler(kLimit);
    std::vector<Texts> sent;
    int complete = 0;
    while (sent.size() < 100 || !queue.empty()) {
      if (queue.empty() || (sent.size() < 100 && random() % 4 == 0)) {
        const int timestamp = static_cast<int>(sent.size());
        queue.Push(RandomMessage(timestamp, &random, &sent.emplace_back()));
      }
      const std::optional<Assembler::Complete> message = MoveChunk(&queue, &assembler, seed % 2 == 0);
      if (!message.has_value()) continue;
      ++complete;
      const Texts& texts = sent[message->header.timestamp];
      for (int i = 0; i < kNumBlocks; ++i) EXPECT_EQ(Text(message->blocks[i]), texts[i]);
    }
    EXPECT_EQ(complete, 100);
    EXPECT_EQ(assembler.pending_bytes(), 0u);
  }
}

// A message with 4 keys, values that the sender lends piece by piece, and a body.
class BorrowingAssemblerTest : public testing::Test {
 protected:
  static constexpr uint64_t kValues = 20;

  // The values [begin, end), with the keys if they are the first, and the body if they are the last.
  Result<std::optional<Assembler::Complete>> Add(uint64_t begin, uint64_t end, bool is_lent = true) {
    Frame frame;
    if (begin == 0) frame.parts[0] = Bytes("keys");
    frame.parts[1] = values_.segment(begin, end);
    if (end == kValues) frame.parts[3] = Bytes("bo");
    frame.lent = is_lent ? 2 : 0;
    const uint64_t at = begin == 0 ? 0 : 4 + begin;
    return assembler_.Add(HeaderWith({4, kValues, 0, 2}, at, static_cast<uint32_t>(frame.payload_bytes())),
                          frame);
  }
  void Check(const Result<std::optional<Assembler::Complete>>& added, bool borrowed) {
    ASSERT_TRUE(added.ok() && added.value().has_value());
    const Assembler::Complete& message = *added.value();
    EXPECT_EQ(message.borrowed, borrowed);
    EXPECT_EQ(message.blocks[kBlockVals].data() == values_.data(), borrowed);
    EXPECT_EQ(Text(message.blocks[kBlockKeys]), "keys");
    EXPECT_EQ(Text(message.blocks[kBlockVals]), Text(values_));
    EXPECT_EQ(Text(message.blocks[kBlockBody]), "bo");
    EXPECT_EQ(assembler_.copied_bytes(), borrowed ? 6 : 6 + kValues);
    EXPECT_EQ(assembler_.pending_bytes(), 0u);
  }

  const SArray<char> values_ = Bytes("abcdefghijklmnopqrst");
  bool borrows_ = true;
  Assembler assembler_{kLimit, [this](const Header&) { return borrows_; }};
};

TEST_F(BorrowingAssemblerTest, ValuesInOnePieceAreNotCopied) { Check(Add(0, kValues), true); }

TEST_F(BorrowingAssemblerTest, ChunksThatFollowEachOtherAreOnePiece) {
  EXPECT_FALSE(Add(0, 8).value().has_value());
  EXPECT_FALSE(Add(8, 16).value().has_value());
  Check(Add(16, kValues), true);
}

TEST_F(BorrowingAssemblerTest, TheMemoryIsKeptAsLongAsTheValues) {
  EXPECT_FALSE(Add(0, 8).value().has_value());
  const long before = values_.ptr().use_count();
  {
    const Result<std::optional<Assembler::Complete>> added = Add(8, kValues);
    const SArray<char> part = added.value()->blocks[kBlockVals].segment(1, 2);
    EXPECT_GT(values_.ptr().use_count(), 1);
    EXPECT_EQ(Text(part), "b");
  }
  EXPECT_LT(values_.ptr().use_count(), before);
  EXPECT_EQ(values_.ptr().use_count(), 1);
}

TEST_F(BorrowingAssemblerTest, WhoDoesNotBorrowGetsACopy) {
  borrows_ = false;
  Check(Add(0, kValues), false);
}

TEST_F(BorrowingAssemblerTest, WhatIsNotLentAfterAllIsCopiedWithWhatWas) {
  EXPECT_FALSE(Add(0, 8).value().has_value());
  EXPECT_FALSE(Add(8, 16, false).value().has_value());
  Check(Add(16, kValues), false);
}

TEST_F(BorrowingAssemblerTest, PiecesThatLieApartAreCopied) {
  EXPECT_FALSE(Add(0, 8).value().has_value());
  Frame frame = FrameWith({"", "ijklmnopqrst", "", "bo"});
  frame.lent = 2;
  Check(assembler_.Add(HeaderWith({4, kValues, 0, 2}, 12, 14), frame), false);
}

TEST_F(BorrowingAssemblerTest, ALentPieceThatIsNotOfTheValuesIsCopied) {
  Frame frame = FrameWith({"keysabcdefghijklmnopqrstbo"});
  frame.lent = 1;
  Check(assembler_.Add(HeaderWith({4, kValues, 0, 2}, 0, 26), frame), false);
}

}  // namespace
}  // namespace ps
