#include "c_api/error.h"

#include <algorithm>

#include "base/never_destroyed.h"
#include "c_api/thread_own.h"
#include "ps/c/base.h"

namespace ps::c_api {
namespace {

// What is beyond is for ever, and sums of it with the time of day are no numbers any more.
constexpr std::int64_t kLongestMs = 1000LL * 60 * 60 * 24 * 365;

struct Told {
  Status last_failure;
  int said = PS_OK;                // its code, as PSSetLastError was told it
  std::uint64_t num_failures = 0;  // so far
  std::string lent;
};

struct OfErrors;
Told* ToldHere() noexcept { return ThreadOwn<Told, OfErrors>(); }

template <StatusCode kCode, int kOfC>
constexpr bool kIsSame = static_cast<int>(kCode) == kOfC;
static_assert(kIsSame<StatusCode::kOk, PS_OK> && kIsSame<StatusCode::kInvalidArgument, PS_INVALID_ARGUMENT> &&
              kIsSame<StatusCode::kDeadlineExceeded, PS_DEADLINE_EXCEEDED> &&
              kIsSame<StatusCode::kUnavailable, PS_UNAVAILABLE> &&
              kIsSame<StatusCode::kCancelled, PS_CANCELLED> && kIsSame<StatusCode::kNotFound, PS_NOT_FOUND> &&
              kIsSame<StatusCode::kAlreadyExists, PS_ALREADY_EXISTS> &&
              kIsSame<StatusCode::kResourceExhausted, PS_RESOURCE_EXHAUSTED> &&
              kIsSame<StatusCode::kFailedPrecondition, PS_FAILED_PRECONDITION> &&
              kIsSame<StatusCode::kInternal, PS_INTERNAL>);

StatusCode KnownCode(int code) {
  return code > PS_OK && code <= PS_INTERNAL ? static_cast<StatusCode>(code) : StatusCode::kInternal;
}

void Keep(const Status& failure, int said) noexcept {
  Told* const here = ToldHere();
  if (here == nullptr) return;  // the thread is about to end, and asks nothing any more
  here->last_failure = failure;
  here->said = said;
  ++here->num_failures;
}

}  // namespace

int Report(const Status& outcome) noexcept {
  const int code = static_cast<int>(outcome.code());
  if (!outcome.ok()) Keep(outcome, code);
  return code;
}

const Status& LastFailure() noexcept {
  static NeverDestroyed<Status> nothing;
  const Told* const here = ToldHere();
  return here == nullptr ? nothing.value : here->last_failure;
}

int Say(int code, const char* message) noexcept {
  if (code == PS_OK) code = PS_INTERNAL;
  Keep(Guarded([&] { return Status(KnownCode(code), message == nullptr ? "" : message); }), code);
  return code;
}

std::uint64_t NumFailures() noexcept {
  const Told* const here = ToldHere();
  return here == nullptr ? 0 : here->num_failures;
}

Status OutcomeSince(std::uint64_t num_failures, int code) {
  if (code == PS_OK) return Status::Ok();
  const Told* const here = ToldHere();
  if (here != nullptr && here->num_failures > num_failures && here->said == code) return here->last_failure;
  return {KnownCode(code),
          "a callback returned " + std::to_string(code) + " and said no more (PSSetLastError)"};
}

const char* Lend(std::string text) {
  Told* const here = ToldHere();
  if (here == nullptr)
    throw Error(Status::FailedPrecondition("this thread is about to end: it has no place for a text"));
  here->lent = std::move(text);
  return here->lent.c_str();
}

void CheckGiven(const void* pointer, const char* name) {
  if (pointer == nullptr) throw Error(Status::InvalidArgument(std::string(name) + " is null"));
}

std::int64_t CheckTimeout(std::int64_t timeout_ms) {
  if (timeout_ms >= -1) return std::min(timeout_ms, kLongestMs);
  throw Error(Status::InvalidArgument("timeout_ms is " + std::to_string(timeout_ms) +
                                      "; it is -1 (the usual time), 0 or more"));
}

std::int64_t CheckBarrierTimeout(std::int64_t timeout_ms) {
  constexpr std::int64_t kShortestMs = 1;  // below, 0 is for ever
  const std::int64_t checked_ms = CheckTimeout(timeout_ms);
  return checked_ms == 0 ? kShortestMs : checked_ms;
}

}  // namespace ps::c_api

extern "C" {

const char* PSGetLastError(void) { return ps::c_api::LastFailure().message().c_str(); }

int PSGetLastErrorCode(void) { return static_cast<int>(ps::c_api::LastFailure().code()); }

int PSSetLastError(int code, const char* message) { return ps::c_api::Say(code, message); }

const char* PSCodeName(int code) {
  return ps::StatusCodeName(static_cast<ps::StatusCode>(code < 0 || code > 255 ? 255 : code));
}

}  // extern "C"
