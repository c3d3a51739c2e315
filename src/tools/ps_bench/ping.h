// Round trips to a node of a running job.
#ifndef PS_TOOLS_PS_BENCH_PING_H_
#define PS_TOOLS_PS_BENCH_PING_H_

#include <string>

namespace ps::bench {

struct PingOptions {
  std::string scheduler;  // HOST:PORT; empty: as the environment says
  int count = 5;
  double timeout_s = 5;
};

// Asks the node at the scheduler's address, so often, and prints how long its answers took and what they say.
// It takes no place in the job: a ping is the first frame of a registration of somebody who has a
// PS_JOB_TOKEN and proves nothing. A job with a token answers it with a challenge and keeps nothing; a job
// without one refuses it. Both decide before any rule of registration is looked at (van/handshake.h). What
// it leaves behind at a job without token is a line a second in the log at most, and the count
// of refused tokens. Returns the exit code; says on standard error what went wrong.
int Ping(const PingOptions& options);

}  // namespace ps::bench

#endif  // PS_TOOLS_PS_BENCH_PING_H_
