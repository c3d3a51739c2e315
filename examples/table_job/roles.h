#ifndef PS_EXAMPLES_TABLE_JOB_ROLES_H_
#define PS_EXAMPLES_TABLE_JOB_ROLES_H_

#include <functional>

#include "ps/store.h"

namespace table_job {

// A program whose workers share tables. In a job it is the scheduler, a server or a worker, as DMLC_ROLE
// says; without one `work` runs on a store inside this process. Returns the exit code of `work`; of the
// others 0. Throws ps::Error, and what `work` throws.
int Run(const std::function<int(ps::Store& store)>& work);

}  // namespace table_job

#endif  // PS_EXAMPLES_TABLE_JOB_ROLES_H_
