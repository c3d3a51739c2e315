// A job of Multiverso's processes, each a thread of the test with a session of its own.
#ifndef PS_TESTS_SUPPORT_MULTIVERSO_JOB_H_
#define PS_TESTS_SUPPORT_MULTIVERSO_JOB_H_

#include <exception>
#include <functional>
#include <future>
#include <vector>

#include "cluster/roll.h"
#include "table/multiverso/session.h"
#include "tests/support/inproc_vans.h"

namespace multiverso {

// What a call throws; ok: nothing.
template <typename Call>
ps::Status StatusOf(Call call) {
  try {
    call();
  } catch (const ps::Error& error) {
    return error.status();
  }
  return ps::Status::Ok();
}

// Which nodes each process has; the scheduler is in the first one.
using Processes = std::vector<ps::ProcessMembers>;

inline ProcessPlan PlanOf(const ps::InprocVans& vans, const ps::ProcessMembers& process, bool has_scheduler) {
  ProcessPlan plan;
  plan.kind = ProcessPlan::kCluster;
  if (has_scheduler) plan.nodes.push_back(vans.ConfigOf(ps::Role::kScheduler, -1));
  if (process.server >= 0) plan.nodes.push_back(vans.ConfigOf(ps::Role::kServer, process.server));
  if (process.worker >= 0) plan.nodes.push_back(vans.ConfigOf(ps::Role::kWorker, process.worker));
  return plan;
}

// Runs `program` between the start and the end of each process's session. Throws the first error.
inline void RunJob(const Processes& processes, const TableDefaults& defaults,
                   const std::function<void()>& program) {
  int workers = 0;
  int servers = 0;
  for (const ps::ProcessMembers& process : processes) {
    if (process.worker >= 0) ++workers;
    if (process.server >= 0) ++servers;
  }
  const ps::InprocVans vans(workers, servers);
  std::vector<std::future<void>> running;
  for (std::size_t i = 0; i < processes.size(); ++i) {
    running.push_back(std::async(std::launch::async, [&, i] {
      Session session(vans.factory());
      const ScopedSession bound(&session);
      session.Start(PlanOf(vans, processes[i], i == 0), defaults, "test");
      program();
      session.End();
    }));
  }
  std::exception_ptr first;
  for (std::future<void>& one : running) {
    try {
      one.get();
    } catch (...) {
      if (first == nullptr) first = std::current_exception();
    }
  }
  if (first != nullptr) std::rethrow_exception(first);
}

}  // namespace multiverso

#endif  // PS_TESTS_SUPPORT_MULTIVERSO_JOB_H_
