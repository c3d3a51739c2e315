// A job of separate processes on this machine: scheduler, servers, workers.
#ifndef PS_TOOLS_PS_BENCH_JOB_H_
#define PS_TOOLS_PS_BENCH_JOB_H_

#include <memory>
#include <string>
#include <vector>

#include "tools/ps_bench/child.h"
#include "tools/ps_bench/figures.h"

namespace ps::bench {

struct JobPlan {
  int servers = 1;
  int workers = 1;
  std::string transport = "auto";  // DMLC_PS_VAN_TYPE
  std::string work;                // what the nodes do, see node.h
  Figures settings;                // of the work
  Child::Variables variables;      // further ones, for all nodes
};

// Started by the constructor. The workers measure in turns; the others serve them until they leave. Throws as
// Child does.
class Job {
 public:
  Job(const JobPlan& plan, const Interrupts* interrupts);

  void AwaitReady();
  // Lets all workers measure at the same time.
  Figures Run();
  // Leaves the cluster; every node must end with exit code 0.
  void Finish();
  // Of each node.
  std::vector<double> ProcessorSeconds() const;

 private:
  void Start(const std::string& role, int count, const JobPlan& plan, const Child::Variables& variables);

  const Interrupts* const interrupts_;
  std::vector<std::unique_ptr<Child>> nodes_;  // workers last
  size_t num_workers_;
};

}  // namespace ps::bench

#endif  // PS_TOOLS_PS_BENCH_JOB_H_
