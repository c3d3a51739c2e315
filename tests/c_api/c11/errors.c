// ps/c/base.h, and what the process is.
#include <string.h>

#include "check.h"

static void Count(int code, const char* message, void* context) {
  CHECK(code == PS_OK);
  CHECK(message != NULL);
  ++*(int*)context;
}

static void UseRequests(void) {
  PSRequest all = NULL;
  OK(PSRequestAll(0, NULL, &all));
  int done = 0;
  OK(PSRequestDone(all, &done));
  CHECK(done == 1);
  OK(PSRequestWait(all, -1));
  OK(PSRequestError(all));
  int called = 0;
  OK(PSRequestThen(all, Count, &called));
  CHECK(called == 1);
  OK(PSRequestFree(all));
  CHECK(PSRequestWait(all, 0) == PS_INVALID_ARGUMENT);
}

void UseErrors(void) {
  CHECK(PSAbiVersion() == PS_ABI_VERSION);
  CHECK(strlen(PSVersion()) > 0);
  CHECK(PSGetLastErrorCode() == PS_OK);
  CHECK(strcmp(PSGetLastError(), "") == 0);
  CHECK(PSSetLastError(PS_NOT_FOUND, "no such thing") == PS_NOT_FOUND);
  CHECK(PSGetLastErrorCode() == PS_NOT_FOUND);
  CHECK(strcmp(PSGetLastError(), "no such thing") == 0);
  CHECK(strcmp(PSCodeName(PS_NOT_FOUND), "NotFound") == 0);
  CHECK(strcmp(PSCodeName(12345), "Unknown") == 0);
  UseRequests();
  const char* const names[] = {"DMLC_ROLE"};
  const char* const values[] = {"scheduler"};
  OK(PSSetEnv(1, names, values));
  int role = -1;
  OK(PSGetRole(&role));
  CHECK(role == PS_SCHEDULER);
  OK(PSSetEnv(0, NULL, NULL));
}
