// Calls of a thread whose own objects have been destroyed: functions of atexit, destructors of thread keys.
#include <pthread.h>
#include <string.h>

#include "check.h"

// exit is under way.
#define LATE(condition)                                                         \
  do {                                                                          \
    if (!(condition)) {                                                         \
      fprintf(stderr, "%s:%d: %s is not so\n", __FILE__, __LINE__, #condition); \
      _Exit(1);                                                                 \
    }                                                                           \
  } while (0)

static int called_late = 0;

// Codes are told as ever; there is no place for texts any more.
static void CallLate(void) {
  LATE(PSRequestWait(NULL, 0) == PS_INVALID_ARGUMENT);
  LATE(PSSetLastError(PS_NOT_FOUND, "a text that is too long for a string to hold it in its own bytes") ==
       PS_NOT_FOUND);
  LATE(strcmp(PSGetLastError(), "") == 0);
  LATE(PSGetLastErrorCode() == PS_OK);
  LATE(PSBindThread(NULL) == PS_OK);
  int started = -1;
  LATE(PSIsStarted(NULL, &started) == PS_OK);
  LATE(started == 0);
  PSKVStore store = NULL;
  LATE(PSKVStoreCreate("local", NULL, &store) == PS_OK);
  const char* type = NULL;
  LATE(PSKVStoreGetType(store, &type) == PS_FAILED_PRECONDITION);
  LATE(type == NULL);
  LATE(PSKVStoreFree(store) == PS_OK);
  ++called_late;
}

static void CallLateWithKey(void* value) {
  (void)value;
  CallLate();
}

static void UseAll(void) {
  CHECK(PSRequestWait(NULL, 0) == PS_INVALID_ARGUMENT);
  OK(PSBindThread(NULL));
  int started = -1;
  OK(PSIsStarted(NULL, &started));
  CHECK(strlen(PSGetLastError()) > 0);
}

static void* Run(void* key) {
  CHECK(pthread_setspecific(*(pthread_key_t*)key, key) == 0);
  UseAll();
  return NULL;
}

void UseThreads(void) {
  pthread_key_t key;
  CHECK(pthread_key_create(&key, CallLateWithKey) == 0);
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, Run, &key) == 0);
  CHECK(pthread_join(thread, NULL) == 0);
  CHECK(called_late == 1);
  UseAll();
  CHECK(atexit(CallLate) == 0);
}
