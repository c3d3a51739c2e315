// What all functions of the C interface have in common: results, errors, requests under way.
//
//   results     Every function returns PS_OK (0) or a code. Nothing is thrown, nothing ends the process.
//               Where a function fails, the handles, numbers and texts that it would write are left alone;
//               arrays that values were to come into may have some of them.
//   errors      PSGetLastError and PSGetLastErrorCode tell the last failure of the calling thread.
//   handles     Are made by Create-like functions, given back by the Free of their kind, and are numbers in
//               the library's books, no addresses: one that is null, was freed, or is of another kind gives
//               PS_INVALID_ARGUMENT. Freeing null does nothing. One may be freed while other threads use it:
//               their calls go on, or fail, and Free does not wait for them.
//   text        In: ends with 0, is copied. Out: belongs to the library, until the next call on this thread
//               that gives text (PSGetLastError: until the next failure).
//   structs     Begin with `struct_size`, sizeof of the struct as the caller knows it; all other members may
//               be 0, which means the default. A null pointer to one: all defaults. Later versions add at the
//               end.
//   callbacks   Are given the `context` that came with them, on a thread of the library unless said
//               otherwise, and must not let anything be thrown. Those with a result return PS_OK, or a code
//               after PSSetLastError: the error of the operation. A failure that a call in it has told may be
//               returned as it is. A context has to stay as long as the callback may be called: of a request
//               until it was, of a store or model until its Free and every other call with it have returned,
//               of a rule (ps/c/updater.h) until the process ends.
//   threads     Any thread may call anything, unless a function says otherwise. In functions of atexit and
//               destructors of thread keys there is no place for texts any more: codes are told as ever,
//               PSGetLastError gives "", no node is bound, and functions that give texts fail.
//   requests    Functions whose last argument is `PSRequest* request`: null waits until it is done, else it
//               returns at once with a request. Then what is read is there when the request is done; what is
//               handed in has been copied when the call returns, unless a function says that it is used
//               where it lies.
#ifndef PS_C_BASE_H_
#define PS_C_BASE_H_

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define PS_C_API __attribute__((visibility("default")))
#else
#define PS_C_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

// Changes when a program that was compiled with these headers could not use a library any more.
#define PS_ABI_VERSION 1
PS_C_API int PSAbiVersion(void);  // of the library; no code
PS_C_API const char* PSVersion(void);

// As ps::StatusCode. They never change; new ones go to the end.
enum PSCode {
  PS_OK = 0,
  PS_INVALID_ARGUMENT = 1,
  PS_DEADLINE_EXCEEDED = 2,
  PS_UNAVAILABLE = 3,
  PS_CANCELLED = 4,
  PS_NOT_FOUND = 5,
  PS_ALREADY_EXISTS = 6,
  PS_RESOURCE_EXHAUSTED = 7,
  PS_FAILED_PRECONDITION = 8,
  PS_INTERNAL = 9
};
PS_C_API const char* PSCodeName(int code);  // "InvalidArgument", ...; "Unknown"

// Of the last call on this thread that failed; "" and PS_OK if none has.
PS_C_API const char* PSGetLastError(void);
PS_C_API int PSGetLastErrorCode(void);
// For callbacks: what they fail with. Returns `code`, which may be the program's own (its PSCode is then
// PS_INTERNAL); 0 is no failure, and becomes PS_INTERNAL.
PS_C_API int PSSetLastError(int code, const char* message);

// An operation under way. Freeing one changes nothing, the operation goes on, but nobody hears of its error.
typedef struct PSRequestObject* PSRequest;

// Returns when it is done, with its outcome; `timeout_ms` -1: for as long as it takes. PS_DEADLINE_EXCEEDED
// after the time, which does not end it, and says whom it waits for. May be called again. An operation may
// have a time of its own, after which a wait with -1 gives PS_DEADLINE_EXCEEDED as well: only PSRequestDone
// tells whether memory that it uses may go.
PS_C_API int PSRequestWait(PSRequest request, int64_t timeout_ms);
PS_C_API int PSRequestDone(PSRequest request, int* done);
// The outcome of one that is done, as a result, without waiting; PS_FAILED_PRECONDITION before.
PS_C_API int PSRequestError(PSRequest request);
// Calls `callback` once with the outcome, soon if it is done. It must not wait for requests. `message` is
// valid during the call. On the calling thread, before this returns, where the request is of nothing or its
// store was closed: hold no lock that the callback takes.
typedef void (*PSRequestCallback)(int code, const char* message, void* context);
PS_C_API int PSRequestThen(PSRequest request, PSRequestCallback callback, void* context);
// Done when all are, with the outcome of the first in this order that failed. They stay the caller's.
PS_C_API int PSRequestAll(size_t num_requests, const PSRequest* requests, PSRequest* all);
PS_C_API int PSRequestFree(PSRequest request);

#ifdef __cplusplus
}
#endif

#endif  // PS_C_BASE_H_
