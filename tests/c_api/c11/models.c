// ps/c/model.h
#include <string.h>

#include "check.h"

static int Called(void* stream, void* context) {
  CHECK(stream == NULL);
  ++*(int*)context;
  return PS_OK;
}

void UseModels(void) {
  PSSharedModel model = NULL;
  OK(PSSharedModelCreate("local", NULL, &model));
  OK(PSSharedModelSetParam(model, "push_op[7]", "sum"));
  const int device = 0;
  OK(PSSharedModelInit(model, 1, &device));
  const int64_t shape[2] = {1, 3};
  OK(PSSharedModelInitKey(model, 7, 0, PS_F32, 2, shape));
  float values[3] = {1, 2, 3};
  PSTensorInfo info;
  memset(&info, 0, sizeof info);
  info.struct_size = sizeof info;
  info.ndim = 2;
  info.shape = shape;
  PSTensor data = NULL;
  OK(PSTensorFromPtr(values, &info, NULL, NULL, &data));
  OK(PSSharedModelPush(model, data, 7, 0, 0, NULL));
  int called = 0;
  OK(PSSharedModelPullReq(model, data, 7, 0, 0, Called, &called, NULL));
  OK(PSSharedModelPullWait(model, 7, 0, -1));
  CHECK(called == 1);
  CHECK(values[0] == 1 && values[2] == 3);
  OK(PSSharedModelClose(model));
  OK(PSSharedModelFree(model));
  OK(PSTensorFree(data));
}
