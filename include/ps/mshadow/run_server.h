// RunServer: a program's other processes than workers.
#ifndef PS_MSHADOW_RUN_SERVER_H_
#define PS_MSHADOW_RUN_SERVER_H_

#include "ps/mshadow/model_updater.h"
#include "ps/run_server.h"

namespace mshadow::ps {

// What a process that is no worker does instead of all this: it is the scheduler, or a server with the
// program's updaters of these types, until the job ends.
template <typename DType = float, typename... Others>
void RunServer(int argc, char** argv) {
  static_cast<void>(internal::UpdaterRule<DType>());
  (static_cast<void>(internal::UpdaterRule<Others>()), ...);
  ::ps::RunServer(argc, argv);
}

}  // namespace mshadow::ps

#endif  // PS_MSHADOW_RUN_SERVER_H_
