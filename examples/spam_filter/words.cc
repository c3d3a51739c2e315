#include "examples/spam_filter/words.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace spam {
namespace {

constexpr size_t kMinLetters = 2;
constexpr size_t kMaxLetters = 24;

bool IsLetter(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x80 || std::isalpha(byte) != 0;
}

// "sightings" names the list from which part of the spam was taken, the others hosts and people.
bool BelongsToCorpus(const std::string& word) {
  static const std::set<std::string> kLeftOut = {
      "mon",        "tue",       "wed",          "thu",       "fri",      "sat",      "sun",   "monday",
      "tuesday",    "wednesday", "thursday",     "friday",    "saturday", "sunday",   "jan",   "feb",
      "mar",        "apr",       "may",          "jun",       "jul",      "aug",      "sep",   "sept",
      "oct",        "nov",       "dec",          "january",   "february", "march",    "april", "june",
      "july",       "august",    "september",    "october",   "november", "december", "jm",    "jmason",
      "netnoteinc", "taint",     "spamassassin", "sightings", "xent",     "slashnull"};
  return kLeftOut.count(word) != 0 || word.rfind("yyyy", 0) == 0 || word.rfind("zzzz", 0) == 0;
}

// Cuts `text` at white space and hands on what is not a mail address.
template <typename Function>
void ForEachChunk(std::string_view text, Function function) {
  while (!text.empty()) {
    const size_t begin = text.find_first_not_of(" \t\r\n\f\v");
    if (begin == std::string_view::npos) return;
    const size_t end = std::min(text.find_first_of(" \t\r\n\f\v", begin), text.size());
    const std::string_view chunk = text.substr(begin, end - begin);
    if (chunk.find('@') == std::string_view::npos) function(chunk);
    text.remove_prefix(end);
  }
}

void AddWords(std::string_view chunk, std::vector<std::string>* words) {
  std::string word;
  const auto end_word = [&] {
    if (word.size() >= kMinLetters && word.size() <= kMaxLetters && !BelongsToCorpus(word))
      words->push_back(word);
    word.clear();
  };
  for (char c : chunk) {
    if (IsLetter(c)) {
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (c != '\'') {
      end_word();
    }
  }
  end_word();
}

}  // namespace

std::vector<std::string> WordsOf(std::string_view text) {
  std::vector<std::string> words;
  ForEachChunk(text, [&](std::string_view chunk) { AddWords(chunk, &words); });
  return words;
}

std::set<std::string> FeaturesOf(const Mail& mail) {
  std::set<std::string> features = mail.traits;
  for (std::string& word : WordsOf(mail.text)) features.insert(std::move(word));
  for (const std::string& word : WordsOf(mail.subject)) features.insert("subject:" + word);
  return features;
}

}  // namespace spam
