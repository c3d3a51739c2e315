#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ps/updater.h"
#include "store/updater/excerpt.h"

namespace ps {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

std::vector<std::string_view> WordsOf(std::string_view text) {
  std::vector<std::string_view> words;
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
    if (text.empty()) return words;
    const std::size_t end = std::min(text.find_first_of(kBlanks), text.size());
    words.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
}

Status Refused(std::string_view text, const std::string& why) {
  return Status::InvalidArgument("updater '" + Excerpt(text) + "': " + why +
                                 "; write a name and its options, as in 'adam lr=1e-3 wd=.01'");
}

}  // namespace

Result<UpdaterChoice> ParseUpdater(std::string_view text) {
  const std::vector<std::string_view> words = WordsOf(text);
  if (words.empty()) return Refused(text, "there is no name");
  UpdaterChoice choice;
  choice.name = words.front();
  if (choice.name.find('=') != std::string::npos) return Refused(text, "it begins with an option");
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::size_t sign = words[i].find('=');
    if (sign == std::string_view::npos || sign == 0)
      return Refused(text, "'" + Excerpt(words[i]) + "' is no option=value");
    const std::string name(words[i].substr(0, sign));
    if (!choice.options.emplace(name, words[i].substr(sign + 1)).second)
      return Refused(text, "option " + Excerpt(name) + " is given twice");
  }
  return choice;
}

}  // namespace ps
