// The end of every exception: how functions of the C interface fail.
#ifndef PS_C_API_ERROR_H_
#define PS_C_API_ERROR_H_

#include <cstdint>
#include <string>
#include <utility>

#include "base/guarded.h"
#include "ps/status.h"

namespace ps::c_api {

// Keeps a failure for PSGetLastError of the calling thread, and returns its code; of an ok one nothing but
// PS_OK. Never throws: where there is no memory for a text it keeps the code.
int Report(const Status& outcome) noexcept;

// What the last failure on this thread was; ok if none was.
const Status& LastFailure() noexcept;

// The outcome of a callback: what it has said by PSSetLastError with this code, or that it said nothing.
Status OutcomeOfCallback(int code);

// Runs the body of a function: its exceptions become the result.
template <typename Body>
int Call(Body&& body) noexcept {
  return Report(Guarded([&] {
    std::forward<Body>(body)();
    return Status::Ok();
  }));
}

// A text for the caller: until the next one of this thread.
const char* Lend(std::string text);

// Throws Error(kInvalidArgument) where a pointer that is needed is null; `name`: of the argument.
void CheckGiven(const void* pointer, const char* name);

// The same for a time to wait: -1, 0 or more milliseconds.
void CheckTimeout(std::int64_t timeout_ms);

}  // namespace ps::c_api

#endif  // PS_C_API_ERROR_H_
