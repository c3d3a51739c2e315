#include "examples/logistic_regression/options.h"

#include <fstream>
#include <stdexcept>

#include "examples/settings/named_options.h"

namespace lr {
namespace {

using Named = settings::NamedOptions<Options>;

const Named& AllOptions() {
  static const Named kOptions({
      {"train", Named::Text("libsvm file to train on (required)", &Options::train)},
      {"test", Named::Text("libsvm file to judge by (required)", &Options::test)},
      {"epochs", Named::Number("times over the data", 1, &Options::epochs)},
      {"batch", Named::Number("examples per step of a worker", 1, &Options::batch)},
      {"max_pending", Named::Number("steps under way per worker", 0, &Options::max_pending)},
      {"alpha", Named::Number("learning rate", 1e-6, &Options::alpha)},
      {"beta", Named::Number("damping of the first steps", 0, &Options::beta)},
      {"lambda1", Named::Number("strength of L1, which keeps weights at 0", 0, &Options::lambda1)},
      {"lambda2", Named::Number("strength of L2", 0, &Options::lambda2)},
      {"seed", Named::Number("of the order of the examples", 0, &Options::seed)},
      {"checkpoint", Named::Text("folder that the model is saved in", &Options::checkpoint)},
      {"min_auc", Named::Number("fail below this AUC", 0, &Options::min_auc)},
      {"min_accuracy", Named::Number("fail below this accuracy", 0, &Options::min_accuracy)},
  });
  return kOptions;
}

std::string Trim(const std::string& text) {
  const auto begin = text.find_first_not_of(" \t\r");
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_last_not_of(" \t\r") + 1 - begin);
}

void SetLine(const std::string& line, Options* options) {
  const std::string text = Trim(line.substr(0, line.find('#')));
  if (text.empty()) return;
  const auto equals = text.find('=');
  if (equals == std::string::npos) throw std::invalid_argument("'" + text + "' is no `name = value`");
  AllOptions().Set(Trim(text.substr(0, equals)) + '=' + Trim(text.substr(equals + 1)), options);
}

void ReadFile(const std::string& path, Options* options) {
  std::ifstream in(path);
  if (!in) throw std::invalid_argument(path + ": can not be opened");
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    try {
      SetLine(line, options);
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument(path + ':' + std::to_string(number) + ": " + error.what());
    }
  }
}

}  // namespace

std::string Usage() {
  return "usage: logistic_regression FILE [name=value ...]\n"
         "examples/logistic_regression/spam.conf is such a FILE; examples/spam_filter/get_data.sh "
         "build/data/real "
         "fetches the data that it names. Settings:\n" +
         AllOptions().Describe();
}

Options ParseOptions(const std::vector<std::string>& words) {
  Options options;
  for (const std::string& word : words) {
    if (word.find('=') == std::string::npos) ReadFile(word, &options);
  }
  for (const std::string& word : words) {
    if (word.find('=') != std::string::npos) AllOptions().Set(word, &options);
  }
  if (options.train.empty() || options.test.empty())
    throw std::invalid_argument("train and test are required\n" + Usage());
  return options;
}

}  // namespace lr
