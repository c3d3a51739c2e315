// ps/c/store.h, ps/c/table.h, ps/c/updater.h
#include <string.h>

#include "check.h"

// values -= delta
static int Subtract(const PSUpdaterCall* call, void* context) {
  if (call->dtype != PS_F64) return PSSetLastError(PS_INVALID_ARGUMENT, "f64 only");
  for (size_t i = 0; i < call->size; ++i) ((double*)call->values)[i] -= ((const double*)call->delta)[i];
  *(int64_t*)context = call->count;
  return PS_OK;
}

static PSTableValues All(double* values, size_t num_values) {
  PSTableValues what;
  memset(&what, 0, sizeof what);
  what.struct_size = sizeof what;
  what.values = values;
  what.num_values = num_values;
  return what;
}

static PSTable MakeMatrix(PSStore store) {
  PSTableOptions options;
  memset(&options, 0, sizeof options);
  options.struct_size = sizeof options;
  options.kind = PS_MATRIX;
  options.name = "matrix";
  options.dtype = PS_F64;
  options.rows = 3;
  options.cols = 2;
  options.updater = "c11_subtract";
  PSTable table = NULL;
  OK(PSTableCreate(store, &options, &table));
  int64_t rows = 0;
  int64_t cols = 0;
  int dtype = -1;
  OK(PSTableGetSize(table, &rows, &cols));
  OK(PSTableGetDType(table, &dtype));
  CHECK(rows == 3 && cols == 2 && dtype == PS_F64);
  return table;
}

static void UseTable(PSTable table) {
  double values[6] = {1, 2, 3, 4, 5, 6};
  PSTableValues what = All(values, 6);
  OK(PSTableAdd(table, &what, NULL));
  const int64_t rows[1] = {2};
  double row[2] = {0, 0};
  PSTableValues some = All(row, 2);
  some.ids = rows;
  some.num_ids = 1;
  PSRequest request = NULL;
  OK(PSTableGet(table, &some, &request));
  OK(PSRequestWait(request, -1));
  OK(PSRequestFree(request));
  CHECK(row[0] == -5 && row[1] == -6);
  row[0] = 8;
  OK(PSTableSet(table, &some, NULL));
  OK(PSTableErase(table, rows, 1, NULL));
  OK(PSTableGet(table, &some, NULL));
  CHECK(row[0] == 0 && row[1] == 0);
  OK(PSTableSetUpdater(table, "sgd", NULL));
  OK(PSTableSetOptions(table, "lr=0.5", 0, NULL));
  some.num_values = 1;
  CHECK(PSTableAdd(table, &some, NULL) == PS_INVALID_ARGUMENT);
}

static void UseCheckpoints(PSStore store, PSTable table) {
  char uri[4096];
  const char* const folder = getenv("TMPDIR");
  CHECK(snprintf(uri, sizeof uri, "%s/c11", folder == NULL ? "/tmp" : folder) < (int)sizeof uri);
  uint64_t saved = 0;
  uint64_t loaded = 0;
  OK(PSStoreSave(store, uri, NULL, &saved));
  double values[6] = {0};
  PSTableValues what = All(values, 6);
  OK(PSTableSet(table, &what, NULL));
  OK(PSStoreLoad(store, uri, NULL, &loaded));
  CHECK(loaded == saved);
  OK(PSTableGet(table, &what, NULL));
  CHECK(values[0] == -1);
}

void UseStoresAndTables(void) {
  static int64_t count = 0;
  OK(PSRegisterUpdater("c11_subtract", Subtract, 0, &count));
  PSStore store = NULL;
  OK(PSStoreLocal(2, 1, 0, &store));
  int number = -1;
  OK(PSStoreGetRank(store, &number));
  CHECK(number == 0);
  OK(PSStoreGetNumWorkers(store, &number));
  CHECK(number == 1);
  OK(PSStoreGetNumServers(store, &number));
  CHECK(number == 2);
  PSTable table = MakeMatrix(store);
  UseTable(table);
  CHECK(count == 1);
  UseCheckpoints(store, table);
  OK(PSStoreFlush(store));
  OK(PSStoreBarrier(store, -1));
  OK(PSTableLeave(table, NULL));
  OK(PSTableFree(table));
  OK(PSStoreEraseTable(store, "matrix", NULL));
  OK(PSStoreClose(store));
  OK(PSStoreFree(store));
  CHECK(PSStoreFlush(store) == PS_INVALID_ARGUMENT);
}
