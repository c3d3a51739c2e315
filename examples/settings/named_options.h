#ifndef PS_EXAMPLES_SETTINGS_NAMED_OPTIONS_H_
#define PS_EXAMPLES_SETTINGS_NAMED_OPTIONS_H_

#include <charconv>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>

namespace settings {

// What follows is about a program's own struct of settings, whose members are set by words `name=value`.
template <typename Options>
class NamedOptions {
 public:
  struct Option {
    const char* meaning;
    std::function<void(Options*, const std::string&)> set;  // throws std::invalid_argument
  };

  // A number of at least `smallest`. `member`: a pointer to the member, or a function that gives it.
  template <typename Member>
  static Option Number(const char* meaning, double smallest, Member member) {
    return {meaning, [=](Options* options, const std::string& text) {
              auto& target = std::invoke(member, *options);
              target = static_cast<std::remove_reference_t<decltype(target)>>(ParseNumber(text, smallest));
            }};
  }
  template <typename Member>
  static Option Text(const char* meaning, Member member) {
    return {meaning, [=](Options* options, const std::string& text) { options->*member = text; }};
  }

  explicit NamedOptions(std::map<std::string, Option> options) : options_(std::move(options)) {}

  // `word` is `name=value`. Throws std::invalid_argument, which names the word and what is wrong with it.
  void Set(const std::string& word, Options* options) const {
    const auto equals = word.find('=');
    const auto option = options_.find(word.substr(0, equals));
    if (equals == std::string::npos || option == options_.end())
      throw std::invalid_argument("'" + word + "' is not an option:\n" + Describe());
    try {
      option->second.set(options, word.substr(equals + 1));
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument("'" + word + "': " + error.what());
    }
  }
  // A line for each.
  std::string Describe() const {
    std::string text;
    for (const auto& [name, option] : options_) text += "  " + name + "=\t" + option.meaning + "\n";
    return text;
  }

 private:
  static double ParseNumber(const std::string& text, double smallest) {
    double number = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc() || stop != end || !(number >= smallest))
      throw std::invalid_argument("wants a number, at least " + std::to_string(smallest));
    return number;
  }

  const std::map<std::string, Option> options_;
};

}  // namespace settings

#endif  // PS_EXAMPLES_SETTINGS_NAMED_OPTIONS_H_
