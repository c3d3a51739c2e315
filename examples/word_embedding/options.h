#ifndef PS_EXAMPLES_WORD_EMBEDDING_OPTIONS_H_
#define PS_EXAMPLES_WORD_EMBEDDING_OPTIONS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace embedding {

// The settings of a run; all nodes of a job are given the same.
struct Options {
  std::string text = "build/data/kjv/kjv.txt";  // a sentence to a line
  std::size_t max_words = 0;                    // of the text; 0: all
  std::size_t held_out = 20;                    // every so manyth sentence is judged by, and not learnt from
  std::uint64_t min_count = 5;                  // words that are rarer are left out

  bool hierarchical = false;  // hierarchical softmax instead of negative sampling
  std::size_t dim = 100;
  std::size_t window = 5;    // words on each side, at most
  std::size_t negative = 5;  // words drawn per window
  double subsample = 1e-3;   // share of the text above which occurrences are left out; 0: none are
  unsigned epochs = 10;
  double lr = 0.025;         // at first; it falls evenly to almost 0
  std::size_t block = 2000;  // words between a read and an Add, of all workers together
  std::uint64_t seed = 1;

  std::vector<std::string> words = {"lord", "king", "water", "son"};  // whose neighbours are printed
  std::string loss_csv;                                               // file for the loss; none if empty
  std::string vectors;                                                // file for the vectors; none if empty
  double max_loss = 0;  // above this loss of held-out text the run counts as failed; 0: no bound
};

// Reads the command line. False: the program is to end with `*exit_code`, and what there was to say was said.
bool ParseOptions(int argc, const char* const* argv, Options* options, int* exit_code);

}  // namespace embedding

#endif  // PS_EXAMPLES_WORD_EMBEDDING_OPTIONS_H_
