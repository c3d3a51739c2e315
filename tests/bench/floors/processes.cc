// Starting processes, and a process that does next to nothing.
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/bench/floors/floor.h"
#include "tests/bench/floors/peer.h"
#include "tests/bench/floors/stream.h"

namespace ps::floors {
namespace {

// Each runs this program with the argument that means: do nothing.
class Processes : public Floor {
 public:
  explicit Processes(const Task& task) : task_(task) {}

  Figures Run() override {
    const auto start = bench::SteadyClock::now();
    std::vector<pid_t> started(static_cast<size_t>(task_.count));
    for (pid_t& pid : started) pid = Start();
    for (const pid_t pid : started) AwaitEnd(pid);
    return {{"seconds", bench::SecondsSince(start)}};
  }

 private:
  static pid_t Start() {
    std::string name = "ps_floors";
    std::string nothing = "nothing";
    char* const arguments[] = {name.data(), nothing.data(), nullptr};
    pid_t pid = 0;
    errno = posix_spawn(&pid, "/proc/self/exe", nullptr, nullptr, arguments, environ);
    Require(errno == 0, "posix_spawn");
    return pid;
  }

  static void AwaitEnd(pid_t pid) {
    int status = 0;
    while (waitpid(pid, &status, 0) < 0) Require(errno == EINTR, "waitpid");
    if (status != 0) throw std::runtime_error("a process that does nothing has failed");
  }

  const Task task_;
};

double ProcessorSeconds() {
  timespec used{};
  Require(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used) == 0, "clock_gettime");
  return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) / 1e9;
}

class Tick : public Floor {
 public:
  explicit Tick(const Task& task) : task_(task) {}

  Figures Run() override {
    const auto start = bench::SteadyClock::now();
    const double before = ProcessorSeconds();
    for (double left = task_.seconds; left > 0; left = task_.seconds - bench::SecondsSince(start)) {
      poll(nullptr, 0, left > 1 ? 1000 : static_cast<int>(left * 1000) + 1);
    }
    return {{"cpu_percent", 100 * (ProcessorSeconds() - before) / bench::SecondsSince(start)}};
  }

 private:
  const Task task_;
};

}  // namespace

std::unique_ptr<Floor> MakeProcesses(const Task& task) { return std::make_unique<Processes>(task); }
std::unique_ptr<Floor> MakeTick(const Task& task) { return std::make_unique<Tick>(task); }

}  // namespace ps::floors
