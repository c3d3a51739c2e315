// The node of this process: its settings, its role, its life; and whole clusters inside a process.
#ifndef PS_C_RUNTIME_H_
#define PS_C_RUNTIME_H_

#include "ps/c/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// Settings that win over the process environment, in place of those of the last call. Before the node starts,
// and not while another thread makes or starts one.
PS_C_API int PSSetEnv(uint32_t num, const char* const* names, const char* const* values);
// Of this process, by DMLC_ROLE (PSSetEnv): 0 server, 1 worker, 2 scheduler, 3 joint. Without a role: worker.
enum PSRole { PS_SERVER = 0, PS_WORKER = 1, PS_SCHEDULER = 2, PS_JOINT = 3 };
PS_C_API int PSGetRole(int* role);

// A node of a cluster. Null, wherever one is asked for: the one bound to the thread, else that of the
// process.
typedef struct PSNodeObject* PSNode;

// Joins the cluster, and returns when all nodes have; PS_START_TIMEOUT. Stores start their node themselves.
PS_C_API int PSStart(PSNode node, const char* program);
PS_C_API int PSIsStarted(PSNode node, int* started);
// Leaves it: waits for what is under way, and with `wait_for_all` for the other nodes.
PS_C_API int PSFinalize(PSNode node, int wait_for_all);
PS_C_API int PSNodeGetRole(PSNode node, int* role);
PS_C_API int PSMyRank(PSNode node, int* rank);  // within the role
PS_C_API int PSNumWorkers(PSNode node, int* number);
PS_C_API int PSNumServers(PSNode node, int* number);
// Meets all nodes of `group`, a sum of 1 scheduler, 2 servers, 4 workers, of which this is one. -1:
// PS_BARRIER_TIMEOUT; 0: 1 ms.
PS_C_API int PSBarrier(PSNode node, int group, int64_t timeout_ms);
// Nodes of a group (or the node of this id) that have not been heard from for so long.
PS_C_API int PSGetNumDeadNodes(PSNode node, int node_or_group, int timeout_s, int* number);

// Answers commands of the workers (PSKVStoreSendCommand), one at a time, on a thread of the node.
typedef int (*PSServerController)(int head, const char* body, void* context);
// Serves as this process' role says, scheduler or server, until the job ends. Rules registered before
// (ps/c/updater.h) are known. `controller` may be null; argv: for rules of the program.
PS_C_API int PSRunServer(PSNode node, PSServerController controller, void* context, int argc,
                         const char* const* argv);

// --- a cluster in this process: to test, to debug, for notebooks ---

typedef struct PSLocalClusterObject* PSLocalCluster;

typedef struct PSLocalClusterOptions {
  size_t struct_size;
  int servers;               // 0: 1
  int workers;               // 0: 1
  uint32_t num_settings;     // of its nodes alone; the process environment is not looked at
  const char* const* names;  // as of the variables: PS_REQUEST_TIMEOUT, ...
  const char* const* values;
  PSServerController controller;  // of each server; may be null
  void* controller_context;
} PSLocalClusterOptions;

// Starts a scheduler, servers that serve (as PSRunServer) and workers.
PS_C_API int PSLocalClusterCreate(const PSLocalClusterOptions* options, PSLocalCluster* cluster);
// Worker `rank` of it; of no use after PSLocalClusterFree, which need not be waited for by PSNodeFree.
PS_C_API int PSLocalClusterWorker(PSLocalCluster cluster, int rank, PSNode* node);
PS_C_API int PSNodeFree(PSNode node);
// Binds a node to the calling thread: null means it from now on, in place of what was bound before. Null
// binds none.
PS_C_API int PSBindThread(PSNode node);
// Not in a callback or rule of its nodes: PS_FAILED_PRECONDITION, as Free.
// Ends all nodes: with `wait_for_all` as PSFinalize does, else at once. The other calls fail from then on.
PS_C_API int PSLocalClusterClose(PSLocalCluster cluster, int wait_for_all);
PS_C_API int PSLocalClusterFree(PSLocalCluster cluster);  // closes it at once where it is not

#ifdef __cplusplus
}
#endif

#endif  // PS_C_RUNTIME_H_
