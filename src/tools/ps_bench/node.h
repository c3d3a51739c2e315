// A node of a measured job: what the processes run that ps_bench starts.
#ifndef PS_TOOLS_PS_BENCH_NODE_H_
#define PS_TOOLS_PS_BENCH_NODE_H_

#include <string>

namespace ps::bench {

// The node that the environment describes. `work` is a name of work.h, or "none": it only starts and ends.
// A setting `inline` has the server's handle run on the receiving thread. Returns the exit code; says on
// standard error what went wrong.
int RunNode(const std::string& work, const std::string& settings);

}  // namespace ps::bench

#endif  // PS_TOOLS_PS_BENCH_NODE_H_
