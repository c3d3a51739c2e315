#ifndef PS_EXAMPLES_SPAM_FILTER_WORDS_H_
#define PS_EXAMPLES_SPAM_FILTER_WORDS_H_

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "examples/spam_filter/mail.h"

namespace spam {

// The words of a text in order, lower case: runs of 2 to 24 letters, bytes above 127 counting as letters.
// Left out, because they belong to the corpus and not to the language: whole mail addresses, numbers, the
// names of days and months, and the placeholders that the collectors put in the place of their own names.
std::vector<std::string> WordsOf(std::string_view text);

// The features of a mail, each once: the words of its text, "subject:word" for those of its subject, and
// its traits.
std::set<std::string> FeaturesOf(const Mail& mail);

}  // namespace spam

#endif  // PS_EXAMPLES_SPAM_FILTER_WORDS_H_
