// The main of every test program. Each test gets a last-resort alarm, so that a hang is reported under its
// name; it is a timer, not a thread, because some tests count threads.

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "tests/support/watchdog.h"

namespace {

constexpr unsigned kTestLimitSeconds = 60;
char alarm_text[256];

void OnAlarm(int) {
  size_t length = 0;
  while (length < sizeof(alarm_text) && alarm_text[length] != '\0') ++length;
  if (write(STDERR_FILENO, alarm_text, length) < 0) _exit(1);
  abort();
}

class AlarmPerTest : public testing::EmptyTestEventListener {
  void OnTestStart(const testing::TestInfo& test) override {
    const auto seconds = static_cast<unsigned>(kTestLimitSeconds * ps::TestTimeScale());
    std::snprintf(alarm_text, sizeof(alarm_text), "watchdog: %s.%s still runs after %u s\n",
                  test.test_suite_name(), test.name(), seconds);
    alarm(seconds);
  }
  void OnTestEnd(const testing::TestInfo&) override { alarm(0); }
};

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  std::signal(SIGALRM, OnAlarm);
  testing::UnitTest::GetInstance()->listeners().Append(new AlarmPerTest);
  return RUN_ALL_TESTS();
}
