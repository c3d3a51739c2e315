#include "transport/shm/hello.h"

#include <gtest/gtest.h>

namespace ps {
namespace {

TEST(HelloTest, ComesBackAsItWas) {
  for (const bool is_reply : {false, true}) {
    const Hello hello{0x0123456789abcdef, 0xfedcba9876543210, 4 << 20, is_reply};
    const HelloBytes bytes = EncodeHello(hello);
    const Result<Hello> decoded = DecodeHello(bytes.data(), bytes.size());
    ASSERT_TRUE(decoded.ok()) << decoded.status();
    EXPECT_EQ(decoded.value().writer, hello.writer);
    EXPECT_EQ(decoded.value().reader, hello.reader);
    EXPECT_EQ(decoded.value().capacity, hello.capacity);
    EXPECT_EQ(decoded.value().is_reply, is_reply);
  }
}

TEST(HelloTest, OtherSizesAreRefused) {
  const HelloBytes bytes = EncodeHello({1, 2, 3, false});
  for (const size_t size : {size_t{0}, size_t{1}, kHelloBytes - 1})
    EXPECT_FALSE(DecodeHello(bytes.data(), size).ok());
}

TEST(HelloTest, OtherMagicVersionAndFlagsAreRefused) {
  for (const size_t changed : {0u, 7u, 8u, 11u, 12u, 15u}) {
    HelloBytes bytes = EncodeHello({1, 2, 3, false});
    bytes[changed] = static_cast<char>(bytes[changed] ^ 0x42);
    EXPECT_FALSE(DecodeHello(bytes.data(), bytes.size()).ok()) << changed;
  }
}

}  // namespace
}  // namespace ps
