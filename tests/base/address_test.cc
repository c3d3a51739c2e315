#include "base/address.h"

#include <gtest/gtest.h>

#include <string>

namespace ps {
namespace {

TEST(AddressTest, ReadsWhatItWrites) {
  const Address addresses[] = {
      {"10.0.0.1", 80}, {"::1", 8000}, {"node-3.rack_1", 65535}, {"fe80::1%eth0", 1}};
  for (const Address& address : addresses) {
    const Result<Address> parsed = ParseAddress(address.ToString());
    ASSERT_TRUE(parsed.ok()) << parsed.status();
    EXPECT_EQ(parsed.value(), address);
  }
  EXPECT_EQ(addresses[1].ToString(), "[::1]:8000");
}

TEST(AddressTest, RefusesWhatIsNoAddress) {
  for (const char* text :
       {"", ":", "host", "host:", "host:x", "host:65536", "host:-1", ":80", "::1:80", "[::1]", "[::1]80",
        "[10.0.0.1]:80", "[]:80", "a b:80", "tcp://h:80", "[::1]:80x"}) {
    EXPECT_EQ(ParseAddress(text).status().code(), StatusCode::kInvalidArgument) << text;
  }
}

TEST(AddressTest, HostsLoseTheirBrackets) {
  EXPECT_EQ(ParseHost("[::1]").value(), "::1");
  EXPECT_EQ(ParseHost("::").value(), "::");
  EXPECT_EQ(ParseHost("0.0.0.0").value(), "0.0.0.0");
  EXPECT_EQ(ParseHost("ps-scheduler.default.svc").value(), "ps-scheduler.default.svc");
}

TEST(AddressTest, RefusesWhatIsNoHost) {
  for (const char* text :
       {"", "[", "[]", "]", "host:80", "tcp://h", "1.2.3", "256.0.0.1", "a b", "1::2::3", "*"}) {
    EXPECT_FALSE(ParseHost(text).ok()) << text;
  }
}

TEST(AddressTest, KnowsTheFamilies) {
  EXPECT_TRUE(IsNumericV4("127.0.0.1"));
  EXPECT_FALSE(IsNumericV4("::1"));
  EXPECT_TRUE(IsNumericV6("::1"));
  EXPECT_FALSE(IsNumericV6("localhost"));
}

TEST(AddressTest, ResolvesNumbersToThemselvesAndNamesToNumbers) {
  EXPECT_EQ(ResolveHost("10.1.2.3").value(), "10.1.2.3");
  EXPECT_EQ(ResolveHost("::1").value(), "::1");
  EXPECT_TRUE(IsLoopback(ResolveHost("localhost").value()));
}

TEST(AddressTest, AnUnknownNameIsAnErrorThatNamesIt) {
  const Result<std::string> result = ResolveHost("no-such-host.invalid");
  EXPECT_EQ(result.status().code(), StatusCode::kUnavailable);
  EXPECT_NE(result.status().message().find("no-such-host.invalid"), std::string::npos);
}

TEST(AddressTest, LoopbackIsTheWholeNetOf127) {
  EXPECT_TRUE(IsLoopback("127.0.0.9"));
  EXPECT_TRUE(IsLoopback("::1"));
  EXPECT_FALSE(IsLoopback("10.0.0.1"));
  EXPECT_FALSE(IsLoopback("fe80::1"));
  EXPECT_FALSE(IsLoopback("no-such-host.invalid"));
}

}  // namespace
}  // namespace ps
