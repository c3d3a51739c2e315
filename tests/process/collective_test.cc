// Workers that are killed while all sum arrays together.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "tests/support/figure.h"
#include "tests/support/job.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Clock = std::chrono::steady_clock;

constexpr int kWorkers = 4;

struct Way {
  const char* elements;
  const char* how;
  const char* transport;
};

// One is killed in the middle of a sum: all others are told its name, and so they are by the next one.
class CollectiveKillTest : public testing::TestWithParam<Way> {
 protected:
  CollectiveKillTest() : job_(0, kWorkers) {
    job_.program = ProgramPath("process/collective_worker");
    job_.variables["DMLC_PS_VAN_TYPE"] = GetParam().transport;
    const std::vector<std::string> arguments = {GetParam().elements, GetParam().how};
    scheduler_ = job_.Start("scheduler", arguments);
    for (int rank = 0; rank < kWorkers; ++rank)
      workers_.push_back(job_.Start("worker", arguments, {{"DMLC_RANK", std::to_string(rank)}}));
  }

  static std::string LineWith(Process* process, const std::string& begin) {
    for (const std::string& line : process->lines())
      if (line.rfind(begin, 0) == 0) return line;
    return "";
  }

  Watchdog watchdog_{seconds(100)};
  Job job_;
  Process* scheduler_ = nullptr;
  std::vector<Process*> workers_;
};

TEST_P(CollectiveKillTest, EverybodyIsToldTheName) {
  for (Process* const worker : workers_) ASSERT_TRUE(worker->Prints("under way")) << worker->output();
  const Clock::time_point killed = Clock::now();
  workers_[1]->Signal(SIGKILL);
  long slowest_ms = 0;
  for (const int rank : {0, 2, 3}) {
    Process* const worker = workers_[static_cast<std::size_t>(rank)];
    ASSERT_TRUE(worker->Prints("and then: ")) << worker->output();
    slowest_ms =
        std::max<long>(slowest_ms, std::chrono::duration_cast<milliseconds>(Clock::now() - killed).count());
  }
  EXPECT_LT(static_cast<double>(slowest_ms), 20000 * TestTimeScale());
  for (const int rank : {0, 2, 3}) {
    Process* const worker = workers_[static_cast<std::size_t>(rank)];
    ASSERT_TRUE(worker->EndsWithin(seconds(20))) << worker->output();
    EXPECT_EQ(worker->exit_code(), 0) << worker->output();
    for (const char* const line : {"failed: Unavailable: ", "and then: Unavailable: "})
      EXPECT_NE(LineWith(worker, line).find("worker 1 (id 11"), std::string::npos) << worker->output();
  }
  ASSERT_TRUE(scheduler_->EndsWithin(seconds(20))) << scheduler_->output();
  PS_FIGURE("R2c", GetParam().elements << " elements, " << GetParam().how << ", " << GetParam().transport
                                       << ": all others were told after " << slowest_ms << " ms");
}

INSTANTIATE_TEST_SUITE_P(Ways, CollectiveKillTest,
                         testing::Values(Way{"10", "calls", "auto"}, Way{"500000", "calls", "auto"},
                                         Way{"500000", "calls", "zmq"}, Way{"10000", "tickets", "auto"},
                                         Way{"500000", "tickets", "auto"}),
                         [](const testing::TestParamInfo<Way>& info) {
                           return std::string(info.param.elements) + "_" + info.param.how + "_" +
                                  info.param.transport;
                         });

}  // namespace
}  // namespace ps
