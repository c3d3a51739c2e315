#include "ps/status.h"

namespace ps {

const char* StatusCodeName(StatusCode code) {
  switch (code) {
    case StatusCode::kOk: return "OK";
    case StatusCode::kInvalidArgument: return "InvalidArgument";
    case StatusCode::kDeadlineExceeded: return "DeadlineExceeded";
    case StatusCode::kUnavailable: return "Unavailable";
    case StatusCode::kCancelled: return "Cancelled";
    case StatusCode::kNotFound: return "NotFound";
    case StatusCode::kAlreadyExists: return "AlreadyExists";
    case StatusCode::kResourceExhausted: return "ResourceExhausted";
    case StatusCode::kFailedPrecondition: return "FailedPrecondition";
    case StatusCode::kInternal: return "Internal";
  }
  return "Unknown";
}

Status::Status(StatusCode code, std::string message) {
  if (code == StatusCode::kOk) return;
  // The code may be a byte a peer sent.
  if (code > StatusCode::kInternal) code = StatusCode::kInternal;
  state_ = std::make_shared<const State>(State{code, std::move(message)});
}

Status Status::InvalidArgument(std::string message) {
  return Status(StatusCode::kInvalidArgument, std::move(message));
}
Status Status::DeadlineExceeded(std::string message) {
  return Status(StatusCode::kDeadlineExceeded, std::move(message));
}
Status Status::Unavailable(std::string message) {
  return Status(StatusCode::kUnavailable, std::move(message));
}
Status Status::Cancelled(std::string message) { return Status(StatusCode::kCancelled, std::move(message)); }
Status Status::NotFound(std::string message) { return Status(StatusCode::kNotFound, std::move(message)); }
Status Status::AlreadyExists(std::string message) {
  return Status(StatusCode::kAlreadyExists, std::move(message));
}
Status Status::ResourceExhausted(std::string message) {
  return Status(StatusCode::kResourceExhausted, std::move(message));
}
Status Status::FailedPrecondition(std::string message) {
  return Status(StatusCode::kFailedPrecondition, std::move(message));
}
Status Status::Internal(std::string message) { return Status(StatusCode::kInternal, std::move(message)); }

const std::string& Status::message() const {
  static const std::string empty;
  return ok() ? empty : state_->message;
}

std::string Status::ToString() const {
  if (ok()) return StatusCodeName(StatusCode::kOk);
  return std::string(StatusCodeName(code())) + ": " + message();
}

void ThrowIfError(const Status& status) {
  if (!status.ok()) throw Error(status);
}

}  // namespace ps
