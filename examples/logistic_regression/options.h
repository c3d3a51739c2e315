#ifndef PS_EXAMPLES_LOGISTIC_REGRESSION_OPTIONS_H_
#define PS_EXAMPLES_LOGISTIC_REGRESSION_OPTIONS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace lr {

// The settings of a run; all nodes of a job are given the same.
struct Options {
  std::string train;
  std::string test;
  unsigned epochs = 10;
  std::size_t batch = 32;       // examples per step of a worker
  std::size_t max_pending = 2;  // steps under way per worker
  // Of FTRL-proximal: McMahan et al., KDD 2013.
  double alpha = 0.1;
  double beta = 1;
  double lambda1 = 0.01;
  double lambda2 = 0;
  std::uint64_t seed = 1;
  std::string checkpoint;   // folder for the model; none if empty
  double min_auc = 0;       // below it the run counts as failed
  double min_accuracy = 0;  // likewise
};

// Reads the command line: a file of settings, a line `name = value` each (# begins a comment), and
// `name=value` words, which win over the file. Throws std::invalid_argument, which names what is wrong, or
// lists what there is.
Options ParseOptions(const std::vector<std::string>& words);
// How the program is called, with a line for each setting.
std::string Usage();

}  // namespace lr

#endif  // PS_EXAMPLES_LOGISTIC_REGRESSION_OPTIONS_H_
