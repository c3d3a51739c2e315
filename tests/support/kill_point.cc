#include "tests/support/kill_point.h"

#include <signal.h>
#include <unistd.h>

#include <atomic>

#include "base/test_point.h"

namespace ps {
namespace {

std::string point;               // set before there are threads
std::atomic<int> times_left{0};  // 0: nothing happens

}  // namespace

void KillAt(const std::string& where) {
  const size_t colon = where.find(':');
  point = where.substr(0, colon);
  times_left.store(colon == std::string::npos ? 1 : std::stoi(where.substr(colon + 1)));
}

void OnTestPoint(const char* name) {
  if (point.empty() || point != name) return;
  if (times_left.fetch_sub(1) == 1) kill(getpid(), SIGKILL);
}

}  // namespace ps
