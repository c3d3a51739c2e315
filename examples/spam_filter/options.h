#ifndef PS_EXAMPLES_SPAM_FILTER_OPTIONS_H_
#define PS_EXAMPLES_SPAM_FILTER_OPTIONS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "examples/spam_filter/ftrl.h"

namespace spam {

// The settings of a run, given to all nodes as words name=value.
struct Options {
  std::string train;       // libsvm file, shared by the workers
  std::string held_out;    // libsvm file
  std::string vocabulary;  // what mail_to_libsvm wrote; empty: no words are shown
  FtrlOptions ftrl;
  size_t epochs = 10;
  size_t batch = 32;       // mails per step of a worker
  size_t max_pending = 2;  // pushes of a worker that may be under way while it goes on
  double min_auc = 0;      // below these the run counts as failed
  double min_accuracy = 0;
};

// Throws std::invalid_argument that names the word and what is allowed.
Options ParseOptions(const std::vector<std::string>& words);

// One line per option, for the usage text.
std::string DescribeOptions();

}  // namespace spam

#endif  // PS_EXAMPLES_SPAM_FILTER_OPTIONS_H_
