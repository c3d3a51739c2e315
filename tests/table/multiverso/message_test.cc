#include "ps/multiverso/message.h"

#include <gtest/gtest.h>

namespace multiverso {
namespace {

TEST(MultiversoMessageTest, TblVec75AReplyGoesBackWithTheNegativeType) {
  Message message;
  message.set_src(1);
  message.set_dst(2);
  message.set_type(Request_Get);
  message.set_table_id(3);
  message.set_msg_id(0);
  message.Push(Blob("ab", 2));
  const MessagePtr reply = message.CreateReplyMessage();
  EXPECT_EQ(reply->src(), 2);
  EXPECT_EQ(reply->dst(), 1);
  EXPECT_EQ(reply->type(), Reply_Get);
  EXPECT_EQ(reply->table_id(), 3);
  EXPECT_EQ(reply->msg_id(), 0);
  EXPECT_EQ(reply->size(), 0u);
  EXPECT_EQ(message.size(), 1u);
}

TEST(MultiversoMessageTest, TheHeaderHasEightNumbersInMultiversosOrder) {
  EXPECT_EQ(Message::kHeaderSize, 32u);
  Message message;
  message.set_src(10);
  message.set_dst(11);
  message.set_type(Control_Register);
  message.set_table_id(13);
  message.set_msg_id(14);
  const int expected[] = {10, 11, 34, 13, 14, 0, 0, 0};
  for (int i = 0; i < 8; ++i) EXPECT_EQ(message.header()[i], expected[i]) << i;
}

TEST(MultiversoMessageTest, ItIsAValueWhoseBlobsAreShared) {
  Message message;
  message.set_data({Blob("abc", 3)});
  Message copy = message;
  copy.set_src(9);
  EXPECT_EQ(message.src(), 0);
  EXPECT_EQ(copy.data()[0].data(), message.data()[0].data());
}

}  // namespace
}  // namespace multiverso
