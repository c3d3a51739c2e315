#include "transport/shm/spin.h"

#include <sched.h>
#include <sys/resource.h>

namespace ps {

SpinPolicy::SpinPolicy(int64_t spin_us, int num_processors)
    : spin_us_(spin_us >= 0                          ? spin_us
               : num_processors >= kFewestProcessors ? kDefaultUs
                                                     : 0) {}

int64_t SpinPolicy::BudgetUs(int64_t now_us, int64_t switches) {
  if (switches_ >= 0 && switches > switches_) back_off_until_us_ = now_us + kBackOffUs;
  switches_ = switches;
  return now_us < back_off_until_us_ ? 0 : spin_us_;
}

int NumProcessors() {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;
}

int64_t InvoluntarySwitches() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nivcsw;
}

}  // namespace ps
