#include "examples/spam_filter/html.h"

#include <array>
#include <cctype>
#include <utility>

namespace spam {
namespace {

std::string Lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

// Inline elements do not end a word; all others do.
bool IsInline(const std::string& tag) {
  static const std::set<std::string> kInline = {"a", "b",     "big",  "em",     "font",
                                                "i", "small", "span", "strong", "u"};
  return kInline.count(tag) != 0;
}

std::string TagName(std::string_view tag) {
  size_t begin = !tag.empty() && tag[0] == '/' ? 1 : 0;
  size_t end = begin;
  while (end < tag.size() && std::isalnum(static_cast<unsigned char>(tag[end])) != 0) ++end;
  return Lower(tag.substr(begin, end - begin));
}

// The value of href= or src=, "" if the tag has neither.
std::string LinkOf(std::string_view tag) {
  const std::string lower = Lower(tag);
  size_t at = lower.find("href=");
  size_t value = at + 5;
  if (at == std::string::npos) {
    at = lower.find("src=");
    value = at + 4;
  }
  if (at == std::string::npos) return "";
  if (value < lower.size() && (lower[value] == '"' || lower[value] == '\'')) ++value;
  return lower.substr(value, lower.find_first_of("\"' >", value) - value);
}

// Appends the character of the entity at the start of `text` ("&amp;..."); returns its length, 0 if unknown.
size_t TakeEntity(std::string_view text, std::string* out) {
  static constexpr std::array<std::pair<std::string_view, char>, 6> kEntities = {
      {{"&nbsp;", ' '}, {"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&#39;", '\''}}};
  for (const auto& [name, character] : kEntities) {
    if (text.substr(0, name.size()) != name) continue;
    *out += character;
    return name.size();
  }
  return 0;
}

// Where the element at the start of `html` that shows nothing (comment, script, style) ends; 0 if it is not
// one.
size_t SkipHidden(std::string_view html) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kHidden = {
      {{"<!--", "-->"}, {"<script", "</script>"}, {"<style", "</style>"}}};
  for (const auto& [open, close] : kHidden) {
    if (Lower(html.substr(0, open.size())) != open) continue;
    for (size_t at = html.find(close[0], open.size()); at != std::string_view::npos;
         at = html.find(close[0], at + 1)) {
      if (Lower(html.substr(at, close.size())) == close) return at + close.size();
    }
  }
  return 0;
}

// Takes the tag at the start of `html`; returns its length, 0 if it is not closed.
size_t TakeTag(std::string_view html, HtmlContent* content) {
  const size_t end = html.find('>');
  if (end == std::string_view::npos) return 0;
  const std::string_view tag = html.substr(1, end - 1);
  const std::string name = TagName(tag);
  const std::string link = LinkOf(tag);
  if (!name.empty()) content->tags.insert(name);
  if (!IsInline(name) || !link.empty()) content->text += ' ';
  if (!link.empty()) content->text += link + ' ';
  return end + 1;
}

}  // namespace

HtmlContent ReadHtml(std::string_view html) {
  HtmlContent content;
  while (!html.empty()) {
    size_t length = 0;
    if (html[0] == '<') length = SkipHidden(html);
    if (html[0] == '<' && length == 0) length = TakeTag(html, &content);
    if (html[0] == '&') length = TakeEntity(html, &content.text);
    if (length == 0) {
      content.text += html[0];
      length = 1;
    }
    html.remove_prefix(length);
  }
  return content;
}

}  // namespace spam
