// Starts, watches and ends a program, for tests of several processes.
#ifndef PS_TESTS_SUPPORT_PROCESS_H_
#define PS_TESTS_SUPPORT_PROCESS_H_

#include <sys/resource.h>
#include <sys/types.h>

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace ps {

// One child in a process group of its own. stdout and stderr are collected together; a thread reads them, so
// that the child never blocks on a full pipe. The destructor kills the whole group and reaps the child.
class Process {
 public:
  using Environment = std::map<std::string, std::string>;
  using Milliseconds = std::chrono::milliseconds;

  // Runs `command`. The child sees the environment of the test without all DMLC_ and PS_ variables and
  // without PORT, plus `environment`. Throws std::runtime_error when it cannot be started.
  Process(const std::vector<std::string>& command, const Environment& environment);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  pid_t pid() const { return pid_; }
  // Sends `signal` to the child alone, or to its whole group.
  void Signal(int signal) const;
  void SignalGroup(int signal) const;

  // Whether the child ends within `limit` (stretched by TestTimeScale). Nothing polls.
  bool EndsWithin(Milliseconds limit);
  // Whether the child is still there after exactly `limit`, which is not stretched.
  bool StillRunsAfter(Milliseconds limit) { return !Wait(limit); }
  // Whether the output contains `text` within `limit` (stretched); at once when the child has ended without
  // it.
  bool Prints(const std::string& text, Milliseconds limit = std::chrono::seconds(20));

  // Of a child that has ended: exit code, or 128 + the number of the signal that ended it. -1 before.
  int exit_code() const { return exit_code_; }
  // From start to end of a child that has ended.
  Milliseconds lifetime() const { return lifetime_; }
  // Of a child that has ended: all its processor time, its peak memory.
  const rusage& usage() const { return usage_; }

  // What has been printed so far; complete after the child has ended and closed its output.
  std::string output();
  std::vector<std::string> lines();

 private:
  void Read();
  bool Wait(Milliseconds limit);
  void Reap();

  pid_t pid_ = -1;
  int pidfd_ = -1;
  int read_fd_ = -1;
  int exit_code_ = -1;
  std::chrono::steady_clock::time_point started_;
  Milliseconds lifetime_{0};
  rusage usage_{};

  std::mutex mutex_;
  std::condition_variable printed_;
  std::string output_;   // guarded by mutex_
  bool closed_ = false;  // guarded by mutex_: nobody can write any more
  std::thread reader_;
};

// Processor time, in nanoseconds, that a living process has used so far; -1 when it is gone.
int64_t ProcessorTimeOf(pid_t pid);

// A TCP port nobody listens on, outside the range the system hands out by itself, so that it is still free a
// moment later. A different one at each call.
int FreePort();

}  // namespace ps

#endif  // PS_TESTS_SUPPORT_PROCESS_H_
