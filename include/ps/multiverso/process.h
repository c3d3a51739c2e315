// MV_Init and its kin: how a Multiverso program begins, finds the others, and ends.
#ifndef PS_MULTIVERSO_PROCESS_H_
#define PS_MULTIVERSO_PROCESS_H_

#include "ps/dtype_of.h"
#include "ps/multiverso/flags.h"
#include "ps/tensor.h"

// How a process finds its cluster:
//
//   DMLC_* set             as every program of the library (README.md). It is worker, server or both, as
//                          -ps_role says, where it was given, else DMLC_ROLE (worker, server, joint). A
//                          process of both has two nodes, each counted in its own DMLC_NUM_WORKER or
//                          DMLC_NUM_SERVER; DMLC_PORT is the server's. `tracker/local.sh --joint N program`
//                          starts N of them, `tracker/local.sh S W program` others. DMLC_ROLE=scheduler: see
//                          MV_Init
//   -machine_file=names    the addresses of all processes, one a line, worker and server each; the line that
//                          is an address of this machine (DMLC_NODE_HOST, where it is set) is its rank. The
//                          first one's process has the scheduler, too, at -port; other ports are free ones
//   MV_NetBind, _NetConnect  the same, said by calls before MV_Init
//   neither                alone: worker and server in one process
//
// A process is one rank: those with a worker have its id as rank, the others follow in order of their
// servers. Ids of nodes are stable from run to run (DMLC_RANK, lines), not in order of arrival.
namespace multiverso {

// Takes the flags out of argv (ParseCMDFlags), joins the cluster, and returns when all processes have. In a
// process that is the scheduler alone it serves until the job has ended, and then ends the process with 0.
// Throws ps::Error: flags, the cluster (ps::Start), who is missing after PS_START_TIMEOUT. By one thread, as
// all below that change something: MV_Init, MV_ShutDown, MV_Barrier, MV_CreateTable, MV_Net*.
void MV_Init(int* argc = nullptr, char* argv[] = nullptr);
// Leaves its tables, so that the others' rounds go on without it (sync), and the cluster, together with all
// other processes. Throws the first error when all is done. Afterwards MV_Init may come again where no
// scheduler by itself has ended with the job. `finalize_net` changes nothing.
void MV_ShutDown(bool finalize_net = true);
// Waits until what this process has added is applied (sync: counted for its round), then for all others.
// Every process calls it, servers too. Throws ps::Error: what was lost, who is missing after
// PS_BARRIER_TIMEOUT.
void MV_Barrier();

// Processes with a worker or a server.
int MV_Rank();  // -1: with -ps_role=none
int MV_Size();
int MV_NumWorkers();
int MV_NumServers();
int MV_WorkerId();  // -1: it has no worker
int MV_ServerId();  // -1: it has no server
int MV_WorkerIdToRank(int worker_id);
int MV_ServerIdToRank(int server_id);

// Say, instead of a machine file, who this process is ("10.0.0.1:5000", or without a port), and who the
// others are. Before MV_Init; all ranks from 0 on, once each; the port of rank 0 is the scheduler's. 0;
// throws ps::Error.
int MV_NetBind(int rank, const char* endpoint);
int MV_NetConnect(const int* ranks, const char* const endpoints[], int size);
// Forgets them.
void MV_NetFinalize();

namespace internal {
void Aggregate(const ps::TensorView& values);
}  // namespace internal

// Sums `size` elements over all processes, in place, in all of them at once: every process calls it, with as
// many elements of the same type, in the same order. Numbers of any type. In a job each process has to have
// a worker; there need be no server, as with -ma=true and DMLC_NUM_SERVER=0 (`tracker/local.sh 0 N
// program`). Throws ps::Error: who differs, who was lost, who has not come after PS_BARRIER_TIMEOUT
// (ps/collective.h).
template <typename ElemType>
void MV_Aggregate(ElemType* data, int size) {
  ps::TensorView values;
  values.data = data;
  values.shape = {size};
  values.dtype = ps::DTypeOf<ElemType>::value;
  internal::Aggregate(values);
}

}  // namespace multiverso

#endif  // PS_MULTIVERSO_PROCESS_H_
