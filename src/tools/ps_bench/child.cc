#include "tools/ps_bench/child.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstring>
#include <ctime>
#include <stdexcept>
#include <utility>

#include "tools/ps_bench/turns.h"

namespace ps::bench {
namespace {

std::vector<std::string> EnvironmentOf(const Child::Variables& variables) {
  std::vector<std::string> result;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const bool replaced = variables.count(text.substr(0, text.find('='))) != 0;
    if (!replaced && text.rfind("DMLC_", 0) != 0) result.push_back(text);
  }
  for (const auto& [name, value] : variables) result.push_back(name + "=" + value);
  return result;
}

std::vector<char*> Pointers(std::vector<std::string>* texts) {
  std::vector<char*> pointers;
  for (std::string& text : *texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// In the child: only calls that are allowed after fork.
[[noreturn]] void Become(char* const* command, char* const* variables, pid_t parent, const int pipes[2]) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(0);
  UnblockInterrupts();
  signal(SIGPIPE, SIG_DFL);
  dup2(pipes[0], STDIN_FILENO);
  dup2(pipes[1], STDOUT_FILENO);
  execve(command[0], command, variables);
  _exit(127);
}

struct Pipe {
  Pipe() {
    if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error(std::string("pipe: ") + std::strerror(errno));
  }
  int ends[2];
};

}  // namespace

Child::Child(std::string name, const std::vector<std::string>& command, const Variables& variables,
             const Interrupts* interrupts)
    : name_(std::move(name)), interrupts_(interrupts) {
  std::vector<std::string> arguments = command;
  std::vector<std::string> environment = EnvironmentOf(variables);
  const std::vector<char*> argv = Pointers(&arguments);
  const std::vector<char*> envp = Pointers(&environment);
  const Pipe in, out;
  const int pipes[2] = {in.ends[0], out.ends[1]};
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ == 0) Become(argv.data(), envp.data(), parent, pipes);
  close(in.ends[0]);
  close(out.ends[1]);
  input_ = in.ends[1];
  output_ = out.ends[0];
  if (pid_ > 0) ended_ = static_cast<int>(syscall(SYS_pidfd_open, pid_, 0));
  if (pid_ < 0 || ended_ < 0) Fail(std::string("can not be started: ") + std::strerror(errno));
}

Child::~Child() {
  CloseInput();
  close(output_);
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    (void)HowItEnded();
  }
  close(ended_);
}

void Child::CloseInput() {
  if (input_ >= 0) close(input_);
  input_ = -1;
}

void Child::Fail(const std::string& what) const { throw std::runtime_error(name_ + " " + what); }

// Waits for it and reaps it.
std::string Child::HowItEnded() {
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  if (WIFSIGNALED(status)) return "was ended by signal " + std::to_string(WTERMSIG(status));
  const int code = WEXITSTATUS(status);
  return code == 0 ? "" : "ended with exit code " + std::to_string(code);
}

void Child::Say(const std::string& line) {
  const std::string text = line + "\n";
  // It reads one line at a time, and a line fits into a pipe; a broken pipe is told by the next Hear.
  if (write(input_, text.data(), text.size()) != static_cast<ssize_t>(text.size()) && errno != EPIPE) {
    Fail("does not listen: " + std::string(std::strerror(errno)));
  }
}

std::string Child::Hear(double limit_s) {
  const SteadyClock::time_point start = SteadyClock::now();
  while (true) {
    const size_t end = heard_.find('\n');
    if (end != std::string::npos) {
      const std::string line = heard_.substr(0, end);
      heard_.erase(0, end + 1);
      return line;
    }
    if (!interrupts_->AwaitReadable(output_, limit_s - SecondsSince(start))) {
      Fail("has said nothing for " + std::to_string(static_cast<int>(limit_s)) + " s");
    }
    char bytes[4096];
    const ssize_t size = read(output_, bytes, sizeof(bytes));
    if (size <= 0) {
      const std::string how = interrupts_->AwaitReadable(ended_, limit_s) ? HowItEnded() : "";
      Fail(how.empty() ? "ended too early" : how);
    }
    heard_.append(bytes, static_cast<size_t>(size));
  }
}

void Child::Finish(double limit_s) {
  CloseInput();
  if (!interrupts_->AwaitReadable(ended_, limit_s)) {
    Fail("has not ended within " + std::to_string(static_cast<int>(limit_s)) + " s");
  }
  const std::string how = HowItEnded();
  if (!how.empty()) Fail(how);
}

double Child::ProcessorSeconds() const {
  clockid_t clock{};
  timespec used{};
  if (clock_getcpuclockid(pid_, &clock) != 0 || clock_gettime(clock, &used) != 0) Fail("is gone");
  return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) / 1e9;
}

std::string ProgramBeside(const std::string& name) {
  char path[PATH_MAX];
  const ssize_t length = readlink(kThisProgram, path, sizeof(path));
  if (length <= 0) throw std::runtime_error("the path of this program is not to be found out");
  const std::string own(path, static_cast<size_t>(length));
  return own.substr(0, own.rfind('/') + 1) + name;
}

}  // namespace ps::bench
