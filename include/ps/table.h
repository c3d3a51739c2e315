// Tables: arrays, matrices and maps that all workers share, after Multiverso's.
#ifndef PS_TABLE_H_
#define PS_TABLE_H_

#include "ps/array_table.h"    // ArrayTable<T>
#include "ps/async_buffer.h"   // AsyncBuffer<Buffer>
#include "ps/kv_table.h"       // KVTable<V>
#include "ps/matrix_table.h"   // MatrixTable<T>
#include "ps/table_options.h"  // ArrayOptions and so on; AddOption

#endif  // PS_TABLE_H_
