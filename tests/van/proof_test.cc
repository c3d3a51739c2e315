#include "van/proof.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <string>

namespace ps {
namespace {

std::string Hex(const Digest& digest) {
  std::string text;
  for (const uint8_t byte : digest) {
    char two[3];
    std::snprintf(two, sizeof(two), "%02x", byte);
    text += two;
  }
  return text;
}

// RFC 4231, test cases 1, 2 and 6 (a key longer than a block).
TEST(ProofTest, TheHmacIsThatOfTheStandard) {
  EXPECT_EQ(Hex(HmacSha256(std::string(20, '\x0b'), "Hi There")),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  EXPECT_EQ(Hex(HmacSha256("Jefe", "what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(
      Hex(HmacSha256(std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First")),
      "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

// Computed with Python's hashlib, another implementation.
TEST(ProofTest, TheKeyedHashIsBlake2b) {
  Digest key{};
  for (size_t i = 0; i < key.size(); ++i) key[i] = static_cast<uint8_t>(i);
  EXPECT_EQ(Hex(KeyedHash(key, "")), "4e51e7a913fc80137da52880fecca175bf81e117d5c68126dc2774033517ea0d");
  EXPECT_EQ(Hex(KeyedHash(key, "abc")), "d63a32d3e44738d7907f964316c241adaba0abfeabc32349677578a15a203f7f");
}

TEST(ProofTest, AnyChangeOfKeyOrTextChangesTheDigest) {
  const Digest digest = HmacSha256("token", "text");
  EXPECT_FALSE(SameDigest(digest, HmacSha256("Token", "text")));
  EXPECT_FALSE(SameDigest(digest, HmacSha256("token", "texT")));
  Digest key{};
  const Digest hash = KeyedHash(key, "text");
  key[31] = 1;
  EXPECT_FALSE(SameDigest(hash, KeyedHash(key, "text")));
}

TEST(ProofTest, DigestsAreTheSameOnlyWhenEveryByteIs) {
  const Digest digest = HmacSha256("key", "text");
  EXPECT_TRUE(SameDigest(digest, HmacSha256("key", "text")));
  for (size_t i = 0; i < digest.size(); ++i) {
    Digest other = digest;
    other[i] = static_cast<uint8_t>(other[i] ^ 0x80);
    EXPECT_FALSE(SameDigest(digest, other)) << "byte " << i;
  }
}

TEST(ProofTest, RandomDigestsDiffer) {
  const Result<Digest> one = RandomDigest();
  const Result<Digest> two = RandomDigest();
  ASSERT_TRUE(one.ok() && two.ok());
  EXPECT_FALSE(SameDigest(one.value(), two.value()));
  EXPECT_FALSE(SameDigest(one.value(), Digest{}));
}

}  // namespace
}  // namespace ps
