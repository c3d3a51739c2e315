// local_sum as a program of mshadow-ps, which differs from what it was in the headers that it includes.
//
//   build/examples/mshadow_local_sum 0 1 2

#include "examples/mshadow/local_sum.h"

int main(int argc, char** argv) {
  std::vector<int> devices;
  for (int i = 1; i < argc; ++i) devices.push_back(std::atoi(argv[i]));
  return local_sum::Main<mshadow::cpu>("mshadow_local_sum", devices);
}
