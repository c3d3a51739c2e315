#include "examples/spam_filter/mail.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <vector>

#include "examples/spam_filter/html.h"
#include "examples/spam_filter/mime.h"

namespace spam {
namespace {

constexpr int kMaxDepth = 8;  // of parts within parts

std::string Lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

std::string_view TakeLine(std::string_view* text) {
  const size_t end = std::min(text->find('\n'), text->size());
  std::string_view line = text->substr(0, end);
  text->remove_prefix(std::min(end + 1, text->size()));
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

// Headers by lower-case name; the first of a name counts, continued lines are joined.
using Headers = std::map<std::string, std::string>;

// Takes the headers and the empty line behind them off `text`.
Headers TakeHeaders(std::string_view* text) {
  Headers headers;
  std::string* last = nullptr;
  while (!text->empty()) {
    const std::string_view line = TakeLine(text);
    if (line.empty()) break;
    const size_t colon = line.find(':');
    if (line[0] == ' ' || line[0] == '\t') {
      if (last != nullptr) *last += ' ' + std::string(line.substr(1));
    } else if (colon != std::string_view::npos) {
      auto [entry, is_new] = headers.emplace(Lower(line.substr(0, colon)), line.substr(colon + 1));
      last = is_new ? &entry->second : nullptr;
    }
  }
  return headers;
}

std::string Find(const Headers& headers, const char* name) {
  const auto it = headers.find(name);
  return it == headers.end() ? "" : it->second;
}

// "text/html" of " Text/HTML; charset=x".
std::string FirstWord(const std::string& header) {
  const std::string lower = Lower(header);
  const size_t begin = lower.find_first_not_of(" \t\"");
  if (begin == std::string::npos) return "";
  return lower.substr(begin, lower.find_first_of("; \t\"", begin) - begin);
}

// The boundary parameter of a content type, "" if there is none.
std::string Boundary(const std::string& content_type) {
  const size_t at = Lower(content_type).find("boundary=");
  if (at == std::string::npos) return "";
  size_t begin = at + 9;
  const bool quoted = begin < content_type.size() && content_type[begin] == '"';
  if (quoted) ++begin;
  return content_type.substr(begin, content_type.find_first_of(quoted ? "\"" : "; \t", begin) - begin);
}

std::vector<std::string_view> SplitParts(std::string_view body, const std::string& boundary) {
  const std::string mark = "--" + boundary;
  std::vector<std::string_view> parts;
  const char* begin = nullptr;  // of the part being read; null in the preamble
  while (!body.empty()) {
    const char* line_begin = body.data();
    const std::string_view line = TakeLine(&body);
    if (line.substr(0, mark.size()) != mark) continue;
    if (begin != nullptr) parts.emplace_back(begin, static_cast<size_t>(line_begin - begin));
    if (line.substr(mark.size(), 2) == "--") return parts;  // what follows is an epilogue
    begin = body.data();
  }
  if (begin != nullptr) parts.emplace_back(begin, static_cast<size_t>(body.data() - begin));
  return parts;
}

void AddText(std::string_view body, const std::string& type, const std::string& encoding, Mail* mail) {
  std::string decoded(body);
  if (encoding == "base64") decoded = DecodeBase64(body);
  if (encoding == "quoted-printable") decoded = DecodeQuotedPrintable(body);
  if (type == "text/html") {
    HtmlContent html = ReadHtml(decoded);
    for (const std::string& tag : html.tags) mail->traits.insert("tag:" + tag);
    decoded = std::move(html.text);
  }
  mail->text += decoded + '\n';
}

void AddPart(std::string_view text, int depth, Mail* mail) {
  const Headers headers = TakeHeaders(&text);
  std::string type = FirstWord(Find(headers, "content-type"));
  if (type.empty()) type = "text/plain";
  const std::string encoding = FirstWord(Find(headers, "content-transfer-encoding"));
  if (depth == 0) mail->subject = DecodeEncodedWords(Find(headers, "subject"));
  mail->traits.insert("type:" + type);
  const std::string boundary = Boundary(Find(headers, "content-type"));
  if (type.rfind("multipart/", 0) == 0 && !boundary.empty() && depth < kMaxDepth) {
    for (std::string_view part : SplitParts(text, boundary)) AddPart(part, depth + 1, mail);
  } else if (type == "message/rfc822" && depth < kMaxDepth) {
    AddPart(text, depth + 1, mail);
  } else if (type.rfind("text/", 0) == 0 || type.rfind("multipart/", 0) == 0) {
    if (encoding == "base64") mail->traits.insert("encoding:base64");
    AddText(text, type, encoding, mail);
  }
}

}  // namespace

Mail ParseMail(std::string_view raw) {
  Mail mail;
  if (raw.substr(0, 5) == "From ") TakeLine(&raw);
  AddPart(raw, 0, &mail);
  return mail;
}

}  // namespace spam
