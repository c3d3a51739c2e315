// Rules of the program's own, for the servers (PSRunServer) and for stores of this process. Registered before
// tables use them, under a new name, on every server of the job.
#ifndef PS_C_UPDATER_H_
#define PS_C_UPDATER_H_

#include "ps/c/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// Consecutive elements of a table and what came for them; valid during the call.
typedef struct PSUpdaterCall {
  size_t struct_size;
  void* values;
  const void* delta;
  void* const* states;  // as many arrays as were asked for, each of `size` elements, zeros at first
  size_t size;
  int64_t count;  // of updates of this table on this server, this one included
  int worker;     // who sent it; of a merged round 0
  int dtype;      // PSDType; of 16-bit tables PS_F32
} PSUpdaterCall;
// May be called by several threads for different elements.
typedef int (*PSUpdaterFunction)(const PSUpdaterCall* call, void* context);
// `context` is used until the process ends.
PS_C_API int PSRegisterUpdater(const char* name, PSUpdaterFunction update, int num_states, void* context);

// A rule of a SharedModel: one object per server (of local and allreduce per process) and model, told of each
// key. Members that are null are left out; `update` is needed.
typedef struct PSModelUpdater {
  size_t struct_size;
  // `*object` is handed to the others as their `object`; `context` of PSRegisterModelUpdater.
  int (*create)(int dtype, void* context, void** object);
  int (*set_param)(void* object, const char* name, const char* value);
  int (*init_updater)(void* object, int rank, int argc, char** argv);
  // `weight` is zeros, and may be set.
  int (*init_model)(void* object, int key, void* weight, size_t size);
  // Calls for one key come one after the other, for two keys perhaps at the same time.
  int (*update)(void* object, int key, void* weight, const void* delta, size_t size);
  void (*destroy)(void* object);
} PSModelUpdater;
PS_C_API int PSRegisterModelUpdater(const char* name, const PSModelUpdater* functions, void* context);

#ifdef __cplusplus
}
#endif

#endif  // PS_C_UPDATER_H_
