#ifndef PS_EXAMPLES_SPAM_FILTER_MAIL_H_
#define PS_EXAMPLES_SPAM_FILTER_MAIL_H_

#include <set>
#include <string>
#include <string_view>

namespace spam {

// What the filter is allowed to see of a mail: what its author wrote and in which form.
//
// All other headers are left out on purpose. In a collected corpus they say where and when a mail was
// collected (Received, Date, list headers, X-Spam-Status, recipients), which gives the label away and is
// worth nothing on tomorrow's mail.
struct Mail {
  std::string subject;           // decoded
  std::string text;              // all text parts, decoded, HTML reduced to text
  std::set<std::string> traits;  // "type:text/html", "encoding:base64", "tag:font"
};

// Reads a raw message (RFC 5322, an mbox "From " line may come first). Never fails: a broken message gives
// what can be read of it.
Mail ParseMail(std::string_view raw);

}  // namespace spam

#endif  // PS_EXAMPLES_SPAM_FILTER_MAIL_H_
