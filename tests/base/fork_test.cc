#include "base/fork.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <mutex>

#include "base/thread.h"
#include "tests/support/memory.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

// Runs `body` in a child; its exit code.
int InChild(const std::function<int()>& body) {
  const pid_t child = fork();
  if (child == 0) _exit(body());
  int status = -1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// A thread that runs until it is let go.
class HeldThread {
 public:
  HeldThread() : lock_(mutex_), thread_("held", [this] { std::lock_guard<std::mutex> wait(mutex_); }) {}
  ~HeldThread() { lock_.unlock(); }

 private:
  std::mutex mutex_;
  std::unique_lock<std::mutex> lock_;

 public:
  Thread thread_;
};

TEST(ForkTest, AProcessForkedBesideARunningThreadIsToldSo) {
  const Watchdog watchdog;
  HeldThread held;
  EXPECT_EQ(CheckNotForked(), Status::Ok());
  EXPECT_EQ(InChild([] {
              const Status status = CheckNotForked();
              const bool clear = status.message().find("exec or _exit") != std::string::npos;
              return status.code() == StatusCode::kFailedPrecondition && clear ? 7 : 1;
            }),
            7);
  EXPECT_FALSE(IsForked());
}

TEST(ForkTest, WithoutThreadsTheChildIsAProcessLikeAnyOther) {
  if (UnderThreadSanitizer()) GTEST_SKIP() << "ThreadSanitizer ends a child that starts threads";
  const Watchdog watchdog;
  {
    Thread ended("ended", [] {});
  }
  EXPECT_EQ(InChild([] {
              int ran = 0;
              {
                Thread thread("child", [&] { ran = 7; });
              }
              return IsForked() ? 1 : ran;
            }),
            7);
}

TEST(ForkTest, TheChildNeverWaitsForAThreadOfItsParent) {
  const Watchdog watchdog;
  HeldThread held;
  EXPECT_EQ(InChild([&] {
              held.thread_.Join();
              return 7;
            }),
            7);
}

}  // namespace
}  // namespace ps
