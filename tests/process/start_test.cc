// How a job of processes comes up, or says why it does not (case-01, case-03, case-05, case-07).
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <regex>

#include "tests/support/job.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// A plain listener that never answers.
class Listener {
 public:
  explicit Listener(int port) : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<uint16_t>(port));
    listening_ =
        bind(fd_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0 && listen(fd_, 16) == 0;
  }
  ~Listener() { close(fd_); }
  bool listening() const { return listening_; }

 private:
  const int fd_;
  bool listening_;
};

std::string Seconds(int s) { return std::to_string(s); }

void ExpectContains(Process& process, const std::string& text) {
  EXPECT_NE(process.output().find(text), std::string::npos) << "'" << text << "' is not in:\n"
                                                            << process.output();
}

void ExpectFailsWithin(Process& process, milliseconds limit) {
  ASSERT_TRUE(process.EndsWithin(limit)) << process.output();
  EXPECT_EQ(process.exit_code(), 1) << process.output();
}

TEST(Case01, ABusySchedulerPortIsNamedByAll) {
  Job job(1, 1);
  const Listener listener(job.port());
  ASSERT_TRUE(listener.listening());
  const int deadline_s = LongForms() ? 3 : 1;
  job.variables["PS_START_TIMEOUT"] = Seconds(deadline_s);
  job.StartAll({"start"});
  const std::string address = "127.0.0.1:" + std::to_string(job.port());

  Process& scheduler = job.node(0);
  ExpectFailsWithin(scheduler, seconds(2));
  ExpectContains(scheduler, address);
  ExpectContains(scheduler, "Address already in use");
  ExpectContains(scheduler, "DMLC_PS_ROOT_PORT");
  for (int i = 1; i <= 2; ++i) {
    ExpectFailsWithin(job.node(i), seconds(deadline_s + 2));
    EXPECT_GE(job.node(i).lifetime(), seconds(deadline_s));
    ExpectContains(job.node(i), address);
    ExpectContains(job.node(i), "does not answer as a scheduler");
    ExpectContains(job.node(i), "PS_START_TIMEOUT");
  }
}

// D1's key-value program, with a scheduler that listens elsewhere than it says.
void RunAdvertised(const Process::Environment& scheduler) {
  Job job(1, 1);
  job.program = ProgramPath("compat/kv_app");
  job.variables["DMLC_PS_ROOT_URI"] = "127.0.0.9";
  job.variables["PS_VERBOSE"] = "1";
  job.Start("scheduler", {}, scheduler);
  job.Start("server", {}, {{"PS_BIND_HOST", "127.0.0.1"}, {"DMLC_NODE_HOST", "localhost"}});
  job.Start("worker", {});
  ASSERT_TRUE(job.AllSucceedWithin(seconds(30)));
  ExpectContains(job.node(0),
                 "Bind to role=scheduler, id=1, ip=127.0.0.9, port=" + std::to_string(job.port()));
  ExpectContains(job.node(0), "role=server, ip=localhost");
  ExpectContains(job.node(1), "Bind to role=server, ip=localhost");
  ExpectContains(job.node(2), "error: 0, 0");
}

TEST(Case03, KubernetesAdvertisesWhatIsNotBound) { RunAdvertised({{"DMLC_USE_KUBERNETES", "1"}}); }

TEST(Case03, BindHostIsBoundAndTheRestAdvertised) { RunAdvertised({{"PS_BIND_HOST", "0.0.0.0"}}); }

TEST(Case05RegressB04, WithoutASchedulerNodesGiveUpAtTheirDeadlineAndSayWhy) {
  Job job(1, 1);
  const int server_s = LongForms() ? 3 : 1;
  const int worker_s = LongForms() ? 7 : 2;
  job.Start("server", {"start"}, {{"PS_START_TIMEOUT", Seconds(server_s)}});
  job.Start("worker", {"start"}, {{"PS_START_TIMEOUT", Seconds(worker_s)}});
  const int deadlines_s[] = {server_s, worker_s};
  for (int i = 0; i < 2; ++i) {
    ExpectFailsWithin(job.node(i), seconds(deadlines_s[i] + 2));
    EXPECT_GE(job.node(i).lifetime(), seconds(deadlines_s[i]));
    ExpectContains(job.node(i), "the scheduler at 127.0.0.1:" + std::to_string(job.port()));
    ExpectContains(job.node(i), "Connection refused");
    ExpectContains(job.node(i), "PS_START_TIMEOUT");
  }
  if (LongForms()) {
    ExpectContains(job.node(1),
                   "waiting for the scheduler at 127.0.0.1:" + std::to_string(job.port()) + " (5 of 7 s)");
  }
}

TEST(Case05, ASchedulerMayComeLast) {
  Job job(1, 1);
  Process* const server = job.Start("server", {"kv"});
  job.Start("worker", {"kv"});
  EXPECT_TRUE(server->StillRunsAfter(LongForms() ? seconds(2) : milliseconds(500))) << server->output();
  job.Start("scheduler", {"kv"});
  EXPECT_TRUE(job.AllSucceedWithin(seconds(20)));
}

TEST(Case05, WithoutADeadlineNodesWaitUntilASignalEndsThem) {
  Job job(1, 1);
  job.variables["PS_START_TIMEOUT"] = "0";
  Process* const server = job.Start("server", {"start"});
  Process* const worker = job.Start("worker", {"start"});
  EXPECT_TRUE(server->StillRunsAfter(LongForms() ? seconds(8) : milliseconds(1200))) << server->output();
  EXPECT_TRUE(worker->StillRunsAfter(milliseconds(1))) << worker->output();
  server->Signal(SIGTERM);
  worker->Signal(SIGINT);
  EXPECT_TRUE(server->EndsWithin(seconds(2)));
  EXPECT_TRUE(worker->EndsWithin(seconds(2)));
  EXPECT_EQ(server->exit_code(), 128 + SIGTERM);
  EXPECT_EQ(worker->exit_code(), 128 + SIGINT);
}

TEST(RegressB05, AMissingNodeIsNamedByTheOthers) {
  Job job(1, 2);
  job.variables["PS_START_TIMEOUT"] = "1";
  job.variables["PS_RESEND_TIMEOUT"] = "100";  // how often a node asks again, and learns who is there
  job.Start("scheduler", {"start"});
  job.Start("server", {"start"});
  job.Start("worker", {"start"});
  for (int i = 0; i < 3; ++i) {
    ExpectFailsWithin(job.node(i), seconds(4));
    ExpectContains(job.node(i), "workers 1/2");
    ExpectContains(job.node(i), "servers 1/1");
    ExpectContains(job.node(i), "PS_START_TIMEOUT");
  }
}

class SurplusTest : public testing::TestWithParam<std::string> {};

TEST_P(SurplusTest, ALateNodeIsRefusedAndTheJobGoesOn) {
  Job job(1, 1);
  job.variables["PS_HEARTBEAT_INTERVAL"] = "0.25";
  job.variables["PS_HEARTBEAT_TIMEOUT"] = "1";
  job.StartAll({"hold"});
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(job.node(i).Prints("started")) << job.node(i).output();
  Process* const surplus = job.Start(GetParam(), {"hold"});
  ExpectFailsWithin(*surplus, seconds(5));
  ExpectContains(*surplus, "the job already has its 1 " + GetParam() + "s");
  job.node(2).Signal(SIGUSR1);
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(job.node(i).EndsWithin(seconds(20))) << job.node(i).output();
    EXPECT_EQ(job.node(i).exit_code(), 0) << job.node(i).output();
  }
  ExpectContains(job.node(2), "sums exact");
}

TEST_P(SurplusTest, ANodeThatWaitsFirstInLineDoesNotSpoilTheJob) {
  Job job(1, 1);
  job.variables["PS_HEARTBEAT_INTERVAL"] = "0.25";
  job.variables["PS_HEARTBEAT_TIMEOUT"] = "1";
  job.variables["PS_VERBOSE"] = "1";
  const std::string other = GetParam() == "worker" ? "server" : "worker";
  for (const std::string& role : {GetParam(), GetParam(), other}) {
    ASSERT_TRUE(job.Start(role, {"hold"})->Prints("Bind to"));
  }
  job.Start("scheduler", {"hold"});
  // The job goes on when both of the role know where they are.
  const bool first = job.node(0).Prints("started");
  const bool second = job.node(1).Prints("started");
  EXPECT_NE(first, second);
  for (int i = 0; i < 4; ++i) job.node(i).Signal(SIGUSR1);
  for (int i = 0; i < 4; ++i) {
    const bool surplus = i == (first ? 1 : 0);
    ASSERT_TRUE(job.node(i).EndsWithin(seconds(20))) << job.node(i).output();
    EXPECT_EQ(job.node(i).exit_code(), surplus ? 1 : 0) << job.node(i).output();
    if (surplus) ExpectContains(job.node(i), "the job already has its 1 " + GetParam() + "s");
  }
}

INSTANTIATE_TEST_SUITE_P(RegressB06, SurplusTest, testing::Values("worker", "server"),
                         [](const auto& info) { return info.param; });

TEST(RegressB07, NamesAreResolvedForAllAddresses) {
  Job job(1, 1);
  job.variables["DMLC_PS_ROOT_URI"] = "localhost";
  job.variables["DMLC_NODE_HOST"] = "localhost";
  job.StartAll({"kv"});
  EXPECT_TRUE(job.AllSucceedWithin(seconds(20)));
}

bool HasV6() {
  const int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in6 address{};
  address.sin6_family = AF_INET6;
  address.sin6_addr = in6addr_loopback;
  const bool has = fd >= 0 && bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0;
  if (fd >= 0) close(fd);
  return has;
}

class V6Test : public testing::TestWithParam<std::string> {};

TEST_P(V6Test, AJobRunsOverTheV6Loopback) {
  if (!HasV6()) GTEST_SKIP() << "this machine has no IPv6 loopback";
  Job job(1, 1);
  job.variables["DMLC_PS_ROOT_URI"] = GetParam();
  job.variables["PS_VERBOSE"] = "1";
  job.StartAll({"kv"});
  EXPECT_TRUE(job.AllSucceedWithin(seconds(20)));
  ExpectContains(job.node(1), "role=server, ip=::1");
}

INSTANTIATE_TEST_SUITE_P(RegressB08, V6Test, testing::Values("::1", "[::1]"),
                         [](const auto& info) { return info.index == 0 ? "Bare" : "InBrackets"; });

TEST(RegressB10, ManyNodesOfOneHostNeverMeetOnAPort) {
  Job job(4, 4);
  job.variables["PS_VERBOSE"] = "1";
  job.StartAll({"start"});
  ASSERT_TRUE(job.AllSucceedWithin(seconds(20)));
  const std::regex bound("Bind to role=(server|worker), ip=127\\.0\\.0\\.1, port=([0-9]+), is_recovery=0");
  std::map<std::string, int> ports;
  for (int i = 1; i <= 8; ++i) {
    const std::string output = job.node(i).output();
    std::smatch match;
    ASSERT_TRUE(std::regex_search(output, match, bound)) << output;
    ++ports[match[2]];
  }
  EXPECT_EQ(ports.size(), 8u);
}

TEST(RegressB10b, AGenericPortOfTheEnvironmentIsNotTaken) {
  Job job(1, 1);
  job.variables["PORT"] = std::to_string(FreePort());
  job.variables["PS_VERBOSE"] = "1";
  job.StartAll({"kv"});
  ASSERT_TRUE(job.AllSucceedWithin(seconds(20)));
  EXPECT_EQ(job.node(1).output().find("port=" + job.variables["PORT"]), std::string::npos);
}

TEST(RegressB74, ARegistrationAtAnOrdinaryNodeIsIgnoredAndItsSenderToldWhy) {
  Job job(1, 1);
  const int taken = FreePort();
  job.Start("scheduler", {"hold"});
  job.Start("server", {"hold"}, {{"DMLC_PORT", std::to_string(taken)}});
  job.Start("worker", {"hold"});
  ASSERT_TRUE(job.node(2).Prints("started")) << job.node(2).output();
  Process* const lost = job.Start("worker", {"start"},
                                  {{"DMLC_PS_ROOT_PORT", std::to_string(taken)}, {"PS_START_TIMEOUT", "1"}});
  ExpectFailsWithin(*lost, seconds(4));
  ExpectContains(*lost, "127.0.0.1:" + std::to_string(taken));
  ExpectContains(*lost, "scheduler");
  ExpectContains(*lost, "not");
  job.node(2).Signal(SIGUSR1);
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(job.node(i).EndsWithin(seconds(20))) << job.node(i).output();
    EXPECT_EQ(job.node(i).exit_code(), 0) << job.node(i).output();
  }
}

}  // namespace
}  // namespace ps
