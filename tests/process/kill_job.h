// A training job of which one node is killed at a point of the protocol.
#ifndef PS_TESTS_PROCESS_KILL_JOB_H_
#define PS_TESTS_PROCESS_KILL_JOB_H_

#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdio>
#include <set>
#include <string>
#include <vector>

#include "tests/process/kill_rows.h"
#include "tests/support/job.h"
#include "tests/support/memory.h"
#include "tests/support/watchdog.h"

namespace ps {

inline void PrintTo(const KillRow& row, std::ostream* out) { *out << row.point; }

// A test name: letters, digits and underscores only.
inline std::string NameOfRow(const testing::TestParamInfo<KillRow>& info) {
  std::string name = info.param.point;
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
}

// All rows; under a sanitizer, where each takes several times as long, every third.
inline std::vector<KillRow> RowsToRun(const std::vector<KillRow>& all) {
  if (!UnderSanitizer()) return all;
  std::vector<KillRow> some;
  for (size_t i = 0; i < all.size(); i += 3) some.push_back(all[i]);
  return some;
}

// The short form is about each point once.
inline std::vector<KillRow> RowsToRevive(const std::vector<KillRow>& all) {
  if (LongForms()) return all;
  std::vector<KillRow> some;
  std::set<std::string> seen;
  for (const KillRow& row : RowsToRun(all)) {
    if (seen.insert(row.point.substr(0, row.point.find(':'))).second) some.push_back(row);
  }
  return some;
}

// 1 scheduler, 2 servers, 2 workers. Small chunks and little room, so that every point is passed.
class KillTest : public testing::TestWithParam<KillRow> {
 protected:
  using Milliseconds = std::chrono::milliseconds;
  static constexpr Milliseconds kHeartbeatTimeout{500};
  static constexpr Milliseconds kStartTimeout{20000};
  // Where it is waited for: of the first try, and four times as long in each further one.
  static constexpr Milliseconds kShortStartTimeout{1000};
  static constexpr Milliseconds kResendTimeout{50};

  static void SetUpTestSuite() { slowest_ = Milliseconds(0); }
  // The figure of the whole table.
  static void Report(const std::string& role, size_t rows) {
    const auto about = [&role](const char* word) { return role.find(word) != std::string::npos; };
    const char* const id = about("worker") ? "R2" : about("server") ? "R2S" : "R2H";
    std::printf("FIGURE %s %s killed at %zu points: the others ended within %lld ms (bound: %lld)\n", id,
                role.c_str(), rows, static_cast<long long>(slowest_.count()),
                static_cast<long long>(Bound().count()));
  }

  // Kills the first node of `role` at the point. What is said must be right each time; for the time it takes,
  // and for whether the cluster gets as far as the point before Start's deadline, the best of three tries
  // counts, because other programs use the same processors. `policy` is PS_ON_NODE_LOST; under shrink a job
  // that has begun goes on without a worker, and ends in order.
  void Run(const std::string& role, const std::string& policy) {
    const std::string id = role == "server" ? "8" : "9";
    victim_ = role == "scheduler" ? 0 : role == "server" ? 1 : 3;
    victim_name_ = role == "scheduler" ? "the scheduler" : role + " 0 (id " + id + ",";
    const bool in_start = GetParam().death == Death::kInStart;
    policy_ = policy;
    start_timeout_ = in_start ? kShortStartTimeout : kStartTimeout;
    Milliseconds best = Milliseconds::max();
    for (int attempt = 0; attempt < 3 && best > Bound() && !HasFailure(); ++attempt) {
      const Milliseconds beyond_deadline = KillOnce() - (in_start ? start_timeout_ : Milliseconds(0));
      if (was_killed_) best = std::min(best, beyond_deadline);
      if (in_start) start_timeout_ *= 4;
    }
    if (HasFailure()) return;
    ASSERT_NE(best, Milliseconds::max()) << "the point was not passed";
    EXPECT_LE(best.count(), Bound().count());
    if (!in_start) slowest_ = std::max(slowest_, best);
  }

 private:
  static constexpr int kNodes = 5;

  // Two heartbeat time-outs, as the nodes have them.
  static Milliseconds Bound() {
    return std::chrono::duration_cast<Milliseconds>(2 * kHeartbeatTimeout * TestTimeScale());
  }

  Milliseconds KillOnce() {
    Job job(2, 2);
    job.program = ProgramPath("process/trainer");
    job.variables["PS_ON_NODE_LOST"] = policy_;
    job.variables["PS_HEARTBEAT_INTERVAL"] = "0.1";
    job.variables["PS_HEARTBEAT_TIMEOUT"] = Seconds(kHeartbeatTimeout);
    job.variables["PS_START_TIMEOUT"] = Seconds(start_timeout_);
    job.variables["PS_RESEND_TIMEOUT"] = std::to_string(kResendTimeout.count());
    job.variables["PS_CHUNK_BYTES"] = "4096";
    job.variables["DMLC_PS_WATER_MARK"] = "1";
    for (int i = 0; i < kNodes; ++i) {
      const std::string role = i == 0 ? "scheduler" : i < 3 ? "server" : "worker";
      Process::Environment extra;
      if (i > 0) extra["DMLC_RANK"] = std::to_string((i - 1) % 2);
      if (i == victim_) extra["PS_TEST_KILL"] = GetParam().point;
      job.Start(role, {"rounds", "3"}, extra);
    }
    Milliseconds took{0};
    Watch(&job, &took);
    return took;
  }

  static std::string Seconds(Milliseconds time) {
    return std::to_string(static_cast<double>(time.count()) / 1000 * TestTimeScale());
  }

  void Watch(Job* job, Milliseconds* took) {
    Process& victim = job->node(victim_);
    ASSERT_TRUE(victim.EndsWithin(std::chrono::seconds(30))) << "never there:\n" << victim.output();
    was_killed_ = victim.exit_code() == 128 + SIGKILL;
    const bool was_late = victim.output().find("PS_START_TIMEOUT") != std::string::npos;
    ASSERT_TRUE(was_killed_ || was_late) << "the point was not passed:\n" << victim.output();
    if (!was_killed_) return;
    const auto died = std::chrono::steady_clock::now();
    for (int i = 0; i < kNodes; ++i) {
      if (i == victim_) continue;
      ASSERT_TRUE(job->node(i).EndsWithin(std::chrono::seconds(30))) << "node " << i << " still waits:\n"
                                                                     << job->node(i).output();
      Judge(i, &job->node(i));
    }
    *took = std::chrono::duration_cast<Milliseconds>(std::chrono::steady_clock::now() - died);
  }

  void Judge(int index, Process* node) const {
    const Death death = GetParam().death;
    const std::string output = node->output();
    EXPECT_EQ(output.find("terminate"), std::string::npos) << output;
    if (node->exit_code() == 0) return;
    EXPECT_EQ(node->exit_code(), 1) << "node " << index << ":\n" << output;
    EXPECT_TRUE(death != Death::kHarmless && (policy_ == "fail" || death == Death::kInStart))
        << "node " << index << ":\n"
        << output;
    // The first error counts: what follows from it may speak of other nodes.
    const std::string errors = output.substr(std::min(output.find("error: "), output.size()));
    const std::string first = errors.substr(0, errors.find('\n'));
    const bool named = first.find(victim_name_) != std::string::npos;
    const bool gave_up = first.find("PS_START_TIMEOUT") != std::string::npos;
    EXPECT_TRUE(named || (death == Death::kInStart && gave_up))
        << "node " << index << " does not name " << victim_name_ << ":\n"
        << output;
  }

  static inline Milliseconds slowest_{0};
  int victim_ = 0;
  Milliseconds start_timeout_{0};
  bool was_killed_ = false;  // in the last try
  std::string policy_;
  std::string victim_name_;
};

}  // namespace ps

#endif  // PS_TESTS_PROCESS_KILL_JOB_H_
