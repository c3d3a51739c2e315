#include "transport/zmq/endpoint.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <string>

namespace ps {
namespace {

TEST(EndpointTest, IsWrittenAsTheLibraryReadsIt) {
  EXPECT_EQ(EndpointOf({"127.0.0.1", 80}), "tcp://127.0.0.1:80");
  EXPECT_EQ(EndpointOf({"::1", 80}), "tcp://[::1]:80");
  EXPECT_EQ(EndpointOf({"@name", 0}), "ipc://@name");
  EXPECT_EQ(PortOf("tcp://127.0.0.1:4711"), 4711);
  EXPECT_EQ(PortOf("tcp://[::1]:4711"), 4711);
  EXPECT_EQ(PortOf("ipc://@name"), 0);
  EXPECT_EQ(PortOf(""), 0);
}

TEST(EndpointTest, NamesAreResolvedAndUnixNamesAreNot) {
  EXPECT_EQ(ResolveEndpoint({"127.0.0.1", 0}, 0).value(), (Address{"127.0.0.1", 0}));
  EXPECT_EQ(ResolveEndpoint({"@name", 0}, 0).value(), (Address{"@name", 0}));
  const Result<Address> local = ResolveEndpoint({"localhost", 5}, 1);
  ASSERT_TRUE(local.ok()) << local.status();
  EXPECT_TRUE(IsNumericV4(local.value().host) || IsNumericV6(local.value().host));
}

TEST(EndpointTest, WhatIsNoAddressIsNamed) {
  for (const Address& bad : {Address{"", 80}, Address{"127.0.0.1", 0}, Address{"127.0.0.1", 65536}}) {
    const Status status = ResolveEndpoint(bad, 1).status();
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
    EXPECT_NE(status.message().find(bad.ToString()), std::string::npos) << status;
  }
}

TEST(EndpointTest, BindErrorsSayWhatToDo) {
  EXPECT_NE(BindError({"h", 80}, EADDRINUSE).message().find("DMLC_PORT"), std::string::npos);
  EXPECT_NE(BindError({"h", 80}, EADDRNOTAVAIL).message().find("PS_BIND_HOST"), std::string::npos);
  EXPECT_NE(BindError({"h", 80}, EACCES).message().find("above 1023"), std::string::npos);
  EXPECT_NE(BindError({"h", 80}, ENOMEM).message().find("cannot listen at h:80"), std::string::npos);
}

}  // namespace
}  // namespace ps
