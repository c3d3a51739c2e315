// A C program's answers to the commands of workers.
#ifndef PS_C_API_SERVER_H_
#define PS_C_API_SERVER_H_

#include "ps/c/runtime.h"
#include "ps/run_server.h"

namespace ps::c_api {

// Null for null: every command is unknown then.
KVController ControllerOf(PSServerController controller, void* context);

}  // namespace ps::c_api

#endif  // PS_C_API_SERVER_H_
