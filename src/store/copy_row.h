#ifndef PS_STORE_COPY_ROW_H_
#define PS_STORE_COPY_ROW_H_

#include <cstddef>
#include <cstring>

namespace ps {

// Rows are short: no call for a few bytes.
inline void CopyRow(char* to, const char* from, std::size_t bytes) {
  if (bytes == 4) {
    std::memcpy(to, from, 4);
  } else if (bytes == 8) {
    std::memcpy(to, from, 8);
  } else {
    std::memcpy(to, from, bytes);
  }
}

}  // namespace ps
#endif  // PS_STORE_COPY_ROW_H_
