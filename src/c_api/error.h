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

// Keeps what a callback says: a failure, with a code of its own perhaps. Returns the code, of no failure
// PS_INTERNAL.
int Say(int code, const char* message) noexcept;

// Of this thread, so far.
std::uint64_t NumFailures() noexcept;
// What something that returned `code` has failed with: the last failure, where that is of this code and came
// after the first `num_failures`, so that none of before is taken for its reason; else that it said nothing.
Status OutcomeSince(std::uint64_t num_failures, int code);

// Runs a callback of the program, which returns a code.
template <typename Callback>
Status OutcomeOf(Callback&& callback) {
  const std::uint64_t before = NumFailures();
  return OutcomeSince(before, callback());
}

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

// The same for a time to wait: -1, 0 or more milliseconds. Returns it, or a year where it is longer.
std::int64_t CheckTimeout(std::int64_t timeout_ms);
// For barriers, to which 0 is for ever: here it is the shortest time.
std::int64_t CheckBarrierTimeout(std::int64_t timeout_ms);

}  // namespace ps::c_api

#endif  // PS_C_API_ERROR_H_
