// Ends a test that hangs, and says which one.
//
// Every threaded fixture owns a Watchdog: a hang then fails within seconds, under the name of the test,
// instead of eating the runner's whole time-out. The limit counts from construction and is multiplied by
// PS_TEST_TIME_SCALE (slow machines and sanitizers), so choose it about 20 times longer than the test needs.

#ifndef PS_TESTS_SUPPORT_WATCHDOG_H_
#define PS_TESTS_SUPPORT_WATCHDOG_H_

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace ps {

// The factor by which time bounds of tests are stretched: PS_TEST_TIME_SCALE, at least 1.
double TestTimeScale();

class Watchdog {
 public:
  // Aborts the process when it is still alive after `limit`; `what` is printed beside the name of the running
  // test.
  explicit Watchdog(std::chrono::milliseconds limit = std::chrono::seconds(20), std::string what = "");
  ~Watchdog();

  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

 private:
  void Run(std::chrono::milliseconds limit, const std::string& what);

  std::mutex mu_;
  std::condition_variable changed_;
  bool done_ = false;  // guarded by mu_
  std::thread thread_;
};

}  // namespace ps

#endif  // PS_TESTS_SUPPORT_WATCHDOG_H_
