#include "check.h"

int main(void) {
  UseErrors();
  UseTensors();
  UseStoresAndTables();
  UseKVStores();
  UseModels();
  UseClusters();
  UseThreads();
  return 0;
}
