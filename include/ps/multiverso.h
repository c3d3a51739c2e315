// Multiverso's names over the library's store: such a program ports by including this instead.
//
//     #include "ps/multiverso.h"
//     int main(int argc, char* argv[]) {
//       multiverso::MV_Init(&argc, argv);
//       auto* table = multiverso::MV_CreateTable(multiverso::ArrayTableOption<float>(1000));
//       if (table != nullptr) {  // null where the process has no worker
//         ... table->AddAsync(delta, 1000); table->Get(weights, 1000); ...
//       }
//       multiverso::MV_ShutDown();
//     }
//
// Alone it is one process, worker and server; `tracker/local.sh --joint 4 program` are four (process.h).
// Below are the tables of ps/table.h, which have more; what a table of the store can, `store_table()` gives.
//
// What is otherwise than in Multiverso, by purpose:
//
//   errors       ps::Error, where it aborted or hung: wrong sizes, rows, names, values of flags, tables that
//                processes make in another order, processes that are missing
//   MV_Barrier   waits for the Adds of this process, too, waited for or not
//   sync         rounds are counted by table, so Adds of rows may reach one server alone; any number of
//                tables
//   ids          of workers and servers are stable from run to run, not in order of arrival; ranks too
//   sizes        any, also fewer elements or rows than servers; which server has what is the store's matter
//   Gets         several may be under way on one table
//   delta Gets   what changed is compared by versions at the reader: a reply that is lost loses nothing, the
//                adder sees its own Adds, and where nothing has changed nothing is sent
//   filter       the sparse form is exact for every type, all of it below the clip reads as zeros
//   updaters     adagrad is what it was meant to be; an integer table has sgd too, and refuses what it
//                can not have; unknown names are errors
//   AddOption    a table has one set of rates, whoever adds: those of an Add hold from then on for all
//                workers, and are sent where they differ from what this worker has said last; without an
//                option nothing changes
//   user tables  servers are numbers from 0 on, never ranks (Partition). They have no rounds: with sync they
//                are refused
//   the job      its scheduler may be a process by itself, whose MV_Init ends the process when the job has
//                ended. Servers run the program, not ps_node. A process that is lost is named to the
//                others, and can not come back
//   MV_Aggregate  takes numbers of any type, and there need be no MPI; each process has to have a worker
//   no effect    omp_threads, backup_worker_ratio, allocator_type, allocator_alignment, logtostderr
#ifndef PS_MULTIVERSO_H_
#define PS_MULTIVERSO_H_

#include "ps/multiverso/array_table.h"        // ArrayTableOption, ArrayWorker
#include "ps/multiverso/blob.h"               // Blob
#include "ps/multiverso/create_table.h"       // MV_CreateTable
#include "ps/multiverso/create_user_table.h"  // DEFINE_TABLE_TYPE
#include "ps/multiverso/dashboard.h"          // MONITOR_BEGIN, MONITOR_END, Dashboard
#include "ps/multiverso/flags.h"              // MV_DEFINE_*, MV_SetFlag
#include "ps/multiverso/kv_tables.h"          // KVTableOption, KVWorkerTable, KVServerTable
#include "ps/multiverso/matrix_table.h"       // MatrixTableOption, MatrixOption, SparseMatrixTableOption
#include "ps/multiverso/message.h"            // Message
#include "ps/multiverso/msg_type.h"           // MsgType
#include "ps/multiverso/options.h"            // AddOption, GetOption
#include "ps/multiverso/process.h"            // MV_Init, MV_Barrier, MV_ShutDown, MV_Rank, ...
#include "ps/multiverso/server_table.h"       // ServerTable
#include "ps/multiverso/stream.h"             // Stream
#include "ps/multiverso/worker_table.h"       // WorkerTable

#endif  // PS_MULTIVERSO_H_
