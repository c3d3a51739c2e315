// SharedModel: the devices of a process share arrays by key. docs of the behaviour: ps/shared_model.h.
#ifndef PS_C_MODEL_H_
#define PS_C_MODEL_H_

#include "ps/c/base.h"
#include "ps/c/runtime.h"
#include "ps/c/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct PSSharedModelObject* PSSharedModel;

typedef struct PSSharedModelOptions {
  size_t struct_size;
  PSNode node;
  const char* name;  // models of one name share their keys; null: model
} PSSharedModelOptions;

// local, dist, allreduce.
PS_C_API int PSSharedModelCreate(const char* type, const PSSharedModelOptions* options, PSSharedModel* model);
PS_C_API int PSSharedModelSetParam(PSSharedModel model, const char* name, const char* value);
// Rule and options, as `sgd lr=.1`, or one of PSRegisterModelUpdater.
PS_C_API int PSSharedModelSetUpdater(PSSharedModel model, const char* updater);
PS_C_API int PSSharedModelInit(PSSharedModel model, size_t num_devices, const int* devices);
PS_C_API int PSSharedModelInitKey(PSSharedModel model, int key, int device, int dtype, int ndim,
                                  const int64_t* shape);

// `data` is used where it lies, unchanged until the matching pull is done. A null `request` does not wait:
// only for room for a further round.
PS_C_API int PSSharedModelPush(PSSharedModel model, PSTensor data, int key, int device, int priority,
                               PSRequest* request);
// Called once, when the result is in the data (of a CUDA device: is on its way on `stream`, a cudaStream_t).
// It must not wait. Not called where the pull fails.
typedef int (*PSSharedModelCallback)(void* stream, void* context);
// The result, into `data`. Does not wait for it: PSSharedModelPullWait, or the request, does. Waits only for
// what a KVStore still writes to the tensor.
PS_C_API int PSSharedModelPullReq(PSSharedModel model, PSTensor data, int key, int device, int priority,
                                  PSSharedModelCallback callback, void* context, PSRequest* request);
// Returns when the device's last PullReq of the key is done, callback included. -1: as long as it takes, or
// as the model's own time-out says. After PS_DEADLINE_EXCEEDED the arrays are still in use: PSRequestDone of
// the pull's request tells until when.
PS_C_API int PSSharedModelPullWait(PSSharedModel model, int key, int device, int64_t timeout_ms);
PS_C_API int PSSharedModelCheckWeight(PSSharedModel model, PSTensor data, int key, int device);
PS_C_API int PSSharedModelSetWeight(PSSharedModel model, PSTensor data, int key, int device);
// A device takes part no more; the others are told `why`.
PS_C_API int PSSharedModelFail(PSSharedModel model, int device, const char* why);
// Fails what waits; when it returns no callback runs or will run.
PS_C_API int PSSharedModelClose(PSSharedModel model);
PS_C_API int PSSharedModelFree(PSSharedModel model);

#ifdef __cplusplus
}
#endif

#endif  // PS_C_MODEL_H_
