#include "tests/support/process.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "tests/support/watchdog.h"

extern char** environ;

namespace ps {
namespace {

bool IsOurs(const std::string& entry) {
  return entry.rfind("DMLC_", 0) == 0 || entry.rfind("PS_", 0) == 0 || entry.rfind("PORT=", 0) == 0;
}

std::vector<std::string> ChildEnvironment(const Process::Environment& added) {
  std::vector<std::string> entries;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    if (!IsOurs(*entry)) entries.emplace_back(*entry);
  }
  for (const auto& [name, value] : added) entries.push_back(name + "=" + value);
  return entries;
}

std::vector<char*> Pointers(std::vector<std::string>* texts) {
  std::vector<char*> pointers;
  for (std::string& text : *texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// Starts the child with `write_fd` as its stdout and stderr, in a group of its own, with no signal blocked.
pid_t Spawn(std::vector<std::string> command, const Process::Environment& environment, int write_fd) {
  std::vector<std::string> entries = ChildEnvironment(environment);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, write_fd, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, write_fd, STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
  posix_spawnattr_setpgroup(&attributes, 0);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  pid_t pid = -1;
  const int error = posix_spawnp(&pid, command[0].c_str(), &actions, &attributes, Pointers(&command).data(),
                                 Pointers(&entries).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw std::runtime_error("cannot start " + command[0] + ": " + std::strerror(error));
  return pid;
}

std::chrono::milliseconds Stretched(std::chrono::milliseconds limit) {
  return std::chrono::milliseconds(
      static_cast<int64_t>(static_cast<double>(limit.count()) * TestTimeScale()));
}

bool IsFree(int port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_ANY);
  address.sin_port = htons(static_cast<uint16_t>(port));
  const bool free =
      bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0 && listen(fd, 1) == 0;
  close(fd);
  return free;
}

}  // namespace

Process::Process(const std::vector<std::string>& command, const Environment& environment)
    : started_(std::chrono::steady_clock::now()) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error(std::string("pipe: ") + std::strerror(errno));
  read_fd_ = ends[0];
  try {
    pid_ = Spawn(command, environment, ends[1]);
  } catch (...) {
    close(ends[0]);
    close(ends[1]);
    throw;
  }
  close(ends[1]);
  pidfd_ = static_cast<int>(syscall(SYS_pidfd_open, pid_, 0));
  reader_ = std::thread([this] { Read(); });
}

Process::~Process() {
  if (exit_code_ < 0) SignalGroup(SIGKILL);
  Wait(std::chrono::hours(1));
  bool closed;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    closed = closed_;
  }
  if (!closed) SignalGroup(SIGKILL);  // what the child has started and left behind
  reader_.join();
  close(read_fd_);
  close(pidfd_);
}

void Process::Signal(int signal) const {
  if (exit_code_ < 0) kill(pid_, signal);
}

void Process::SignalGroup(int signal) const { kill(-pid_, signal); }

void Process::Read() {
  char buffer[4096];
  while (true) {
    const ssize_t n = read(read_fd_, buffer, sizeof(buffer));
    if (n < 0 && errno == EINTR) continue;
    std::lock_guard<std::mutex> lock(mutex_);
    if (n > 0) output_.append(buffer, static_cast<size_t>(n));
    if (n <= 0) closed_ = true;
    printed_.notify_all();
    if (n <= 0) return;
  }
}

bool Process::Wait(Milliseconds limit) {
  if (exit_code_ >= 0) return true;
  pollfd descriptor{pidfd_, POLLIN, 0};
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (true) {
    const auto left = std::chrono::ceil<Milliseconds>(deadline - std::chrono::steady_clock::now());
    const int ready = poll(&descriptor, 1, static_cast<int>(std::max<int64_t>(0, left.count())));
    if (ready > 0) break;
    if (ready == 0) return false;
  }
  Reap();
  return true;
}

void Process::Reap() {
  int status = 0;
  while (wait4(pid_, &status, 0, &usage_) < 0 && errno == EINTR) {
  }
  lifetime_ = std::chrono::duration_cast<Milliseconds>(std::chrono::steady_clock::now() - started_);
  exit_code_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

bool Process::EndsWithin(Milliseconds limit) {
  if (!Wait(Stretched(limit))) return false;
  // What it printed last may still be in the pipe; a grandchild that keeps the pipe open is not waited for
  // long.
  std::unique_lock<std::mutex> lock(mutex_);
  printed_.wait_for(lock, std::chrono::seconds(1), [this] { return closed_; });
  return true;
}

bool Process::Prints(const std::string& text, Milliseconds limit) {
  std::unique_lock<std::mutex> lock(mutex_);
  const auto there = [&] { return output_.find(text) != std::string::npos; };
  printed_.wait_for(lock, Stretched(limit), [&] { return closed_ || there(); });
  return there();
}

std::string Process::output() {
  std::lock_guard<std::mutex> lock(mutex_);
  return output_;
}

std::vector<std::string> Process::lines() {
  std::istringstream text(output());
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

int64_t ProcessorTimeOf(pid_t pid) {
  int64_t total = -1;
  std::error_code error;
  for (const auto& task :
       std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/task", error)) {
    std::ifstream file(task.path() / "schedstat");
    int64_t used = 0;
    if (file >> used) total = std::max<int64_t>(total, 0) + used;
  }
  return total;
}

int FreePort() {
  static std::atomic<int> next{0};
  constexpr int kFirst = 10000;
  constexpr int kSpan = 22000;
  for (int tries = 0; tries < kSpan; ++tries) {
    const int step = next.fetch_add(1);
    const int port = kFirst + static_cast<int>((static_cast<int64_t>(getpid()) * 131 + step * 37) % kSpan);
    if (IsFree(port)) return port;
  }
  throw std::runtime_error("no free port");
}

}  // namespace ps
