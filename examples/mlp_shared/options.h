#ifndef PS_EXAMPLES_MLP_SHARED_OPTIONS_H_
#define PS_EXAMPLES_MLP_SHARED_OPTIONS_H_

#include <string>

#include "examples/mlp_shared/step_times.h"
#include "examples/mlp_shared/training.h"

namespace mlp {

// The settings of a run; all nodes of a job are given the same.
struct Options {
  std::string type = "local";
  std::string data = "build/data/mnist";  // folder with the four files of MNIST
  unsigned rounds = 20;
  double max_error = 100;  // percent of the test examples; above it the run counts as failed
  TrainingOptions training;
  bool measures_steps = false;  // instead of training
  double max_ratio = 0;         // of the step with overlap; above it the run counts as failed; 0: none
  LayersOptions layers;
};

// Reads the command line. False: the program is to end with `*exit_code`, and what there was to say was said.
bool ParseOptions(int argc, const char* const* argv, Options* options, int* exit_code);

}  // namespace mlp

#endif  // PS_EXAMPLES_MLP_SHARED_OPTIONS_H_
