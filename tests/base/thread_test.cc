#include "base/thread.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <memory>
#include <stdexcept>
#include <string>

#include "base/queue.h"
#include "tests/support/log_capture.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

TEST(ThreadTest, RunsItsBodyAndJoinsInTheDestructor) {
  Watchdog watchdog;
  bool ran = false;
  {
    Thread thread("ps-test", [&ran] { ran = true; });
  }
  EXPECT_TRUE(ran);
}

TEST(ThreadTest, ShowsItsNameCutToFifteenCharacters) {
  Watchdog watchdog;
  std::string name;
  Thread thread("ps-app-12345.67890", [&name] {
    char text[32];
    pthread_getname_np(pthread_self(), text, sizeof(text));
    name = text;
  });
  thread.Join();
  EXPECT_EQ(name, "ps-app-12345.67");
}

TEST(ThreadTest, JoinMayBeCalledAgain) {
  Watchdog watchdog;
  Thread thread("ps-test", [] {});
  thread.Join();
  thread.Join();
  EXPECT_FALSE(thread.IsCurrent());
}

TEST(ThreadTest, AnEscapingExceptionIsLoggedAndEndsThatThreadOnly) {
  Watchdog watchdog;
  LogCapture log;
  {
    Thread thread("ps-bad", [] { throw std::runtime_error("handle failed"); });
    Thread other("ps-worse", [] { throw 42; });
  }
  EXPECT_EQ(log.Count("ERROR: thread ps-bad ended by an exception: handle failed"), 1);
  EXPECT_EQ(log.Count("ERROR: thread ps-worse ended by an exception of unknown type"), 1);
}

TEST(ThreadTest, JoinOfItselfDoesNotDeadlock) {
  Watchdog watchdog;
  BlockingQueue<Thread*> self;
  BlockingQueue<bool> done;
  Thread thread("ps-self", [&] {
    Thread* me = *self.Pop();
    const bool current = me->IsCurrent();
    me->Join();
    done.Push(current);
  });
  self.Push(&thread);
  EXPECT_EQ(done.Pop(), true);
}

}  // namespace
}  // namespace ps
