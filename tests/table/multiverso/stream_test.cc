#include "ps/multiverso/stream.h"

#include <dmlc/memory_io.h>
#include <gtest/gtest.h>

#include <string>

namespace multiverso {
namespace {

std::string ReadAll(Stream* stream) {
  std::string all;
  char part[3];
  while (const std::size_t count = stream->Read(part, sizeof(part))) all.append(part, count);
  return all;
}

TEST(StreamTest, WhatWasWrittenToMemoryIsRead) {
  MemoryStream stream;
  stream.Write("abcd", 4);
  stream.Write("", 0);
  EXPECT_EQ(ReadAll(&stream), "abcd");
  stream.Write("e", 1);
  EXPECT_EQ(ReadAll(&stream), "e") << "it goes on";
  EXPECT_EQ(stream.bytes(), "abcde");
  MemoryStream again(stream.bytes());
  EXPECT_EQ(ReadAll(&again), "abcde");
}

TEST(StreamTest, OneOfDmlcIsOne) {
  std::string bytes;
  dmlc::MemoryStringStream below(&bytes);
  DmlcStream stream(&below);
  stream.Write("abcdefg", 7);
  below.Seek(0);
  EXPECT_EQ(ReadAll(&stream), "abcdefg");
  EXPECT_EQ(bytes, "abcdefg");
}

}  // namespace
}  // namespace multiverso
