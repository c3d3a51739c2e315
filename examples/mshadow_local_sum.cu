// local_sum on GPUs: as ../mshadow_local_sum.cc, with another header for the tensors. Devices are the GPUs'
// numbers; one takes part once.
//
//   build/examples/gpu/mshadow_local_sum 0

#include "examples/mshadow/gpu_tensor.h"
#include "examples/mshadow/local_sum.h"

int main(int argc, char** argv) {
  if (!mshadow::HasGpu()) {
    std::printf("mshadow_local_sum: NOTHING WAS RUN: there is no GPU\n");
    return 77;
  }
  std::vector<int> devices;
  for (int i = 1; i < argc; ++i) devices.push_back(std::atoi(argv[i]));
  return local_sum::Main<mshadow::gpu>("mshadow_local_sum", devices);
}
