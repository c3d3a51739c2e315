// Every node starts and ends; nothing else. The first thing anybody tries.
#include "ps/ps.h"

int main() {
  ps::Start(0);
  ps::Finalize(0, true);
  return 0;
}
