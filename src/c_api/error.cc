#include "c_api/error.h"

#include <exception>

#include "ps/c/base.h"

namespace ps::c_api {
namespace {

thread_local Status last_failure;
thread_local std::string lent;

}  // namespace

int Report(const Status& outcome) noexcept {
  if (!outcome.ok()) last_failure = outcome;
  return static_cast<int>(outcome.code());
}

const Status& LastFailure() noexcept { return last_failure; }

Status OutcomeOfCallback(int code) {
  if (code == PS_OK) return Status::Ok();
  if (static_cast<int>(last_failure.code()) == code) return last_failure;
  const auto known =
      code > PS_OK && code <= PS_INTERNAL ? static_cast<StatusCode>(code) : StatusCode::kInternal;
  return {known, "a callback returned " + std::to_string(code) + " and said no more (PSSetLastError)"};
}

const char* Lend(std::string text) {
  lent = std::move(text);
  return lent.c_str();
}

void CheckGiven(const void* pointer, const char* name) {
  if (pointer == nullptr) throw Error(Status::InvalidArgument(std::string(name) + " is null"));
}

void CheckTimeout(std::int64_t timeout_ms) {
  if (timeout_ms >= -1) return;
  throw Error(Status::InvalidArgument("timeout_ms is " + std::to_string(timeout_ms) +
                                      "; it is -1 (the usual time), 0 or more"));
}

}  // namespace ps::c_api

extern "C" {

const char* PSGetLastError(void) { return ps::c_api::LastFailure().message().c_str(); }

int PSGetLastErrorCode(void) { return static_cast<int>(ps::c_api::LastFailure().code()); }

int PSSetLastError(int code, const char* message) {
  return ps::c_api::Call([&] {
    const auto known =
        code > PS_OK && code <= PS_INTERNAL ? static_cast<ps::StatusCode>(code) : ps::StatusCode::kInternal;
    throw ps::Error(ps::Status(known, message == nullptr ? "" : message));
  });
}

const char* PSCodeName(int code) {
  return ps::StatusCodeName(static_cast<ps::StatusCode>(code < 0 || code > 255 ? 255 : code));
}

}  // extern "C"
