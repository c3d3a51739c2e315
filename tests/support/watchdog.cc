#include "tests/support/watchdog.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <utility>

namespace ps {
namespace {

std::string RunningTest() {
  const testing::TestInfo* info = testing::UnitTest::GetInstance()->current_test_info();
  return info == nullptr ? "(no test)" : std::string(info->test_suite_name()) + "." + info->name();
}

}  // namespace

double TestTimeScale() {
  const char* text = std::getenv("PS_TEST_TIME_SCALE");
  const double scale = text == nullptr ? 1.0 : std::atof(text);
  return scale > 1.0 ? scale : 1.0;
}

Watchdog::Watchdog(std::chrono::milliseconds limit, std::string what) {
  const auto scaled =
      std::chrono::milliseconds(static_cast<int64_t>(static_cast<double>(limit.count()) * TestTimeScale()));
  thread_ = std::thread([this, scaled, what = std::move(what)] { Run(scaled, what); });
}

Watchdog::~Watchdog() {
  {
    std::lock_guard<std::mutex> lock(mu_);
    done_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Watchdog::Run(std::chrono::milliseconds limit, const std::string& what) {
  std::unique_lock<std::mutex> lock(mu_);
  if (changed_.wait_for(lock, limit, [this] { return done_; })) return;
  std::fprintf(stderr, "watchdog: %s %s still runs after %lld ms\n", RunningTest().c_str(), what.c_str(),
               static_cast<long long>(limit.count()));
  std::fflush(nullptr);
  std::abort();
}

}  // namespace ps
