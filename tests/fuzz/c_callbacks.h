// What the library calls back in programs of a fuzzer.
#ifndef PS_TESTS_FUZZ_C_CALLBACKS_H_
#define PS_TESTS_FUZZ_C_CALLBACKS_H_

#include <dmlc/logging.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "ps/c_api.h"

namespace ps {

inline int FuzzRule(const PSUpdaterCall* call, void* context) {
  const int code = *static_cast<const int*>(context);
  if (call->size > 0 && code == PS_OK) static_cast<char*>(call->values)[0] ^= 1;
  return code == PS_OK ? PS_OK : PSSetLastError(code, "refused");
}
inline void FuzzHeard(int code, const char* message, void* context) {
  CHECK_EQ(code == PS_OK, *message == '\0') << message;
  ++*static_cast<std::atomic<std::size_t>*>(context);
}
inline int FuzzStored(std::int64_t /*key*/, PSTensor received, PSTensor stored, void* /*context*/) {
  CHECK_EQ(PSTensorFree(received), PS_OK);
  CHECK_EQ(PSTensorFree(stored), PS_OK);
  return PS_OK;
}
inline int FuzzPulled(void* /*stream*/, void* /*context*/) { return PS_OK; }

}  // namespace ps

#endif  // PS_TESTS_FUZZ_C_CALLBACKS_H_
