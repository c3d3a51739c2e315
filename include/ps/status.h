// Status and Result: how the runtime reports what the environment, a peer or the caller did wrong.
// Inside the library nothing throws; the public facade turns a failed Status into ps::Error on the
// calling thread.
#ifndef PS_STATUS_H_
#define PS_STATUS_H_

#include <dmlc/logging.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <utility>

namespace ps {

// The kinds of failure a caller can act upon. The values travel as one byte on the wire:
// they never change, new ones go to the end.
enum class StatusCode : std::uint8_t {
  kOk = 0,
  kInvalidArgument = 1,     // the caller's or the configuration's mistake; retrying cannot help
  kDeadlineExceeded = 2,    // the time given was over
  kUnavailable = 3,         // a node or the network is not there
  kCancelled = 4,           // the object was closed with the request in flight
  kNotFound = 5,            // the thing named does not exist
  kAlreadyExists = 6,       // the thing named exists and is somebody else's
  kResourceExhausted = 7,   // a stated bound of memory or number is reached
  kFailedPrecondition = 8,  // not in this state, for example before Start
  kInternal = 9,            // a bug of the library
};

// "OK", "InvalidArgument", ...; for a byte that is no code: "Unknown".
const char* StatusCodeName(StatusCode code);

// The outcome of an operation: ok, or a code with a message that says what failed, who (role, rank,
// address), how long it took and what to set. Null inside when ok; copies share the text.
// A value: distinct objects may be used from different threads.
class [[nodiscard]] Status {
 public:
  Status() = default;
  // `code` kOk gives an ok Status and drops the message. Bytes that are no code become kInternal.
  Status(StatusCode code, std::string message);

  static Status Ok() { return Status(); }
  static Status InvalidArgument(std::string message);
  static Status DeadlineExceeded(std::string message);
  static Status Unavailable(std::string message);
  static Status Cancelled(std::string message);
  static Status NotFound(std::string message);
  static Status AlreadyExists(std::string message);
  static Status ResourceExhausted(std::string message);
  static Status FailedPrecondition(std::string message);
  static Status Internal(std::string message);

  bool ok() const { return state_ == nullptr; }
  StatusCode code() const { return ok() ? StatusCode::kOk : state_->code; }
  // Empty when ok. The reference lives as long as this Status is neither assigned nor destroyed.
  const std::string& message() const;
  // "OK", or "Unavailable: server 0 (id 8) ...".
  std::string ToString() const;

  friend bool operator==(const Status& a, const Status& b) {
    return a.code() == b.code() && a.message() == b.message();
  }
  friend bool operator!=(const Status& a, const Status& b) { return !(a == b); }
  friend std::ostream& operator<<(std::ostream& out, const Status& status) {
    return out << status.ToString();
  }

 private:
  struct State {
    StatusCode code;
    std::string message;
  };

  // Immutable after construction, so that copies may be read by several threads.
  std::shared_ptr<const State> state_;
};

// What the public facade throws. A program that knows dmlc::Error only catches it as that.
class Error : public dmlc::Error {
 public:
  explicit Error(const Status& status) : dmlc::Error(status.ToString()), status_(status) {}

  const Status& status() const { return status_; }
  StatusCode code() const { return status_.code(); }

 private:
  Status status_;
};

// Throws Error when `status` is not ok.
void ThrowIfError(const Status& status);

// Either a value or the Status that says why there is none.
template <typename T>
class [[nodiscard]] Result {
 public:
  // Implicit, so that a function can `return value;` or `return Status::NotFound(...);`.
  Result(T value) : value_(std::move(value)) {}  // NOLINT(google-explicit-constructor)
  Result(Status status)                          // NOLINT(google-explicit-constructor)
      : status_(status.ok() ? Status::Internal("a Result was made of an ok Status") : std::move(status)) {}

  bool ok() const { return value_.has_value(); }
  // Ok exactly when there is a value.
  const Status& status() const { return status_; }

  // The value. Throws Error with the status when there is none.
  const T& value() const& {
    ThrowIfError(status_);
    return *value_;
  }
  T& value() & {
    ThrowIfError(status_);
    return *value_;
  }
  T&& value() && {
    ThrowIfError(status_);
    return std::move(*value_);
  }

 private:
  Status status_;
  std::optional<T> value_;
};

}  // namespace ps

// Returns the Status of `expr` from the enclosing function when it is not ok.
#define PS_RETURN_IF_ERROR(expr)             \
  do {                                       \
    ::ps::Status ps_status_ = (expr);        \
    if (!ps_status_.ok()) return ps_status_; \
  } while (false)

#endif  // PS_STATUS_H_
