// Collectives: what all workers of a job do together, in the same order. docs: ps/collective.h. `node`: a
// worker; it is started where it is not.
#ifndef PS_C_COLLECTIVE_H_
#define PS_C_COLLECTIVE_H_

#include "ps/c/base.h"
#include "ps/c/runtime.h"
#include "ps/c/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

enum PSReduceOp { PS_SUM = 0, PS_PROD = 1, PS_MIN = 2, PS_MAX = 3 };

// The rank among the workers that take part, and their number.
PS_C_API int PSCollectiveGetRank(PSNode node, int* rank);
PS_C_API int PSCollectiveGetSize(PSNode node, int* size);
// In place.
PS_C_API int PSAllreduce(PSNode node, PSTensor values, int op);
// The same, matched by name instead of by order. With a request the memory is used where it lies: nobody else
// writes or reads it until that is done.
PS_C_API int PSAllreduceNamed(PSNode node, PSTensor values, int op, const char* name, PSRequest* request);
PS_C_API int PSBroadcast(PSNode node, PSTensor values, int root);
// Rank r gets elements [r n / P, (r + 1) n / P) of the reduction of `values` in `part`.
PS_C_API int PSReduceScatter(PSNode node, PSTensor values, PSTensor part, int op);
PS_C_API int PSAllgather(PSNode node, PSTensor part, PSTensor all);
PS_C_API int PSCollectiveBarrier(PSNode node);

#ifdef __cplusplus
}
#endif

#endif  // PS_C_COLLECTIVE_H_
