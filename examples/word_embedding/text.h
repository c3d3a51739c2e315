#ifndef PS_EXAMPLES_WORD_EMBEDDING_TEXT_H_
#define PS_EXAMPLES_WORD_EMBEDDING_TEXT_H_

#include <cstddef>
#include <string>
#include <vector>

namespace embedding {

using Sentence = std::vector<std::string>;

// The words of a line: runs of letters in lower case, with apostrophes inside. What is no ASCII counts as a
// letter, so that words of UTF-8 stay whole.
Sentence WordsOf(const std::string& line);

// Reads a text with a sentence to a line, up to about `max_words` words (0: all of it). Throws
// std::runtime_error that names the file.
std::vector<Sentence> ReadText(const std::string& path, std::size_t max_words);

// The sentences to learn from, and those to judge by.
struct SplitText {
  std::vector<Sentence> train;
  std::vector<Sentence> held_out;
};

// Every `every`-th sentence is held out.
SplitText HoldOut(std::vector<Sentence> sentences, std::size_t every);

}  // namespace embedding

#endif  // PS_EXAMPLES_WORD_EMBEDDING_TEXT_H_
