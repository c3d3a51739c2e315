// The parts of a C11 program that uses every kind of function of the C interface.
#ifndef PS_TESTS_C_API_C11_CHECK_H_
#define PS_TESTS_C_API_C11_CHECK_H_

#include <stdio.h>
#include <stdlib.h>

#include "ps/c_api.h"

// Ends the program where `condition` is not so.
#define CHECK(condition)                                                                       \
  do {                                                                                         \
    if (!(condition)) {                                                                        \
      fprintf(stderr, "%s:%d: %s is not so; last error: %s\n", __FILE__, __LINE__, #condition, \
              PSGetLastError());                                                               \
      exit(1);                                                                                 \
    }                                                                                          \
  } while (0)
#define OK(call) CHECK((call) == PS_OK)

// Each uses the functions of one header, and frees what it has made.
void UseErrors(void);
void UseStoresAndTables(void);
void UseTensors(void);
void UseKVStores(void);
void UseModels(void);
void UseClusters(void);
void UseThreads(void);

#endif  // PS_TESTS_C_API_C11_CHECK_H_
