// dist_async_sum as a program of mshadow-ps, server included.
//
//   tracker/local.sh 1 3 build/examples/mshadow_dist_async_sum 1 2

#include "examples/mshadow/dist_async_sum.h"

int main(int argc, char** argv) { return dist_async_sum::Main<mshadow::cpu>(argc, argv); }
