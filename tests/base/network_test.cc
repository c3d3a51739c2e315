#include "base/network.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "base/clock.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

std::vector<InterfaceInfo> Machine() {
  return {{"lo", "127.0.0.1", true, true},
          {"eth10", "fd00::4", true, false},
          {"eth10", "10.0.0.10", true, false},
          {"eth1", "10.0.0.1", true, false},
          {"eth2", "10.0.0.2", false, false}};
}

// A port of this machine that is bound and, if asked, listened at.
class LocalPort {
 public:
  explicit LocalPort(bool listening) : fd_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(::bind(fd_, generic, size), 0);
    EXPECT_EQ(listening ? ::listen(fd_, 4) : 0, 0);
    EXPECT_EQ(::getsockname(fd_, generic, &size), 0);
    port_ = ntohs(address.sin_port);
  }
  ~LocalPort() { ::close(fd_); }
  LocalPort(const LocalPort&) = delete;
  LocalPort& operator=(const LocalPort&) = delete;

  int port() const { return port_; }

 private:
  int fd_;
  int port_ = 0;
};

TEST(NetworkTest, AnInterfaceIsChosenByItsExactName) {
  EXPECT_EQ(PickInterface(Machine(), "eth1").value(), "10.0.0.1");
  EXPECT_EQ(PickInterface(Machine(), "eth10").value(), "10.0.0.10") << "v4 before v6";
  EXPECT_FALSE(PickInterface(Machine(), "eth").ok());
}

TEST(NetworkTest, AMissingOrSleepingInterfaceIsAnErrorWithTheCandidates) {
  const std::string missing = PickInterface(Machine(), "ib0").status().message();
  EXPECT_NE(missing.find("DMLC_INTERFACE=\"ib0\" is no interface of this machine"), std::string::npos);
  EXPECT_NE(missing.find("eth1 (10.0.0.1)"), std::string::npos);
  const std::string down = PickInterface(Machine(), "eth2").status().message();
  EXPECT_NE(down.find("is an interface that is down"), std::string::npos);
  EXPECT_EQ(down.find("eth2 ("), std::string::npos);
  EXPECT_FALSE(PickInterface({}, "eth0").ok());
}

TEST(NetworkTest, ThisMachineHasALoopbackInterface) {
  bool found = false;
  for (const InterfaceInfo& info : ListInterfaces()) found |= info.loopback && IsLoopback(info.address);
  EXPECT_TRUE(found);
  EXPECT_FALSE(InterfaceAddress("no-such-interface").ok());
}

TEST(NetworkTest, TheRouteToLoopbackIsLoopback) {
  EXPECT_EQ(RouteAddress("127.0.0.1"), "127.0.0.1");
  EXPECT_EQ(RouteAddress("no-such-host.invalid"), "");
}

TEST(NetworkTest, ANodeAdvertisesWhatItWasTold) {
  Config config;
  config.node_host = "node-3";
  EXPECT_EQ(ChooseAdvertisedHost(config).value(), "node-3");
}

TEST(NetworkTest, TheSchedulerAdvertisesTheRootAddress) {
  Config config;
  config.role = Role::kScheduler;
  config.root_uri = "127.0.0.9";
  EXPECT_EQ(ChooseAdvertisedHost(config).value(), "127.0.0.9");
}

TEST(NetworkTest, ALoopbackSchedulerMeansALoopbackNode) {
  Config config;
  config.root_uri = "127.0.0.9";
  EXPECT_EQ(ChooseAdvertisedHost(config).value(), "127.0.0.1");
  config.root_uri = "::1";
  EXPECT_EQ(ChooseAdvertisedHost(config).value(), "::1");
  config.root_uri = "localhost";
  EXPECT_TRUE(IsLoopback(ChooseAdvertisedHost(config).value()));
}

TEST(NetworkTest, ALocalJobNeedsNoNetwork) {
  Config config;
  config.local = true;
  config.root_uri = "192.0.2.1";
  EXPECT_EQ(ChooseAdvertisedHost(config).value(), "127.0.0.1");
}

TEST(NetworkTest, AnInterfaceThatDoesNotExistIsAnErrorNotAGuess) {
  Config config;
  config.interface = "no-such-interface";
  EXPECT_EQ(ChooseAdvertisedHost(config).status().code(), StatusCode::kNotFound);
}

TEST(NetworkTest, WithoutHintsSomeAddressIsFound) {
  Config config;
  config.root_uri = "192.0.2.1";
  const Result<std::string> host = ChooseAdvertisedHost(config);
  ASSERT_TRUE(host.ok()) << host.status();
  EXPECT_TRUE(IsNumericV4(host.value()) || IsNumericV6(host.value())) << host.value();
}

TEST(ProbeTest, OkWhenSomebodyListens) {
  Watchdog watchdog;
  const LocalPort port(true);
  EXPECT_TRUE(ProbeTcp({"127.0.0.1", port.port()}, 5000).ok());
  EXPECT_TRUE(ProbeTcp({"localhost", port.port()}, 5000).ok());
}

TEST(ProbeTest, TellsTheSystemsReasonWhenNobodyDoes) {
  Watchdog watchdog;
  const LocalPort port(false);
  EXPECT_EQ(ProbeTcp({"127.0.0.1", port.port()}, 5000), Status::Unavailable("Connection refused"));
}

TEST(ProbeTest, AnUnknownNameIsNamed) {
  Watchdog watchdog;
  const Status status = ProbeTcp({"no-such-host.invalid", 1}, 1000);
  EXPECT_NE(status.message().find("no-such-host.invalid"), std::string::npos);
}

}  // namespace
}  // namespace ps
