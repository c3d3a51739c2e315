// KVStore: synchronisation by key, after MXNet's C functions.
//
// `num` keys and tensors belong together by place; a key that is named several times has the values of
// several devices. Plain forms take numbers, forms with Str texts; a store has one kind. docs of the
// behaviour: ps/kvstore.h. One thread at a time per store.
#ifndef PS_C_KVSTORE_H_
#define PS_C_KVSTORE_H_

#include "ps/c/base.h"
#include "ps/c/runtime.h"
#include "ps/c/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct PSKVStoreObject* PSKVStore;

typedef struct PSKVStoreOptions {
  size_t struct_size;
  const char* name;  // the name space of the keys; null: kv
  PSNode node;
  int mean;                // synchronous: the workers' values are averaged
  int64_t bigarray_bound;  // 0: 1,000,000
  int64_t slice_bytes;     // 0: PS_SLICE_BYTES; -1: whole
  int64_t timeout_ms;      // how long calls wait that take a `request` which is null, instead of
                           // PS_REQUEST_TIMEOUT; 0: that. PS_DEADLINE_EXCEEDED says who is missing; the
                           // operation goes on, and still writes what is pulled into: tensors of the
                           // caller's memory need a deleter then, or stay until the store was freed. Other
                           // calls (Init, Broadcast, Barrier, ...) have their own times
} PSKVStoreOptions;

// local, device, nccl, dist_sync, dist_async, dist_ssp:<bound>, dist_device_sync, dist_device_async, ...
PS_C_API int PSKVStoreCreate(const char* type, const PSKVStoreOptions* options, PSKVStore* store);
// What fails here, as of values that were pushed and not waited for, is only logged: PSKVStoreBarrier, or the
// requests, tell it before.
PS_C_API int PSKVStoreFree(PSKVStore store);
PS_C_API int PSKVStoreGetType(PSKVStore store, const char** type);
PS_C_API int PSKVStoreGetRank(PSKVStore store, int* rank);
PS_C_API int PSKVStoreGetNumWorkers(PSKVStore store, int* number);
PS_C_API int PSKVStoreIsCapable(PSKVStore store, const char* capability, int* capable);
// Whether stores of a type have servers, so that the program runs in roles.
PS_C_API int PSKVStoreIsDistributed(const char* type, int* distributed);

PS_C_API int PSKVStoreInit(PSKVStore store, uint32_t num, const int64_t* keys, const PSTensor* values);
PS_C_API int PSKVStoreInitStr(PSKVStore store, uint32_t num, const char* const* keys, const PSTensor* values);
PS_C_API int PSKVStorePush(PSKVStore store, uint32_t num, const int64_t* keys, const PSTensor* values,
                           int priority, PSRequest* request);
PS_C_API int PSKVStorePushStr(PSKVStore store, uint32_t num, const char* const* keys, const PSTensor* values,
                              int priority, PSRequest* request);
// PullEx with ignore_sparse 1: row-sparse outs are left alone.
PS_C_API int PSKVStorePull(PSKVStore store, uint32_t num, const int64_t* keys, const PSTensor* outs,
                           int priority, PSRequest* request);
PS_C_API int PSKVStorePullStr(PSKVStore store, uint32_t num, const char* const* keys, const PSTensor* outs,
                              int priority, PSRequest* request);
PS_C_API int PSKVStorePullEx(PSKVStore store, uint32_t num, const int64_t* keys, const PSTensor* outs,
                             int priority, int ignore_sparse, PSRequest* request);
PS_C_API int PSKVStorePullExStr(PSKVStore store, uint32_t num, const char* const* keys, const PSTensor* outs,
                                int priority, int ignore_sparse, PSRequest* request);
// One `row_ids` per out, which becomes a row-sparse tensor of these rows: the handles in `outs` are then of
// it. Before they are row-sparse tensors of any rows, or of none (PSTensorCreate).
PS_C_API int PSKVStorePullRows(PSKVStore store, uint32_t num, const int64_t* keys, const PSTensor* outs,
                               const PSTensor* row_ids, int priority, PSRequest* request);
PS_C_API int PSKVStorePullRowsStr(PSKVStore store, uint32_t num, const char* const* keys,
                                  const PSTensor* outs, const PSTensor* row_ids, int priority,
                                  PSRequest* request);
PS_C_API int PSKVStoreBroadcast(PSKVStore store, uint32_t num, const int64_t* keys, uint32_t num_outs,
                                const int64_t* out_keys, const PSTensor* values, const PSTensor* outs,
                                int priority);
PS_C_API int PSKVStoreBroadcastStr(PSKVStore store, uint32_t num, const char* const* keys, uint32_t num_outs,
                                   const char* const* out_keys, const PSTensor* values, const PSTensor* outs,
                                   int priority);
PS_C_API int PSKVStorePushPull(PSKVStore store, uint32_t num, const int64_t* keys, uint32_t num_outs,
                               const int64_t* out_keys, const PSTensor* values, const PSTensor* outs,
                               int priority, PSRequest* request);
PS_C_API int PSKVStorePushPullStr(PSKVStore store, uint32_t num, const char* const* keys, uint32_t num_outs,
                                  const char* const* out_keys, const PSTensor* values, const PSTensor* outs,
                                  int priority, PSRequest* request);
// Writes values as they are, whatever the optimizer; by one worker.
PS_C_API int PSKVStoreSet(PSKVStore store, uint32_t num, const int64_t* keys, const PSTensor* values,
                          PSRequest* request);
PS_C_API int PSKVStoreSetStr(PSKVStore store, uint32_t num, const char* const* keys, const PSTensor* values,
                             PSRequest* request);
// All workers together.
PS_C_API int PSKVStoreErase(PSKVStore store, uint32_t num, const int64_t* keys);
PS_C_API int PSKVStoreEraseStr(PSKVStore store, uint32_t num, const char* const* keys);

#ifdef __cplusplus
}
#endif

#endif  // PS_C_KVSTORE_H_
