#include "store/store_message.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>

#include "tests/support/fake_server_link.h"

namespace ps {
namespace {

TEST(StoreMessageTest, ARequestComesBackAndSharesItsArrays) {
  StoreRequest request = RequestOf(OpCode::kAdd, {1, 2}, 8);
  request.priority = 3;
  const char* const memory = request.vals.data();
  const Message message = PackRequest(std::move(request));
  EXPECT_TRUE(message.meta.push);
  const StoreRequest back = UnpackRequest(message).value();
  EXPECT_EQ(back.ops[0].code, OpCode::kAdd);
  EXPECT_EQ(back.priority, 3);
  EXPECT_EQ(back.keys[1], 2u);
  EXPECT_EQ(back.vals.data(), memory);
}

TEST(StoreMessageTest, OneWithoutArraysHasNoBlocks) {
  const Message message = PackRequest(RequestOf(OpCode::kClose));
  EXPECT_TRUE(message.data.empty());
  EXPECT_EQ(UnpackRequest(message).value().ops.size(), 1u);
}

TEST(StoreMessageTest, AnAnswerComesBack) {
  StoreAnswer answer;
  answer.replies.resize(1);
  answer.replies[0].version = 4;
  answer.replies[0].num_bytes = 5;
  answer.vals = SArray<char>(5, 'a');
  const StoreAnswer back = UnpackAnswer(PackAnswer(std::move(answer))).value();
  EXPECT_EQ(back.replies[0].version, 4u);
  EXPECT_EQ(back.vals.size(), 5u);
}

TEST(StoreMessageTest, ArraysThatLieBadlyAreCopied) {
  const StoreRequest request = RequestOf(OpCode::kAdd, {1, 2}, 8);
  Message message = PackRequest(StoreRequest(request));
  SArray<char> shifted(17);
  std::memcpy(shifted.data() + 1, request.keys.data(), 16);
  message.data[0] = shifted.segment(1, 17);
  SArray<char> values(9, 'v');
  message.data[1] = values.segment(1, 9);
  const StoreRequest back = UnpackRequest(message).value();
  EXPECT_EQ(back.keys[1], 2u);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(back.vals.data()) % 8, 0u);
}

TEST(StoreMessageTest, WhatIsNoneIsRefused) {
  Message message = PackRequest(RequestOf(OpCode::kAdd, {1}, 8));
  message.data[0] = SArray<char>(7, 'k');
  EXPECT_NE(UnpackRequest(message).status().message().find("7 bytes"), std::string::npos);
  message.data.pop_back();
  EXPECT_NE(UnpackRequest(message).status().message().find("1 blocks"), std::string::npos);
  Message foreign;
  foreign.meta.body = "hello";
  EXPECT_EQ(UnpackRequest(foreign).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(UnpackAnswer(foreign).status().code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace ps
