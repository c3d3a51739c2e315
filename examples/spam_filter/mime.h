#ifndef PS_EXAMPLES_SPAM_FILTER_MIME_H_
#define PS_EXAMPLES_SPAM_FILTER_MIME_H_

#include <string>
#include <string_view>

namespace spam {

// The transfer encodings of mail (RFC 2045, RFC 2047). Mail is full of broken encodings: what cannot be
// decoded is skipped or kept as it is; these functions never fail.

std::string DecodeBase64(std::string_view text);

// `header`: the variant inside =?...?q?...?=, where "_" stands for a space.
std::string DecodeQuotedPrintable(std::string_view text, bool header = false);

// A header with its =?charset?b|q?text?= words decoded. Bytes stay in their own charset.
std::string DecodeEncodedWords(std::string_view header);

}  // namespace spam

#endif  // PS_EXAMPLES_SPAM_FILTER_MIME_H_
