#ifndef PS_EXAMPLES_SPAM_FILTER_HTML_H_
#define PS_EXAMPLES_SPAM_FILTER_HTML_H_

#include <set>
#include <string>
#include <string_view>

namespace spam {

struct HtmlContent {
  std::string text;            // what a reader sees, and the addresses of links and pictures
  std::set<std::string> tags;  // names of the elements used, lower case
};

// Takes HTML apart, as loosely as mail needs: comments, scripts and styles vanish, a tag that splits a word
// does not split it here (a common trick), unknown entities stay as they are.
HtmlContent ReadHtml(std::string_view html);

}  // namespace spam

#endif  // PS_EXAMPLES_SPAM_FILTER_HTML_H_
