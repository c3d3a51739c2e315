#include "examples/spam_filter/options.h"

#include <charconv>
#include <functional>
#include <map>
#include <stdexcept>

namespace spam {
namespace {

double ParseNumber(const std::string& text, double smallest) {
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end || !(number >= smallest)) {
    throw std::invalid_argument("wants a number, at least " + std::to_string(smallest));
  }
  return number;
}

struct Option {
  const char* meaning;
  std::function<void(Options*, const std::string&)> set;
};

template <typename Member>
Option Number(const char* meaning, double smallest, Member member) {
  return {meaning, [=](Options* options, const std::string& text) {
            auto& target = std::invoke(member, *options);
            target = static_cast<std::remove_reference_t<decltype(target)>>(ParseNumber(text, smallest));
          }};
}

template <typename Member>
Option Text(const char* meaning, Member member) {
  return {meaning, [=](Options* options, const std::string& text) { options->*member = text; }};
}

const std::map<std::string, Option>& AllOptions() {
  static const std::map<std::string, Option> kOptions = {
      {"train", Text("libsvm file to train on (required)", &Options::train)},
      {"held_out", Text("libsvm file to judge by (required)", &Options::held_out)},
      {"vocabulary", Text("file that gives buckets their words", &Options::vocabulary)},
      {"epochs", Number("times over the data", 1, &Options::epochs)},
      {"batch", Number("mails per step", 1, &Options::batch)},
      {"max_pending", Number("pushes under way per worker", 0, &Options::max_pending)},
      {"alpha", Number("learning rate", 1e-6, [](Options& o) -> float& { return o.ftrl.alpha; })},
      {"beta", Number("damping of the first steps", 0, [](Options& o) -> float& { return o.ftrl.beta; })},
      {"l1", Number("strength of L1", 0, [](Options& o) -> float& { return o.ftrl.l1; })},
      {"l2", Number("strength of L2", 0, [](Options& o) -> float& { return o.ftrl.l2; })},
      {"min_auc", Number("fail below this AUC", 0, &Options::min_auc)},
      {"min_accuracy", Number("fail below this accuracy", 0, &Options::min_accuracy)},
  };
  return kOptions;
}

void Set(const std::string& word, Options* options) {
  const size_t equals = word.find('=');
  const auto option = AllOptions().find(word.substr(0, equals));
  if (equals == std::string::npos || option == AllOptions().end()) {
    throw std::invalid_argument("'" + word + "' is not an option:\n" + DescribeOptions());
  }
  try {
    option->second.set(options, word.substr(equals + 1));
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument("'" + word + "': " + error.what());
  }
}

}  // namespace

Options ParseOptions(const std::vector<std::string>& words) {
  Options options;
  for (const std::string& word : words) Set(word, &options);
  if (options.train.empty() || options.held_out.empty()) {
    throw std::invalid_argument("train= and held_out= are required:\n" + DescribeOptions());
  }
  return options;
}

std::string DescribeOptions() {
  std::string text;
  for (const auto& [name, option] : AllOptions()) text += "  " + name + "=\t" + option.meaning + "\n";
  return text;
}

}  // namespace spam
