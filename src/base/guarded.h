// Guarded: code that may throw, where nothing may escape.
#ifndef PS_BASE_GUARDED_H_
#define PS_BASE_GUARDED_H_

#include "ps/status.h"

namespace ps {

// What the exception under way means: of an Error its status (kInternal, if that says ok), kResourceExhausted
// where there was no memory, else kInternal with its text. To be called by a handler.
Status StatusOfException();

// Runs `code`, of users or what may find no memory; what escapes from it becomes a Status.
template <typename Code>
Status Guarded(Code&& code) {
  try {
    return code();
  } catch (...) {
    return StatusOfException();
  }
}

}  // namespace ps

#endif  // PS_BASE_GUARDED_H_
