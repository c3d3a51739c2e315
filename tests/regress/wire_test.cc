// Defects of the original in what goes over the wire, by their ids in the specification.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "message/codec.h"
#include "tests/support/memory.h"
#include "tests/support/transport_endpoint.h"
#include "tests/support/watchdog.h"
#include "transport/zmq/socket.h"
#include "transport/zmq/zmq_transport.h"

namespace ps {
namespace {

TEST(RegressB17, SizesAreSixtyFourBitsWide) {
  Header header;
  header.flags = kFlagHasBlocks;
  header.block_bytes = {uint64_t{3} << 30, uint64_t{9} << 30, 0, 0};
  header.sequence = 1;
  header.chunk_offset = uint64_t{11} << 30;
  header.chunk_length = 1 << 20;
  const HeaderBytes bytes = EncodeHeader(header);
  const Result<Header> decoded = DecodeHeader(bytes.data(), bytes.size());
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_EQ(decoded.value().total_bytes(), uint64_t{12} << 30);
  EXPECT_EQ(decoded.value().chunk_offset, uint64_t{11} << 30);
  EXPECT_EQ(sizeof(Meta::data_size), 8u);
}

TEST(RegressB27, ElementTypesReachTheReceiver) {
  Message message;
  message.AddData(SArray<uint64_t>({1, 2}));
  message.AddData(SArray<float>({1, 2}));
  const Result<Message> received = MessageOf(HeaderOf(message), BlocksOf(message));
  ASSERT_TRUE(received.ok()) << received.status();
  EXPECT_EQ(received.value().meta.data_type, (std::vector<DataType>{UINT64, FLOAT}));
}

TEST(RegressB28, AFreshMessageIsTheSameEveryTime) {
  // Memory with old contents: a field without a value would show them.
  const auto fresh = [](int filler) {
    std::vector<unsigned char> storage(sizeof(Message) + alignof(Message),
                                       static_cast<unsigned char>(filler));
    void* at = storage.data();
    size_t room = storage.size();
    Message* message = new (std::align(alignof(Message), sizeof(Message), at, room)) Message;
    const HeaderBytes bytes = EncodeHeader(HeaderOf(*message));
    const std::string text = message->DebugString() + std::to_string(message->meta.control.barrier_group);
    message->~Message();
    return text + std::string(bytes.begin(), bytes.end());
  };
  EXPECT_EQ(fresh(0x00), fresh(0xff));
}

TEST(RegressB70, EmptyAndForeignFramesAreCountedAndDropped) {
  if (UnderThreadSanitizer()) GTEST_SKIP() << "libzmq is not instrumented";
  Watchdog watchdog;
  Endpoint receiver(MakeZmqTransport(ZmqOptions()).value());
  const Address address = receiver.Listen({"127.0.0.1", 0});
  const auto context = ZmqContext::Make(1).value();
  {
    const auto stranger = ZmqSocket::Open(*context, ZMQ_DEALER).value();
    ASSERT_EQ(stranger->Connect("tcp://" + address.ToString()), 0);
    for (const std::string& bytes : {std::string(), std::string("ping"), std::string(127, 'x')}) {
      ZmqMessage message(bytes.data(), bytes.size());
      ASSERT_EQ(stranger->Send(&message, false), IoResult::kDone);
    }
    EXPECT_TRUE(receiver.PollUntil([&] { return receiver.NumDropped(Counter::kRejectedMalformed) == 3; }));
  }
  EXPECT_TRUE(receiver.frames.empty());
}

TEST(RegressB70, HeadersFromStrangersAreRefusedByName) {
  Header header;
  header.sequence = 1;
  HeaderBytes bytes = EncodeHeader(header);
  for (size_t at = 0; at < 6; ++at) {
    HeaderBytes broken = bytes;
    broken[at] = 0x7f;
    const char* reason = nullptr;
    const Result<Header> decoded = DecodeHeader(broken.data(), broken.size(), &reason);
    ASSERT_FALSE(decoded.ok()) << at;
    EXPECT_STREQ(reason, at < 4 ? "magic" : at == 4 ? "version" : "kind");
  }
}

}  // namespace
}  // namespace ps
