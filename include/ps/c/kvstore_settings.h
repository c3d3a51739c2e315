// KVStore: what becomes of pushed values, what is known of keys, checkpoints, the other workers.
#ifndef PS_C_KVSTORE_SETTINGS_H_
#define PS_C_KVSTORE_SETTINGS_H_

#include "ps/c/kvstore.h"

#ifdef __cplusplus
extern "C" {
#endif

// Pointers are until the next call on this thread that gives text.
typedef struct PSKVKeyInfo {
  size_t struct_size;
  int ndim;
  const int64_t* shape;
  int dtype;
  int row_sparse;
  const char* mode;  // bsp, ssp:<bound>, asp
  int num_servers;
  const int* servers;  // ranks of those that have a part
} PSKVKeyInfo;
PS_C_API int PSKVStoreHas(PSKVStore store, int64_t key, int* has);
PS_C_API int PSKVStoreHasStr(PSKVStore store, const char* key, int* has);
PS_C_API int PSKVStoreKeyInfo(PSKVStore store, int64_t key, PSKVKeyInfo* info);
PS_C_API int PSKVStoreKeyInfoStr(PSKVStore store, const char* key, PSKVKeyInfo* info);

// `adam lr=1e-3 wd=.01`, for all keys.
PS_C_API int PSKVStoreSetOptimizer(PSKVStore store, const char* spec);
// Options of the rule from a round on (0: at once), for all keys (`num_keys` 0) or these.
PS_C_API int PSKVStoreSetHyper(PSKVStore store, uint32_t num, const char* const* names,
                               const char* const* values, uint64_t from_round, uint32_t num_keys,
                               const int64_t* keys);
PS_C_API int PSKVStoreSetHyperStr(PSKVStore store, uint32_t num, const char* const* names,
                                  const char* const* values, uint64_t from_round, uint32_t num_keys,
                                  const char* const* keys);
// Stores of this process: makes `stored` of `received`, in place, on the pushing thread. The callee frees
// both handles. PSKVStoreFree on another thread does not wait for it: `context` stays until the push has
// returned, too.
typedef int (*PSKVStoreUpdater)(int64_t key, PSTensor received, PSTensor stored, void* context);
typedef int (*PSKVStoreStrUpdater)(const char* key, PSTensor received, PSTensor stored, void* context);
PS_C_API int PSKVStoreSetUpdater(PSKVStore store, PSKVStoreUpdater updater, void* context);
// For either kind of key; one of them may be null. SetOptimizer takes its place.
PS_C_API int PSKVStoreSetUpdaterEx(PSKVStore store, PSKVStoreUpdater updater, PSKVStoreStrUpdater str_updater,
                                   void* context);
PS_C_API int PSKVStoreSetCompression(PSKVStore store, uint32_t num, const char* const* names,
                                     const char* const* values);

PS_C_API int PSKVStoreSaveOptimizerStates(PSKVStore store, const char* uri);
PS_C_API int PSKVStoreLoadOptimizerStates(PSKVStore store, const char* uri, int load_optimizer);
PS_C_API int PSKVStoreCheckpoint(PSKVStore store, const char* uri);
PS_C_API int PSKVStoreRestore(PSKVStore store, const char* uri);

// Meets the other workers, when all that this one has pushed has come. -1: PS_BARRIER_TIMEOUT; 0: 1 ms.
// `flags`: 0.
PS_C_API int PSKVStoreBarrier(PSKVStore store, int64_t timeout_ms, int flags);
PS_C_API int PSKVStoreSetBarrierBeforeExit(PSKVStore store, int barrier_before_exit);
PS_C_API int PSKVStoreGetNumDeadNode(PSKVStore store, int node_id, int timeout_s, int* number);
// Returns when all servers have answered.
PS_C_API int PSKVStoreSendCommand(PSKVStore store, int head, const char* body);
// This worker pushes no more: rounds are made without it.
PS_C_API int PSKVStoreLeave(PSKVStore store);

#ifdef __cplusplus
}
#endif

#endif  // PS_C_KVSTORE_SETTINGS_H_
