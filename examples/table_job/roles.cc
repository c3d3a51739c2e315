#include "examples/table_job/roles.h"

#include <cstdlib>

#include "ps/kvstore.h"
#include "ps/ps.h"

namespace table_job {
namespace {

int RunWorker(const std::function<int(ps::Store& store)>& work) {
  ps::Start(0);
  int exit_code = 0;
  {
    ps::Store store(ps::Postoffice::Get());
    exit_code = work(store);
  }
  ps::Finalize(0);
  return exit_code;
}

}  // namespace

int Run(const std::function<int(ps::Store& store)>& work) {
  if (std::getenv("DMLC_ROLE") == nullptr) return work(*ps::Store::Local().front());
  if (ps::IsWorker()) return RunWorker(work);
  ps::RunServer();  // the scheduler and the servers, until the workers are done
  return 0;
}

}  // namespace table_job
