#include "c_api/structs.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "ps/status.h"

namespace ps::c_api {
namespace {

struct Options {
  std::size_t struct_size;
  std::int64_t first;
  const char* second;
};
struct NewerOptions {
  Options known;
  std::int64_t third;
};

StatusCode CodeOfRead(const Options& given) {
  try {
    static_cast<void>(ReadStruct(&given, "Options"));
    return StatusCode::kOk;
  } catch (const Error& error) {
    return error.code();
  }
}

TEST(StructsTest, ANullPointerIsAllDefaults) {
  const Options read = ReadStruct<Options>(nullptr, "Options");
  EXPECT_EQ(read.first, 0);
  EXPECT_EQ(read.second, nullptr);
}

TEST(StructsTest, MembersBehindTheEndOfAnOlderCallersAreZero) {
  const Options older{offsetof(Options, second), 7, "what lies behind it in memory"};
  const Options read = ReadStruct(&older, "Options");
  EXPECT_EQ(read.first, 7);
  EXPECT_EQ(read.second, nullptr);
}

TEST(StructsTest, ANewerCallersAreReadAsLongAsTheyAskForNothingNew) {
  NewerOptions newer{{sizeof(NewerOptions), 7, "x"}, 0};
  EXPECT_EQ(ReadStruct(&newer.known, "Options").first, 7);
  newer.third = 1;
  EXPECT_EQ(CodeOfRead(newer.known), StatusCode::kInvalidArgument);
}

TEST(StructsTest, SizesThatNoCompilerSaysAreRefusedByName) {
  for (const std::size_t size : {0u, 4u, 7u, 17u, 1032u, ~0u - 7u})
    EXPECT_EQ(CodeOfRead({size, 7, ""}), StatusCode::kInvalidArgument) << size;
  try {
    const Options given{0, 7, ""};
    static_cast<void>(ReadStruct(&given, "PSOptions"));
    FAIL() << "taken";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("sizeof(PSOptions)"), std::string::npos) << error.what();
  }
}

TEST(StructsTest, AnOlderCallersStructIsNotWrittenBehindItsEnd) {
  Options older{offsetof(Options, second), 0, "mine"};
  WriteStruct(Options{0, 7, "theirs"}, &older, "Options");
  EXPECT_EQ(older.first, 7);
  EXPECT_STREQ(older.second, "mine");
  EXPECT_EQ(older.struct_size, offsetof(Options, second));
}

TEST(StructsTest, WhatTheLibraryDoesNotKnowOfANewerCallersIsZeroed) {
  NewerOptions newer{{sizeof(NewerOptions), 0, nullptr}, 5};
  WriteStruct(Options{0, 7, "x"}, &newer.known, "Options");
  EXPECT_EQ(newer.known.first, 7);
  EXPECT_EQ(newer.third, 0);
  EXPECT_EQ(newer.known.struct_size, sizeof(NewerOptions));
}

TEST(StructsTest, AStructWithoutRoomForAnythingIsNotWritten) {
  Options none{sizeof(std::size_t), 3, nullptr};
  EXPECT_THROW(WriteStruct(Options{0, 7, "x"}, &none, "Options"), Error);
  EXPECT_EQ(none.first, 3);
}

}  // namespace
}  // namespace ps::c_api
