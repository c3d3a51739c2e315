// Tensors: arrays of the caller or of the library, for the calls that take them.
#ifndef PS_C_TENSOR_H_
#define PS_C_TENSOR_H_

#include "ps/c/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// As ps::DType (and MXNet's codes).
enum PSDType {
  PS_F32 = 0,
  PS_F64 = 1,
  PS_F16 = 2,
  PS_U8 = 3,
  PS_I32 = 4,
  PS_I8 = 5,
  PS_I64 = 6,
  PS_BOOL = 7,
  PS_I16 = 8,
  PS_U16 = 9,
  PS_U32 = 10,
  PS_U64 = 11,
  PS_BF16 = 12
};

// Kinds of devices, DLPack's numbers.
enum PSDeviceKind { PS_CPU = 1, PS_CUDA = 2, PS_CUDA_HOST = 3 };

// A handle of an array; several may be of the same memory, which goes with the last that uses it, operations
// under way included. Memory of the library knows what pulls of a KVStore write it: the functions below that
// read or write it wait for that. The caller's (PSTensorFromPtr, PSTensorFromDLPack) does not, nor does any
// know of collectives and SharedModels: there the request has to be waited for.
typedef struct PSTensorObject* PSTensor;

// What an array is. Plain; last dimension fastest, no gaps.
typedef struct PSTensorInfo {
  size_t struct_size;
  int dtype;        // PSDType
  int device_kind;  // PSDeviceKind; 0: PS_CPU
  int device_index;
  int ndim;              // 0: one element; at most 64
  const int64_t* shape;  // ndim lengths, none below 0. From PSTensorGetInfo: until the tensor is freed, or
                         // becomes another one (PSKVStorePullRows)
  int row_sparse;        // 1: rows of an array, whose shape this is; PSTensorCreate makes one without rows
  size_t bytes;          // from PSTensorGetInfo: of the data
} PSTensorInfo;

// Memory of the library, zeros. Row-sparse: no rows yet, as PSKVStorePullRows wants them.
PS_C_API int PSTensorCreate(const PSTensorInfo* info, PSTensor* tensor);
// Memory of the caller, used where it lies; aligned for its elements. `deleter` (may be null) is called once,
// on any thread, when nobody uses it any more; not where this fails. Without one the memory has to stay until
// every request that uses it is done.
typedef void (*PSDeleter)(void* data, void* context);
PS_C_API int PSTensorFromPtr(void* data, const PSTensorInfo* info, PSDeleter deleter, void* context,
                             PSTensor* tensor);
// `managed` is a DLManagedTensor* (DLPack 0.x, the capsule `dltensor`), taken over; still the caller's where
// this fails.
PS_C_API int PSTensorFromDLPack(void* managed, PSTensor* tensor);
// The other way round: for the caller, who calls its deleter. Waits for what writes the tensor.
PS_C_API int PSTensorToDLPack(PSTensor tensor, void** managed);
// Some rows of an array of `shape`: `ids` (i64, ascending, each once) says which, `values` {ids, shape[1],
// ...} holds them.
PS_C_API int PSTensorCreateRowSparse(PSTensor ids, PSTensor values, int ndim, const int64_t* shape,
                                     PSTensor* tensor);
// New handles of the parts of a row-sparse tensor.
PS_C_API int PSTensorGetIds(PSTensor tensor, PSTensor* ids);
PS_C_API int PSTensorGetValues(PSTensor tensor, PSTensor* values);

PS_C_API int PSTensorGetInfo(PSTensor tensor, PSTensorInfo* info);  // struct_size is set by the caller
// The memory, when what writes it is done; of a row-sparse one that of its values.
PS_C_API int PSTensorGetData(PSTensor tensor, void** data);
// Returns when what writes it is done, with its outcome.
PS_C_API int PSTensorWait(PSTensor tensor);
// To and from `bytes` of the processor's memory, all of the tensor. Of a row-sparse one CopyTo gives the
// whole array, with zeros for the other rows, and CopyFrom fails: its values (PSTensorGetValues) are written.
PS_C_API int PSTensorCopyTo(PSTensor tensor, void* data, size_t bytes);
PS_C_API int PSTensorCopyFrom(PSTensor tensor, const void* data, size_t bytes);
PS_C_API int PSTensorFree(PSTensor tensor);

#ifdef __cplusplus
}
#endif

#endif  // PS_C_TENSOR_H_
