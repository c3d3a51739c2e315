#include "examples/word_embedding/text.h"

#include <fstream>
#include <stdexcept>
#include <utility>

namespace embedding {
namespace {

bool IsLetter(unsigned char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c >= 0x80; }

char LowerCase(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool IsLetterAt(const std::string& line, std::size_t at) {
  return at < line.size() && IsLetter(static_cast<unsigned char>(line[at]));
}

}  // namespace

Sentence WordsOf(const std::string& line) {
  Sentence words;
  std::string word;
  for (std::size_t i = 0; i <= line.size(); ++i) {
    if (IsLetterAt(line, i)) {
      word += LowerCase(line[i]);
    } else if (!word.empty()) {
      if (i < line.size() && line[i] == '\'' && IsLetterAt(line, i + 1)) {
        word += '\'';
      } else {
        words.push_back(std::exchange(word, {}));
      }
    }
  }
  return words;
}

std::vector<Sentence> ReadText(const std::string& path, std::size_t max_words) {
  std::ifstream in(path);
  if (!in)
    throw std::runtime_error(path +
                             ": can not be opened; examples/word_embedding/get_data.sh fetches a text");
  std::vector<Sentence> sentences;
  std::size_t num_words = 0;
  std::string line;
  while ((max_words == 0 || num_words < max_words) && std::getline(in, line)) {
    Sentence words = WordsOf(line);
    num_words += words.size();
    if (!words.empty()) sentences.push_back(std::move(words));
  }
  if (in.bad()) throw std::runtime_error(path + ": can not be read");
  return sentences;
}

SplitText HoldOut(std::vector<Sentence> sentences, std::size_t every) {
  SplitText split;
  for (std::size_t i = 0; i < sentences.size(); ++i)
    ((i + 1) % every == 0 ? split.held_out : split.train).push_back(std::move(sentences[i]));
  return split;
}

}  // namespace embedding
