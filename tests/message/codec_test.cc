#include "message/codec.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>

namespace ps {
namespace {

constexpr uint64_t kHuge = std::numeric_limits<uint64_t>::max();

Header FullHeader() {
  Header header;
  header.kind = FrameKind::kData;
  header.flags = kFlagRequest | kFlagPull | kFlagHasBlocks | kFlagHasLens;
  header.sender = 9;
  header.receiver = 0x7fffffff;
  header.sender_incarnation = 0x1122334455667788u;
  header.receiver_incarnation = 0x99aabbccddeeff00u;
  header.app_id = -1;
  header.customer_id = 2;
  header.timestamp = std::numeric_limits<int32_t>::max();
  header.head = std::numeric_limits<int32_t>::min();
  header.priority = -77;
  header.data_type = {UINT64, FLOAT, INT32};
  header.status = static_cast<uint8_t>(StatusCode::kNotFound);
  header.sequence = 5000000000u;
  header.ack = 4999999999u;
  header.credit_requests = 0xfffffffe;
  header.credit_bytes = 0x0102030405060708u;
  header.block_bytes = {80, uint64_t{5} << 30, 40, 7};
  header.chunk_offset = uint64_t{4} << 30;
  header.chunk_length = 1 << 20;
  return header;
}

Result<Header> Decode(const Header& header, const char** reason = nullptr) {
  const HeaderBytes bytes = EncodeHeader(header);
  return DecodeHeader(bytes.data(), bytes.size(), reason);
}

// The reason why a full header is refused after `change`; "" if it is not.
std::string ReasonAfter(const std::function<void(Header*)>& change) {
  Header header = FullHeader();
  change(&header);
  const char* reason = "";
  const Result<Header> decoded = Decode(header, &reason);
  if (decoded.ok()) return "";
  EXPECT_EQ(decoded.status().code(), StatusCode::kInvalidArgument);
  EXPECT_FALSE(decoded.status().message().empty());
  return reason;
}

TEST(CodecTest, EveryFieldSurvivesARoundTrip) {
  const Result<Header> decoded = Decode(FullHeader());
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  const Header& header = decoded.value();
  EXPECT_TRUE(header == FullHeader());
  EXPECT_EQ(header.sender_incarnation, 0x1122334455667788u);
  EXPECT_EQ(header.head, std::numeric_limits<int32_t>::min());
  EXPECT_EQ(header.priority, -77);
  EXPECT_EQ(header.total_bytes(), (uint64_t{5} << 30) + 127);
  EXPECT_EQ(header.chunk_offset, uint64_t{4} << 30);
}

TEST(CodecTest, BytesAreLittleEndianInTheStatedOrder) {
  const HeaderBytes bytes = EncodeHeader(FullHeader());
  EXPECT_EQ(std::string(bytes.begin(), bytes.begin() + 4), "CRVN");
  EXPECT_EQ(bytes[4], kWireVersion);
  EXPECT_EQ(bytes[5], 1);
  EXPECT_EQ(bytes[8], 9);
  EXPECT_EQ(bytes[9], 0);
  EXPECT_EQ(bytes[16], 0x88);
  EXPECT_EQ(bytes[23], 0x11);
  EXPECT_EQ(bytes[80], 0x08);
  EXPECT_EQ(bytes[87], 0x01);
  EXPECT_EQ(bytes[88], 80);
  EXPECT_EQ(bytes[124], 1);
}

TEST(CodecTest, ShortHeadersAreRefusedAtEveryLength) {
  const HeaderBytes bytes = EncodeHeader(FullHeader());
  for (size_t size = 0; size < kHeaderBytes; ++size) {
    const char* reason = "";
    EXPECT_FALSE(DecodeHeader(bytes.data(), size, &reason).ok());
    EXPECT_STREQ(reason, "size");
  }
}

TEST(CodecTest, ForeignBytesAreRefusedWithTheirReason) {
  HeaderBytes bytes = EncodeHeader(FullHeader());
  const char* reason = "";
  bytes[0] ^= 1;
  EXPECT_FALSE(DecodeHeader(bytes.data(), bytes.size(), &reason).ok());
  EXPECT_STREQ(reason, "magic");
  bytes[0] ^= 1;
  bytes[4] = kWireVersion + 1;
  EXPECT_FALSE(DecodeHeader(bytes.data(), bytes.size(), &reason).ok());
  EXPECT_STREQ(reason, "version");
  bytes[4] = kWireVersion;
  for (const uint8_t kind : {0, 8, 255}) {
    bytes[5] = kind;
    EXPECT_FALSE(DecodeHeader(bytes.data(), bytes.size(), &reason).ok());
    EXPECT_STREQ(reason, "kind");
  }
}

TEST(CodecTest, FieldsOutOfRangeAreRefused) {
  EXPECT_EQ(ReasonAfter([](Header*) {}), "");
  EXPECT_EQ(ReasonAfter([](Header* h) { h->data_type[2] = OTHER + 1; }), "field");
  EXPECT_EQ(ReasonAfter([](Header* h) { h->status = static_cast<uint8_t>(StatusCode::kInternal) + 1; }),
            "field");
  EXPECT_EQ(ReasonAfter([](Header* h) { h->flags |= kAllFlags + 1; }), "field");
  EXPECT_EQ(ReasonAfter([](Header* h) { h->flags |= kFlagOneBlock; }), "field");
  EXPECT_EQ(ReasonAfter([](Header* h) { h->flags = kFlagHasLens; }), "field");
  EXPECT_EQ(ReasonAfter([](Header* h) { h->sender = 0x80000000u; }), "field");
  EXPECT_EQ(ReasonAfter([](Header* h) { h->receiver = 0x80000000u; }), "field");
  EXPECT_EQ(ReasonAfter([](Header* h) { h->sequence = 0; }), "field");
}

TEST(CodecTest, ChunksOutsideOfTheirMessageAreRefused) {
  EXPECT_EQ(ReasonAfter([](Header* h) { h->chunk_offset = h->total_bytes(); }), "size");
  EXPECT_EQ(ReasonAfter([](Header* h) { h->chunk_offset = h->total_bytes() - h->chunk_length; }), "");
  EXPECT_EQ(ReasonAfter([](Header* h) { h->chunk_offset = h->total_bytes() - h->chunk_length + 1; }), "size");
  EXPECT_EQ(ReasonAfter([](Header* h) { h->chunk_offset = kHuge; }), "size");
  EXPECT_EQ(ReasonAfter([](Header* h) { h->chunk_length = 0; }), "size");
  EXPECT_EQ(ReasonAfter([](Header* h) { h->block_bytes = {}, h->chunk_offset = 0, h->chunk_length = 0; }),
            "");
  EXPECT_EQ(ReasonAfter([](Header* h) { h->block_bytes = {}, h->chunk_offset = 0, h->chunk_length = 1; }),
            "size");
}

TEST(CodecTest, SizesWhoseSumOverflowsAreRefused) {
  EXPECT_EQ(ReasonAfter([](Header* h) {
              h->block_bytes = {kHuge, 2, 0, 0}, h->chunk_offset = 0, h->chunk_length = 1;
            }),
            "size");
  EXPECT_EQ(ReasonAfter([](Header* h) { h->block_bytes = {kHuge / 2, kHuge / 2, 2, 0}; }), "size");
  EXPECT_EQ(ReasonAfter([](Header* h) { h->block_bytes = {kHuge / 2 + 1, 0, 0, 0}; }), "size");
  EXPECT_EQ(ReasonAfter([](Header* h) { h->block_bytes = {kHuge / 2, 0, 0, 0}; }), "");
}

TEST(CodecTest, FramesThatAreNotSequencedAreOneSmallFrame) {
  const auto ack = [](Header* h) {
    h->kind = FrameKind::kAck, h->sequence = 0, h->block_bytes = {}, h->chunk_offset = 0, h->chunk_length = 0;
  };
  EXPECT_EQ(ReasonAfter(ack), "");
  EXPECT_EQ(ReasonAfter([&](Header* h) { ack(h), h->sequence = 1; }), "field");
  EXPECT_EQ(ReasonAfter([&](Header* h) { ack(h), h->kind = FrameKind::kAsk, h->sequence = 1; }), "");
  EXPECT_EQ(ReasonAfter([&](Header* h) { ack(h), h->block_bytes[3] = h->chunk_length = 8; }), "size");
  EXPECT_EQ(ReasonAfter([&](Header* h) {
              ack(h), h->kind = FrameKind::kHave, h->block_bytes[3] = h->chunk_length = 8;
            }),
            "");
  EXPECT_EQ(ReasonAfter([&](Header* h) {
              ack(h), h->kind = FrameKind::kHandshake, h->block_bytes[3] = 9, h->chunk_length = 8;
            }),
            "size");
}

Message TypicalMessage(size_t num_blocks) {
  Message message;
  message.meta.head = 3;
  message.meta.app_id = 1;
  message.meta.customer_id = 2;
  message.meta.timestamp = 44;
  message.meta.request = message.meta.push = true;
  message.meta.priority = -5;
  message.meta.body = std::string("text\0with zero", 14);
  if (num_blocks > 0) message.AddData(SArray<uint64_t>({1, 2, 3}));
  if (num_blocks > 1) message.AddData(SArray<float>({1, 2, 3, 4, 5, 6}));
  if (num_blocks > 2) message.AddData(SArray<int>({1, 2, 3}));
  return message;
}

Result<Message> RoundTrip(const Message& message) {
  Header header = HeaderOf(message);
  header.sender = 9;
  header.receiver = 8;
  header.sender_incarnation = 1234;
  return MessageOf(header, BlocksOf(message));
}

TEST(CodecTest, MessagesKeepTheirNumberOfBlocks) {
  for (size_t count = 0; count <= kMaxDataBlocks; ++count) {
    const Message message = TypicalMessage(count);
    EXPECT_TRUE(CheckSendable(message).ok());
    const Result<Message> back = RoundTrip(message);
    ASSERT_TRUE(back.ok()) << back.status();
    ASSERT_EQ(back.value().data.size(), count);
    EXPECT_EQ(back.value().meta.data_type, message.meta.data_type);
    EXPECT_EQ(back.value().meta.data_size, message.meta.data_size);
    EXPECT_EQ(back.value().meta.sender, 9);
    EXPECT_EQ(back.value().meta.sender_incarnation, 1234u);
    EXPECT_EQ(back.value().meta.body, message.meta.body);
    EXPECT_EQ(back.value().meta.priority, -5);
  }
}

TEST(CodecTest, EmptyBlocksAreNotNoBlocks) {
  for (size_t count = 0; count <= kMaxDataBlocks; ++count) {
    Message message;
    message.data.resize(count);
    const Result<Message> back = RoundTrip(message);
    ASSERT_TRUE(back.ok()) << back.status();
    EXPECT_EQ(back.value().data.size(), count);
    EXPECT_EQ(back.value().meta.data_size, 0);
  }
}

TEST(CodecTest, BlocksShareTheMemoryOfTheMessage) {
  const Message message = TypicalMessage(3);
  const auto blocks = BlocksOf(message);
  EXPECT_EQ(blocks[kBlockVals].data(), message.data[1].data());
  EXPECT_EQ(std::string(blocks[kBlockBody].data(), blocks[kBlockBody].size()), message.meta.body);
}

TEST(CodecTest, AnAnswerThatSaysNothingMoreIsABareOne) {
  Header header;
  header.flags = kFlagPush;
  header.sender = 8;
  header.timestamp = 5;
  header.app_id = 2;
  header.customer_id = 3;
  header.head = 7;
  header.sender_incarnation = 99;
  BareAnswer answer;
  ASSERT_TRUE(FillBareAnswer(header, &answer));
  EXPECT_EQ(answer.AsMessage().DebugString(), MessageOf(header, Blocks()).value().DebugString());
  EXPECT_EQ(answer.AsMessage().meta.sender_incarnation, 99u);
  for (const uint16_t flag : {kFlagRequest, kFlagSimpleApp, kFlagHasBlocks, kFlagOneBlock}) {
    Header other = header;
    other.flags |= flag;
    EXPECT_FALSE(FillBareAnswer(other, &answer)) << flag;
  }
  Header error = header;
  error.status = static_cast<uint8_t>(StatusCode::kUnavailable);
  EXPECT_FALSE(FillBareAnswer(error, &answer));
  Header text = header;
  text.block_bytes[kBlockBody] = 1;
  EXPECT_FALSE(FillBareAnswer(text, &answer));
}

TEST(CodecTest, UnknownIdsBecomeEmpty) {
  const Result<Message> back = MessageOf(HeaderOf(Message()), {});
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(back.value().meta.sender, Meta::kEmpty);
  EXPECT_EQ(back.value().meta.recver, Meta::kEmpty);
}

TEST(CodecTest, BlocksThatDoNotFitTheirTypeAreRefused) {
  Message message = TypicalMessage(2);
  message.data[1] = message.data[1].segment(0, 23);
  EXPECT_EQ(CheckSendable(message).code(), StatusCode::kInvalidArgument);
  const Result<Message> back = RoundTrip(message);
  ASSERT_FALSE(back.ok());
  EXPECT_NE(back.status().message().find("vals of 23 bytes"), std::string::npos) << back.status();
}

TEST(CodecTest, LensWithoutKeysAreRefused) {
  Message message = TypicalMessage(3);
  message.data[0].clear();
  EXPECT_FALSE(CheckSendable(message).ok());
  EXPECT_FALSE(RoundTrip(message).ok());
}

TEST(CodecTest, BlocksThatDifferFromTheHeaderAreRefused) {
  const Message message = TypicalMessage(2);
  auto blocks = BlocksOf(message);
  blocks[kBlockKeys] = blocks[kBlockKeys].segment(0, 16);
  EXPECT_FALSE(MessageOf(HeaderOf(message), blocks).ok());
  Header header = HeaderOf(message);
  header.flags = 0;
  EXPECT_FALSE(MessageOf(header, BlocksOf(message)).ok());
}

TEST(CodecTest, HandBuiltMessagesBeyondTheWireAreRefused) {
  Message message;
  message.data.resize(4);
  EXPECT_FALSE(CheckSendable(message).ok());
  message.data.resize(1);
  message.meta.data_type = {static_cast<DataType>(200)};
  EXPECT_FALSE(CheckSendable(message).ok());
}

TEST(CodecTest, SizesAboveFourGibibytesAreKept) {
  Header header;
  header.block_bytes[kBlockVals] = uint64_t{6} << 30;
  header.flags = kFlagHasBlocks;
  header.sequence = 1;
  header.chunk_offset = uint64_t{5} << 30;
  header.chunk_length = 4096;
  const Result<Header> decoded = Decode(header);
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_EQ(decoded.value().block_bytes[kBlockVals], uint64_t{6} << 30);
}

}  // namespace
}  // namespace ps
