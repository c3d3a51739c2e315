#include "van/send_queue.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <vector>

namespace ps {
namespace {

SArray<char> Bytes(const std::string& text) {
  SArray<char> bytes;
  bytes.CopyFrom(text.data(), text.size());
  return bytes;
}

Outgoing MessageOf(int timestamp, int priority,
                   const std::array<std::string, kNumBlocks>& blocks = {"k", "v", "", ""}) {
  Outgoing message;
  message.header.flags = kFlagRequest;
  message.header.timestamp = timestamp;
  message.header.priority = priority;
  for (int i = 0; i < kNumBlocks; ++i) {
    message.blocks[i] = Bytes(blocks[i]);
    message.header.block_bytes[i] = blocks[i].size();
  }
  return message;
}

Outgoing ControlOf(int timestamp, const std::string& body) {
  Outgoing message = MessageOf(timestamp, 0, {"", "", "", body});
  message.header.kind = FrameKind::kControl;
  message.header.flags = 0;
  return message;
}

Outgoing ResponseOf(int timestamp, size_t bytes) {
  Outgoing message = MessageOf(timestamp, 0, {"", std::string(bytes, 'r'), "", ""});
  message.header.flags = 0;
  return message;
}

std::string PayloadOf(const SendQueue::Chunk& chunk) {
  std::string payload;
  for (const SArray<char>& part : chunk.parts) payload.append(part.data(), part.size());
  return payload;
}

// Timestamps in the order the queue hands messages out.
std::vector<int> Drain(SendQueue* queue) {
  std::vector<int> order;
  while (!queue->empty()) {
    const SendQueue::Chunk chunk = queue->Next();
    if (chunk.last) order.push_back(chunk.header.timestamp);
    queue->Advance();
  }
  return order;
}

TEST(SendQueueTest, HigherPriorityFirstAndInsideOneInTheOrderOfPush) {
  SendQueue queue(100);
  queue.Push(MessageOf(0, 0));
  queue.Push(MessageOf(1, -5));
  queue.Push(MessageOf(2, 3));
  queue.Push(MessageOf(3, 0));
  queue.Push(MessageOf(4, 3));
  EXPECT_EQ(queue.size(), 5u);
  EXPECT_EQ(Drain(&queue), std::vector<int>({2, 4, 0, 3, 1}));
  EXPECT_TRUE(queue.empty());
}

TEST(SendQueueTest, ControlGoesBeforeAllDataWhateverItsPriority) {
  SendQueue queue(100);
  queue.Push(MessageOf(0, 100));
  queue.Push(ControlOf(1, "a"));
  queue.Push(ControlOf(2, "b"));
  EXPECT_EQ(Drain(&queue), std::vector<int>({1, 2, 0}));
}

TEST(SendQueueTest, ChunksRunOverTheBlocksLaidEndToEnd) {
  SendQueue queue(4);
  queue.Push(MessageOf(0, 0, {"abc", "defgh", "", "ij"}));
  std::string all;
  std::vector<uint64_t> offsets;
  std::vector<uint32_t> lengths;
  while (!queue.empty()) {
    const SendQueue::Chunk chunk = queue.Next();
    EXPECT_EQ(PayloadOf(chunk).size(), chunk.header.chunk_length);
    EXPECT_EQ(chunk.header.block_bytes, (std::array<uint64_t, kNumBlocks>{3, 5, 0, 2}));
    all += PayloadOf(chunk);
    offsets.push_back(chunk.header.chunk_offset);
    lengths.push_back(chunk.header.chunk_length);
    EXPECT_EQ(chunk.last, all.size() == 10);
    queue.Advance();
  }
  EXPECT_EQ(all, "abcdefghij");
  EXPECT_EQ(offsets, std::vector<uint64_t>({0, 4, 8}));
  EXPECT_EQ(lengths, std::vector<uint32_t>({4, 4, 2}));
}

TEST(SendQueueTest, PiecesAreSmallerThanChunksAndNeverLarger) {
  const auto lengths = [](uint64_t chunk_bytes, uint64_t first_pieces, uint64_t later_pieces) {
    SendQueue queue(chunk_bytes);
    queue.Push(MessageOf(1, 0, {"", std::string(20, 'v'), "", ""}));
    queue.set_piece_bytes(first_pieces);
    std::vector<uint64_t> found;
    while (!queue.empty()) {
      found.push_back(queue.Next().header.chunk_length);
      queue.Advance();
      queue.set_piece_bytes(later_pieces);
    }
    return found;
  };
  EXPECT_EQ(lengths(10, 8, 8), (std::vector<uint64_t>{8, 8, 4}));
  EXPECT_EQ(lengths(10, 100, 100), (std::vector<uint64_t>{10, 10}));
  EXPECT_EQ(lengths(10, 6, 100), (std::vector<uint64_t>{6, 10, 4})) << "the link is another one";
}

TEST(SendQueueTest, PartsShareTheMemoryOfTheBlocks) {
  SendQueue queue(4);
  const Outgoing message = MessageOf(0, 0, {"abcdefgh", "", "", ""});
  const char* memory = message.blocks[kBlockKeys].data();
  queue.Push(message);
  queue.Advance();
  EXPECT_EQ(queue.Next().parts[kBlockKeys].data(), memory + 4);
}

TEST(SendQueueTest, AMessageWithoutBytesIsOneEmptyLastChunk) {
  SendQueue queue(4);
  queue.Push(MessageOf(7, 0, {"", "", "", ""}));
  const SendQueue::Chunk chunk = queue.Next();
  EXPECT_EQ(chunk.header.chunk_length, 0u);
  EXPECT_TRUE(chunk.last);
  queue.Advance();
  EXPECT_TRUE(queue.empty());
}

TEST(SendQueueTest, NextChangesNothingUntilAdvance) {
  SendQueue queue(2);
  queue.Push(MessageOf(0, 0, {"abcd", "", "", ""}));
  EXPECT_EQ(PayloadOf(queue.Next()), "ab");
  EXPECT_EQ(PayloadOf(queue.Next()), "ab");
  queue.Advance();
  EXPECT_EQ(PayloadOf(queue.Next()), "cd");
}

TEST(SendQueueTest, AHigherPriorityOvertakesBetweenTwoChunks) {
  SendQueue queue(2);
  queue.Push(MessageOf(0, 0, {"abcd", "", "", ""}));
  queue.Advance();
  queue.Push(MessageOf(1, 5, {"xy", "", "", ""}));
  EXPECT_EQ(queue.Next().header.timestamp, 1);
  queue.Advance();
  EXPECT_EQ(queue.Next().header.chunk_offset, 2u);
  EXPECT_EQ(PayloadOf(queue.Next()), "cd");
}

TEST(SendQueueTest, ALaterMessageOfTheSamePriorityWaitsForAllChunks) {
  SendQueue queue(2);
  queue.Push(MessageOf(0, 0, {"abcdef", "", "", ""}));
  queue.Advance();
  queue.Push(MessageOf(1, 0, {"xy", "", "", ""}));
  EXPECT_EQ(Drain(&queue), std::vector<int>({0, 1}));
}

TEST(SendQueueTest, RemovesOnlyWhatMatchesAndHasNotBegun) {
  SendQueue queue(2);
  queue.Push(MessageOf(0, 0, {"abcd", "", "", ""}));
  queue.Push(MessageOf(1, 0));
  queue.Push(MessageOf(2, 0));
  queue.Push(MessageOf(3, 9, {"", "", "", ""}));
  queue.Push(ControlOf(4, "c"));
  queue.Advance();  // the control message
  queue.Advance();  // the one of priority 9
  queue.Advance();  // half of 0
  queue.Push(ControlOf(5, "d"));
  const std::vector<Outgoing> removed =
      queue.Remove([](const Outgoing& m) { return m.header.timestamp != 2; });
  ASSERT_EQ(removed.size(), 2u);
  EXPECT_EQ(removed[0].header.timestamp, 5);
  EXPECT_EQ(removed[1].header.timestamp, 1);
  EXPECT_EQ(removed[1].blocks[kBlockVals].size(), 1u);
  EXPECT_EQ(Drain(&queue), std::vector<int>({0, 2}));
}

TEST(SendQueueTest, VisitsWhatHasBegunAndMayChangeWhereItsBytesLie) {
  SendQueue queue(2);
  queue.Push(MessageOf(0, 0, {"abcd", "", "", ""}));
  queue.Push(MessageOf(1, 0));
  queue.Advance();
  queue.Push(ControlOf(2, "xyz"));
  queue.Advance();
  queue.Push(ControlOf(3, "c"));
  std::vector<int> begun;
  queue.ForEachBegun([&begun](Outgoing& message) {
    begun.push_back(message.header.timestamp);
    for (SArray<char>& block : message.blocks) block = Bytes(std::string(block.size(), '!'));
  });
  EXPECT_EQ(begun, std::vector<int>({2, 0}));
  EXPECT_EQ(PayloadOf(queue.Next()), "!");
}

TEST(SendQueueTest, CountsTheBytesOfResponsesThatWait) {
  SendQueue queue(6);
  queue.Push(ResponseOf(0, 10));
  queue.Push(ResponseOf(1, 5));
  queue.Push(MessageOf(2, 0));
  EXPECT_EQ(queue.response_bytes(), 15u);
  queue.Advance();
  EXPECT_EQ(queue.response_bytes(), 9u);
  queue.Remove([](const Outgoing& m) { return m.header.timestamp == 1; });
  EXPECT_EQ(queue.response_bytes(), 4u);
  Drain(&queue);
  EXPECT_EQ(queue.response_bytes(), 0u);
}

TEST(SendQueueTest, VisitsWhatIsPartlySentAndSendsTheRestOfTheCopies) {
  SendQueue queue(2);
  queue.Push(MessageOf(1, 0, {"", "abcd", "", ""}));
  queue.Push(MessageOf(2, 0, {"", "waits", "", ""}));
  queue.Advance();
  queue.Push(MessageOf(3, 1, {"", "urgent", "", ""}));
  queue.Advance();
  std::vector<int> begun;
  queue.ForEachBegun([&](Outgoing& message) {
    begun.push_back(message.header.timestamp);
    message.blocks[kBlockVals] = Bytes(message.header.timestamp == 1 ? "ABCD" : "URGENT");
  });
  EXPECT_EQ(begun, (std::vector<int>{3, 1}));
  EXPECT_EQ(PayloadOf(queue.Next()), "GE");
  queue.Advance();
  queue.Advance();
  EXPECT_EQ(PayloadOf(queue.Next()), "CD");
}

// Random pushes between chunks: per priority messages leave in the order of push, and every byte leaves once.
TEST(SendQueueTest, NeverReordersInsideAPriority) {
  for (uint32_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    SendQueue queue(1 + random() % 7);
    int pushed = 0;
    uint64_t bytes_in = 0;
    uint64_t bytes_out = 0;
    std::map<int, int> last_of_priority;
    while (pushed < 500 || !queue.empty()) {
      if (pushed < 500 && (queue.empty() || random() % 3 == 0)) {
        const std::string text(random() % 20, 'x');
        bytes_in += 2 * text.size();
        queue.Push(MessageOf(++pushed, static_cast<int>(random() % 3), {text, "", text, ""}));
        continue;
      }
      const SendQueue::Chunk chunk = queue.Next();
      bytes_out += chunk.header.chunk_length;
      int& last = last_of_priority[chunk.header.priority];
      ASSERT_GE(chunk.header.timestamp, last);
      last = chunk.header.timestamp;
      queue.Advance();
    }
    EXPECT_EQ(bytes_in, bytes_out);
  }
}

}  // namespace
}  // namespace ps
