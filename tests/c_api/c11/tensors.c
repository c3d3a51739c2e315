// ps/c/tensor.h
#include <string.h>

#include "check.h"

static void Free(void* data, void* context) {
  free(data);
  ++*(int*)context;
}

static PSTensorInfo Info(int dtype, int ndim, const int64_t* shape) {
  PSTensorInfo info;
  memset(&info, 0, sizeof info);
  info.struct_size = sizeof info;
  info.dtype = dtype;
  info.ndim = ndim;
  info.shape = shape;
  return info;
}

static void UseForeign(void) {
  const int64_t shape[2] = {2, 3};
  const PSTensorInfo info = Info(PS_F32, 2, shape);
  float* const memory = calloc(6, sizeof *memory);
  int freed = 0;
  PSTensor tensor = NULL;
  OK(PSTensorFromPtr(memory, &info, Free, &freed, &tensor));
  void* data = NULL;
  OK(PSTensorGetData(tensor, &data));
  CHECK(data == memory);
  PSTensorInfo read = Info(0, 0, NULL);
  OK(PSTensorGetInfo(tensor, &read));
  CHECK(read.ndim == 2 && read.shape[1] == 3 && read.device_kind == PS_CPU && read.bytes == 24);
  void* managed = NULL;
  OK(PSTensorToDLPack(tensor, &managed));
  PSTensor same = NULL;
  OK(PSTensorFromDLPack(managed, &same));
  OK(PSTensorFree(tensor));
  CHECK(freed == 0);
  OK(PSTensorFree(same));
  CHECK(freed == 1);
}

static void UseRows(void) {
  const int64_t number[1] = {1};
  const int64_t values_shape[2] = {1, 2};
  const int64_t shape[2] = {5, 2};
  const PSTensorInfo ids_info = Info(PS_I64, 1, number);
  const PSTensorInfo values_info = Info(PS_F32, 2, values_shape);
  const int64_t id = 3;
  PSTensor ids = NULL;
  PSTensor values = NULL;
  PSTensor rows = NULL;
  OK(PSTensorCreate(&ids_info, &ids));
  OK(PSTensorCopyFrom(ids, &id, sizeof id));
  OK(PSTensorCreate(&values_info, &values));
  OK(PSTensorCreateRowSparse(ids, values, 2, shape, &rows));
  PSTensor part = NULL;
  OK(PSTensorGetIds(rows, &part));
  int64_t read = 0;
  OK(PSTensorCopyTo(part, &read, sizeof read));
  CHECK(read == 3);
  OK(PSTensorFree(part));
  OK(PSTensorGetValues(rows, &part));
  OK(PSTensorWait(part));
  OK(PSTensorFree(part));
  OK(PSTensorFree(rows));
  OK(PSTensorFree(values));
  OK(PSTensorFree(ids));
}

void UseTensors(void) {
  UseForeign();
  UseRows();
  CHECK(PSTensorWait(NULL) == PS_INVALID_ARGUMENT);
}
