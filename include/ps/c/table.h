// Tables: arrays, matrices and maps that all workers share.
#ifndef PS_C_TABLE_H_
#define PS_C_TABLE_H_

#include "ps/c/base.h"
#include "ps/c/store.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct PSTableObject* PSTable;

enum PSTableKind { PS_ARRAY = 1, PS_MATRIX = 2, PS_MAP = 3 };

// What a table is; all workers have to say alike what is not marked as a worker's own.
typedef struct PSTableOptions {
  size_t struct_size;
  int kind;             // PSTableKind; needed
  const char* name;     // 1 to 255 bytes, its identity; needed
  int dtype;            // PSDType
  int64_t rows;         // of an array: its size; of a map: 0
  int64_t cols;         // of a matrix; of a map: numbers per key, 0: 1
  const char* updater;  // rule and options, as `adagrad lr=0.1` (ps/updater.h); null: add
  const char* mode;     // asp (null), bsp, bsp:<backup>, ssp:<bound>
  const char* init;     // a number, uniform:<low>:<high>:<seed>, first_write; null: 0
  // none (null), sparse, f16, bf16, 2bit:<threshold>, 1bit:<threshold>, topk:<share>, fixed:<bytes>
  const char* push_codec;
  const char* pull_codec;
  int merged;           // bsp: the rule sees the sum of a round, once
  int mean;             // merged: divided by the number of workers
  int multi_precision;  // 16-bit floats are kept in f32 at the servers
  int64_t min_split;    // up to so many elements on one server; 0: 1,000,000
  int delta;            // of a matrix, a worker's own: reads bring only rows that have changed
  int buffers;          // delta, a worker's own: buffers that are read into in turns; 0: 1
  int manual_close;     // bsp: Adds do not end a round, PSTableCloseRound does
  int any_order;        // merged: sums are made as values come, not in order of the workers
} PSTableOptions;

// Makes the table, or opens it. PS_ALREADY_EXISTS says what differs where others mean another one.
PS_C_API int PSTableCreate(PSStore store, const PSTableOptions* options, PSTable* table);
// Elements of the whole table; of a map 0.
PS_C_API int PSTableGetSize(PSTable table, int64_t* rows, int64_t* cols);
PS_C_API int PSTableGetDType(PSTable table, int* dtype);

// What a call is about, and its array: `ids` null is the whole table, else `num_ids` rows of a matrix or keys
// of a map, in any order, which may repeat. `values` are `num_values` elements of the table's dtype, row
// after row; PS_INVALID_ARGUMENT where that is not what the ids need.
typedef struct PSTableValues {
  size_t struct_size;
  const int64_t* ids;
  size_t num_ids;
  void* values;  // of adds and sets only read
  size_t num_values;
  int priority;      // higher first
  int borrow;        // adds: values are not copied, and stay unchanged until the request is done
  int buffer;        // delta reads: which of the buffers; -1: everything is read
  const char* rule;  // adds: options of the rule that hold from now on, as `lr=0.1`
  // Delta reads, where wanted: which places of `ids` (null: which rows) came, in no order, as many as
  // `num_changed` says when the read is done. Room for all of them.
  uint32_t* changed;
  size_t* num_changed;
} PSTableValues;

PS_C_API int PSTableAdd(PSTable table, const PSTableValues* what, PSRequest* request);
PS_C_API int PSTableGet(PSTable table, const PSTableValues* what, PSRequest* request);
// Writes values as they are, whatever the rule.
PS_C_API int PSTableSet(PSTable table, const PSTableValues* what, PSRequest* request);
// These keys of a map, or rows of a matrix, are as never written.
PS_C_API int PSTableErase(PSTable table, const int64_t* ids, size_t num_ids, PSRequest* request);
// Rule and options; values stay.
PS_C_API int PSTableSetUpdater(PSTable table, const char* updater, PSRequest* request);
// Options of the rule, as `lr=0.1`; bsp: from a round on, 0: at once.
PS_C_API int PSTableSetOptions(PSTable table, const char* options, uint64_t from_round, PSRequest* request);
// Ends the round of this worker, of a table with manual_close.
PS_C_API int PSTableCloseRound(PSTable table, PSRequest* request);
// This worker adds no more: the others go on without it.
PS_C_API int PSTableLeave(PSTable table, PSRequest* request);
PS_C_API int PSTableFree(PSTable table);

#ifdef __cplusplus
}
#endif

#endif  // PS_C_TABLE_H_
