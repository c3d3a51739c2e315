#ifndef PS_EXAMPLES_TABLE_JOB_WORKER_SUMS_H_
#define PS_EXAMPLES_TABLE_JOB_WORKER_SUMS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "ps/store.h"
#include "ps/table.h"

namespace table_job {

// Adds numbers of all workers up: losses, examples, and the like.
class WorkerSums {
 public:
  // A table `name` of `size` numbers, in rounds (BSP) that replace what was there by the sum of the round.
  WorkerSums(ps::Store& store, const std::string& name, std::size_t size);

  // Of all workers, which call it equally often and get the same bits. Returns when all have called. Numbers
  // that are left out are 0. Throws ps::Error.
  std::vector<double> Sum(std::vector<double> own);

 private:
  ps::ArrayTable<double> table_;
};

}  // namespace table_job

#endif  // PS_EXAMPLES_TABLE_JOB_WORKER_SUMS_H_
