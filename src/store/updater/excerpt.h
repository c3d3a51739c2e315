// Text from outside, as a message repeats it.
#ifndef PS_STORE_UPDATER_EXCERPT_H_
#define PS_STORE_UPDATER_EXCERPT_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace ps {

// On one line and of bounded length: what does not print becomes '?', and what is too much "...".
inline std::string Excerpt(std::string_view text, std::size_t most = 80) {
  std::string excerpt(text.substr(0, most));
  for (char& each : excerpt) {
    const auto byte = static_cast<unsigned char>(each);
    if (byte < ' ' || byte > '~') each = '?';
  }
  return text.size() > most ? excerpt + "..." : excerpt;
}

}  // namespace ps

#endif  // PS_STORE_UPDATER_EXCERPT_H_
