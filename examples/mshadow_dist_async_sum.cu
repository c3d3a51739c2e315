// dist_async_sum on GPUs: as ../mshadow_dist_async_sum.cc, with another header for the tensors.
//
//   tracker/local.sh 1 3 build/examples/gpu/mshadow_dist_async_sum 0

#include "examples/mshadow/dist_async_sum.h"
#include "examples/mshadow/gpu_tensor.h"

int main(int argc, char** argv) {
  if (!mshadow::HasGpu()) {
    std::printf("mshadow_dist_async_sum: NOTHING WAS RUN: there is no GPU\n");
    return 77;
  }
  return dist_async_sum::Main<mshadow::gpu>(argc, argv);
}
