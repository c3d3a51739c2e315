// ps/c/runtime.h, ps/c/collective.h
#include <string.h>

#include "check.h"

static int Remember(int head, const char* body, void* context) {
  if (head != 7) return PSSetLastError(PS_NOT_FOUND, "no such command");
  snprintf((char*)context, 16, "%s", body);
  return PS_OK;
}

static void UseCollectives(PSNode node) {
  int number = -1;
  OK(PSCollectiveGetRank(node, &number));
  CHECK(number == 0);
  OK(PSCollectiveGetSize(node, &number));
  CHECK(number == 1);
  const int64_t shape[1] = {2};
  float values[2] = {1, 2};
  PSTensorInfo info;
  memset(&info, 0, sizeof info);
  info.struct_size = sizeof info;
  info.ndim = 1;
  info.shape = shape;
  PSTensor tensor = NULL;
  OK(PSTensorFromPtr(values, &info, NULL, NULL, &tensor));
  OK(PSAllreduce(node, tensor, PS_SUM));
  OK(PSBroadcast(node, tensor, 0));
  OK(PSCollectiveBarrier(node));
  CHECK(values[0] == 1 && values[1] == 2);
  CHECK(PSAllreduce(node, tensor, 99) == PS_INVALID_ARGUMENT);
  OK(PSTensorFree(tensor));
}

static void UseNode(PSNode node) {
  int number = -1;
  OK(PSIsStarted(node, &number));
  CHECK(number == 1);
  OK(PSNodeGetRole(node, &number));
  CHECK(number == PS_WORKER);
  OK(PSMyRank(node, &number));
  CHECK(number == 0);
  OK(PSNumWorkers(node, &number));
  CHECK(number == 1);
  OK(PSNumServers(node, &number));
  CHECK(number == 2);
  OK(PSGetNumDeadNodes(node, 7, 60, &number));
  CHECK(number == 0);
  OK(PSBarrier(node, 4, -1));
  CHECK(PSStart(node, "c11") == PS_FAILED_PRECONDITION);
  CHECK(PSRunServer(node, NULL, NULL, 0, NULL) == PS_FAILED_PRECONDITION);
}

void UseClusters(void) {
  static char heard[16];
  PSLocalClusterOptions options;
  memset(&options, 0, sizeof options);
  options.struct_size = sizeof options;
  options.servers = 2;
  options.controller = Remember;
  options.controller_context = heard;
  PSLocalCluster cluster = NULL;
  OK(PSLocalClusterCreate(&options, &cluster));
  PSNode node = NULL;
  OK(PSLocalClusterWorker(cluster, 0, &node));
  UseNode(node);
  OK(PSBindThread(node));
  OK(PSNodeFree(node));
  UseCollectives(NULL);
  PSStore tables = NULL;
  OK(PSStoreCreate(NULL, &tables));
  OK(PSStoreFree(tables));
  PSKVStore store = NULL;
  OK(PSKVStoreCreate("dist_sync", NULL, &store));
  OK(PSKVStoreSendCommand(store, 7, "hello"));
  CHECK(strcmp(heard, "hello") == 0);
  CHECK(PSKVStoreSendCommand(store, 8, "hello") == PS_NOT_FOUND);
  OK(PSKVStoreBarrier(store, -1, 0));
  OK(PSKVStoreFree(store));
  OK(PSFinalize(NULL, 0));
  OK(PSLocalClusterClose(cluster, 0));
  OK(PSBindThread(NULL));
  OK(PSLocalClusterFree(cluster));
}
