#include "examples/spam_filter/options.h"

#include <stdexcept>

#include "examples/settings/named_options.h"

namespace spam {
namespace {

using Named = settings::NamedOptions<Options>;

const Named& AllOptions() {
  static const Named kOptions({
      {"train", Named::Text("libsvm file to train on (required)", &Options::train)},
      {"held_out", Named::Text("libsvm file to judge by (required)", &Options::held_out)},
      {"vocabulary", Named::Text("file that gives buckets their words", &Options::vocabulary)},
      {"epochs", Named::Number("times over the data", 1, &Options::epochs)},
      {"batch", Named::Number("mails per step", 1, &Options::batch)},
      {"max_pending", Named::Number("pushes under way per worker", 0, &Options::max_pending)},
      {"alpha", Named::Number("learning rate", 1e-6, [](Options& o) -> float& { return o.ftrl.alpha; })},
      {"beta",
       Named::Number("damping of the first steps", 0, [](Options& o) -> float& { return o.ftrl.beta; })},
      {"l1", Named::Number("strength of L1", 0, [](Options& o) -> float& { return o.ftrl.l1; })},
      {"l2", Named::Number("strength of L2", 0, [](Options& o) -> float& { return o.ftrl.l2; })},
      {"min_auc", Named::Number("fail below this AUC", 0, &Options::min_auc)},
      {"min_accuracy", Named::Number("fail below this accuracy", 0, &Options::min_accuracy)},
  });
  return kOptions;
}

}  // namespace

Options ParseOptions(const std::vector<std::string>& words) {
  Options options;
  for (const std::string& word : words) AllOptions().Set(word, &options);
  if (options.train.empty() || options.held_out.empty()) {
    throw std::invalid_argument("train= and held_out= are required:\n" + DescribeOptions());
  }
  return options;
}

std::string DescribeOptions() { return AllOptions().Describe(); }

}  // namespace spam
