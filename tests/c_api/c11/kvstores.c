// ps/c/kvstore.h, ps/c/kvstore_settings.h
#include <string.h>

#include "check.h"

static PSTensor Floats(float value) {
  static const int64_t shape[1] = {3};
  PSTensorInfo info;
  memset(&info, 0, sizeof info);
  info.struct_size = sizeof info;
  info.ndim = 1;
  info.shape = shape;
  const float values[3] = {value, value, value};
  PSTensor tensor = NULL;
  OK(PSTensorCreate(&info, &tensor));
  OK(PSTensorCopyFrom(tensor, values, sizeof values));
  return tensor;
}

static float First(PSTensor tensor) {
  float values[3];
  OK(PSTensorCopyTo(tensor, values, sizeof values));
  return values[0];
}

static void UseNumbers(PSKVStore store) {
  const int64_t key = 3;
  PSTensor values = Floats(2);
  PSTensor out = Floats(0);
  OK(PSKVStoreInit(store, 1, &key, &values));
  OK(PSKVStoreSetOptimizer(store, "sgd lr=0.5"));
  OK(PSKVStorePush(store, 1, &key, &values, 0, NULL));
  OK(PSKVStorePull(store, 1, &key, &out, 0, NULL));
  CHECK(First(out) == 1);
  PSRequest request = NULL;
  OK(PSKVStorePushPull(store, 1, &key, 1, &key, &values, &out, 0, &request));
  OK(PSRequestWait(request, -1));
  OK(PSRequestFree(request));
  CHECK(First(out) == 0);
  OK(PSKVStoreSet(store, 1, &key, &values, NULL));
  int has = 0;
  OK(PSKVStoreHas(store, key, &has));
  CHECK(has == 1);
  PSKVKeyInfo info;
  memset(&info, 0, sizeof info);
  info.struct_size = sizeof info;
  OK(PSKVStoreKeyInfo(store, key, &info));
  CHECK(info.ndim == 1 && info.shape[0] == 3 && info.dtype == PS_F32);
  OK(PSKVStoreErase(store, 1, &key));
  OK(PSTensorFree(values));
  OK(PSTensorFree(out));
}

static void UseTexts(PSKVStore store) {
  const char* const key = "weight";
  PSTensor values = Floats(2);
  PSTensor out = Floats(0);
  OK(PSKVStoreBroadcastStr(store, 1, &key, 1, &key, &values, &out, 0));
  CHECK(First(out) == 2);
  OK(PSKVStorePullStr(store, 1, &key, &out, 0, NULL));
  const int64_t number = 3;
  CHECK(PSKVStorePull(store, 1, &number, &out, 0, NULL) != PS_OK);
  OK(PSTensorFree(values));
  OK(PSTensorFree(out));
}

void UseKVStores(void) {
  PSKVStore store = NULL;
  OK(PSKVStoreCreate("local", NULL, &store));
  const char* type = NULL;
  OK(PSKVStoreGetType(store, &type));
  CHECK(strcmp(type, "local") == 0);
  int number = -1;
  OK(PSKVStoreGetRank(store, &number));
  CHECK(number == 0);
  OK(PSKVStoreGetNumWorkers(store, &number));
  CHECK(number == 1);
  OK(PSKVStoreIsDistributed("dist_sync", &number));
  CHECK(number == 1);
  UseNumbers(store);
  OK(PSKVStoreFree(store));
  OK(PSKVStoreCreate("local", NULL, &store));
  UseTexts(store);
  OK(PSKVStoreFree(store));
  CHECK(PSKVStoreCreate("nowhere", NULL, &store) == PS_INVALID_ARGUMENT);
}
