#include "tools/ps_bench/job.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <stdexcept>

#include "tools/ps_bench/turns.h"

namespace ps::bench {
namespace {

constexpr double kReadyLimitS = 90;  // longer than PS_START_TIMEOUT, which says more
constexpr double kTurnLimitS = 120;

bool IsFree(int port) {
  const int probe = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<uint16_t>(port));
  const bool bound = bind(probe, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0;
  close(probe);
  return bound;
}

// For the scheduler: outside the range from which the system hands out ports by itself, so that it stays free
// until the scheduler binds it; another one each time.
int ChoosePort() {
  constexpr int kFirst = 10000;
  constexpr int kSpan = 22000;
  static int next = static_cast<int>(getpid()) * 37;
  for (int tries = 0; tries < kSpan; ++tries) {
    next += 101;
    const int port = kFirst + static_cast<int>(static_cast<unsigned>(next) % kSpan);
    if (IsFree(port)) return port;
  }
  throw std::runtime_error("no free port for a scheduler");
}

}  // namespace

Job::Job(const JobPlan& plan, const Interrupts* interrupts)
    : interrupts_(interrupts), num_workers_(static_cast<size_t>(plan.workers)) {
  Child::Variables variables = plan.variables;
  variables["DMLC_NUM_SERVER"] = std::to_string(plan.servers);
  variables["DMLC_NUM_WORKER"] = std::to_string(plan.workers);
  variables["DMLC_PS_ROOT_URI"] = "127.0.0.1";
  variables["DMLC_PS_ROOT_PORT"] = std::to_string(ChoosePort());
  variables["DMLC_PS_VAN_TYPE"] = plan.transport;
  Start("scheduler", 1, plan, variables);
  Start("server", plan.servers, plan, variables);
  Start("worker", plan.workers, plan, variables);
}

void Job::Start(const std::string& role, int count, const JobPlan& plan, const Child::Variables& variables) {
  const std::vector<std::string> command = {kThisProgram, "node", plan.work, FormatFigures(plan.settings)};
  for (int rank = 0; rank < count; ++rank) {
    Child::Variables own = variables;
    own["DMLC_ROLE"] = role;
    if (role != "scheduler") own["DMLC_RANK"] = std::to_string(rank);
    nodes_.push_back(std::make_unique<Child>(role + " " + std::to_string(rank), command, own, interrupts_));
  }
}

void Job::AwaitReady() {
  for (size_t i = nodes_.size() - num_workers_; i < nodes_.size(); ++i) {
    const std::string line = nodes_[i]->Hear(kReadyLimitS);
    if (line != kReadyLine) throw std::runtime_error("a worker said '" + line + "'");
  }
}

Figures Job::Run() {
  std::vector<Figures> figures;
  for (size_t i = nodes_.size() - num_workers_; i < nodes_.size(); ++i) nodes_[i]->Say(kGoLine);
  for (size_t i = nodes_.size() - num_workers_; i < nodes_.size(); ++i) {
    figures.push_back(ParseFigures(nodes_[i]->Hear(kTurnLimitS)));
  }
  return Combine(figures);
}

void Job::Finish() {
  // The workers first: the others end when they have left.
  for (size_t i = nodes_.size() - num_workers_; i < nodes_.size(); ++i) nodes_[i]->CloseInput();
  for (const auto& node : nodes_) node->Finish(kTurnLimitS);
}

std::vector<double> Job::ProcessorSeconds() const {
  std::vector<double> seconds;
  for (const auto& node : nodes_) seconds.push_back(node->ProcessorSeconds());
  return seconds;
}

}  // namespace ps::bench
