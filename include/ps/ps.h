// All a program needs: the classes, and the functions for programs with one node per process.
#ifndef PS_PS_H_
#define PS_PS_H_

// Programs rely on getting these with this header.
#include <inttypes.h>  // NOLINT: bare names such as uint64_t are used
#include <string.h>    // NOLINT: bare names such as strcmp are used

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <iostream>
#include <limits>
#include <memory>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "ps/alloc.h"
#include "ps/base.h"
#include "ps/config.h"
#include "ps/customer.h"
#include "ps/environment.h"
#include "ps/kv_app.h"
#include "ps/message.h"
#include "ps/postoffice.h"
#include "ps/range.h"
#include "ps/sarray.h"
#include "ps/simple_app.h"
#include "ps/status.h"
#include "ps/van.h"

namespace ps {

// These mean the node bound to the calling thread (threads of the runtime, ScopedPostoffice, the thread that
// called Start with a further customer id), else the first node of the process. Those that name a customer id
// mean the node started under it, from any thread. All throw Error on the calling thread; the Try functions
// return the Status instead.

// Before Start: from the configuration. After Finalize: 0, until the next Start.
int NumWorkers();
int NumServers();

// Before Start: from the configuration. Unchanged by Finalize.
bool IsWorker();
bool IsServer();
bool IsScheduler();

// The rank within the role, 0 for the scheduler. An error before Start.
int MyRank();

// Joins the cluster as the node `customer_id`. Returns when this node has its rank and all nodes have reached
// the same point; fails after PS_START_TIMEOUT, saying who is missing. `argv0` names the program in logs.
void Start(int customer_id, const char* argv0 = nullptr);
Status TryStart(int customer_id, const char* argv0 = nullptr);

// The same without the barrier at the end: all nodes are registered, and MyRank() may be asked.
void StartAsync(int customer_id, const char* argv0 = nullptr);
Status TryStartAsync(int customer_id, const char* argv0 = nullptr);

// Leaves the cluster: waits for the node's outstanding requests, with `do_barrier` also for all other nodes
// to do the same, and runs the exit callbacks.
void Finalize(int customer_id, const bool do_barrier = true);
Status TryFinalize(int customer_id, const bool do_barrier = true);

// Runs once, at the end of this node's Finalize and on its thread; several run in reverse order.
void RegisterExitCallback(const std::function<void()>& callback);

}  // namespace ps

#endif  // PS_PS_H_
