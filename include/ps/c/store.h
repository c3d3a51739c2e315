// The store: a worker's end of the servers' tables, and their checkpoints.
#ifndef PS_C_STORE_H_
#define PS_C_STORE_H_

#include "ps/c/base.h"
#include "ps/c/runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct PSStoreObject* PSStore;

// On a worker, which is started where it is not, and then finalized with its last store. One per node at a
// time: asked for again, it is the same store with a handle more. In a callback of the node, while the last
// handle is freed: PS_FAILED_PRECONDITION.
PS_C_API int PSStoreCreate(PSNode node, PSStore* store);
// Inside this process, without a cluster: `workers` stores on the same `servers`. `threads` of each server;
// 0: the caller does the work.
PS_C_API int PSStoreLocal(int servers, int workers, int threads, PSStore* stores);
PS_C_API int PSStoreGetRank(PSStore store, int* rank);
PS_C_API int PSStoreGetNumWorkers(PSStore store, int* number);
PS_C_API int PSStoreGetNumServers(PSStore store, int* number);

// Returns when all that this worker has added is ordered at its servers.
PS_C_API int PSStoreFlush(PSStore store);
// Flush, and meets the other workers. -1: PS_BARRIER_TIMEOUT; 0: 1 ms.
PS_C_API int PSStoreBarrier(PSStore store, int64_t timeout_ms);
// Forgets a table on all servers, whoever else uses it.
PS_C_API int PSStoreEraseTable(PSStore store, const char* name, PSRequest* request);

// A command for the controller of each server (PSRunServer), of this worker's cluster; returns when all have
// answered. Of a store in this process: PS_FAILED_PRECONDITION.
PS_C_API int PSStoreSendCommand(PSStore store, int head, const char* body);

typedef struct PSSaveOptions {
  size_t struct_size;
  int keep;            // the newest checkpoints that stay; 0: 2
  const char* prefix;  // only tables whose names begin so
} PSSaveOptions;
// Writes tables that this worker has open below `uri`; one worker at a time. `step` (may be null): which
// checkpoint it is.
PS_C_API int PSStoreSave(PSStore store, const char* uri, const PSSaveOptions* options, uint64_t* step);

enum PSLoadWhat { PS_LOAD_ALL = 0, PS_LOAD_STATES_AND_RULE = 1, PS_LOAD_STATES = 2 };
typedef struct PSLoadOptions {
  size_t struct_size;
  int what;  // PSLoadWhat
  const char* prefix;
} PSLoadOptions;
// Takes the newest complete checkpoint; all workers together.
PS_C_API int PSStoreLoad(PSStore store, const char* uri, const PSLoadOptions* options, uint64_t* step);

// Fails what is under way, and refuses more, whoever else has a handle. In a rule of the store itself, where
// that is of this process: PS_FAILED_PRECONDITION, of Free as well.
PS_C_API int PSStoreClose(PSStore store);
// The last one of a store, its tables included, closes it: adds that were not waited for fail (PSStoreFlush
// before), and so does the end of a node that was started here; what fails then is only logged.
PS_C_API int PSStoreFree(PSStore store);

#ifdef __cplusplus
}
#endif

#endif  // PS_C_STORE_H_
