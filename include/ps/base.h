// Key, node groups, and the logging macros programs use.
#ifndef PS_BASE_H_
#define PS_BASE_H_

#include <dmlc/logging.h>

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <ostream>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>

namespace ps {

using Key = std::uint64_t;

// A key like any other: it belongs to the last server.
static const Key kMaxKey = std::numeric_limits<Key>::max();

// Groups of nodes: a bit mask, so sums up to 7 name unions. kScheduler is also the scheduler's id.
static const int kScheduler = 1;
static const int kServerGroup = 2;
static const int kWorkerGroup = 4;

// The verbosity of the node the calling thread is bound to; 0 for a thread that is bound to none.
int ThreadVerbosity();
void SetThreadVerbosity(int verbosity);

// One log line of a program: collects what is streamed into it and writes it with a single
// write(2) to stderr when it goes, as "[HH:MM:SS] file:line: text". Made by the macros below.
class LogMessage {
 public:
  LogMessage(const char* file, int line) : file_(file), line_(line) {}
  ~LogMessage();
  LogMessage(const LogMessage&) = delete;
  LogMessage& operator=(const LogMessage&) = delete;

  std::ostream& stream() { return text_; }

 private:
  const char* file_;
  int line_;
  std::ostringstream text_;
};

namespace internal {

// Reports a broken PS_DCHECK; ends the process when `fatal`.
void DCheckFailed(const char* file, int line, const char* condition, bool fatal);

template <typename T, typename = void>
struct IsPrintable : std::false_type {};
template <typename T>
struct IsPrintable<T, std::void_t<decltype(std::declval<std::ostream&>() << std::declval<const T&>())>>
    : std::true_type {};

template <typename T>
void PrintOperand(std::ostream& out, const T& operand) {
  if constexpr (IsPrintable<T>::value) {
    out << operand;
  } else if constexpr (std::is_enum_v<T>) {
    out << +static_cast<std::underlying_type_t<T>>(operand);
  } else {
    out << "?";
  }
}

// What a failed comparison shows: " (1 vs. 2) ". Null means the comparison held.
using CheckFailure = std::unique_ptr<std::string>;

template <typename X, typename Y>
CheckFailure DescribeOperands(const X& x, const Y& y) {
  std::ostringstream out;
  out << " (";
  PrintOperand(out, x);
  out << " vs. ";
  PrintOperand(out, y);
  out << ") ";
  return std::make_unique<std::string>(out.str());
}

// The comparison stands in a function so that operands are evaluated once, and here, so that the
// sign of integers of different types is compared without a warning at every use. The overload
// takes ints by value: constants that are declared in a class only are no references.
#define PS_DEFINE_CHECK_(name, op)                      \
  template <typename X, typename Y>                     \
  CheckFailure Check##name(const X& x, const Y& y) {    \
    return (x op y) ? nullptr : DescribeOperands(x, y); \
  }                                                     \
  inline CheckFailure Check##name(int x, int y) { return (x op y) ? nullptr : DescribeOperands(x, y); }
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-compare"
PS_DEFINE_CHECK_(LT, <)
PS_DEFINE_CHECK_(GT, >)
PS_DEFINE_CHECK_(LE, <=)
PS_DEFINE_CHECK_(GE, >=)
PS_DEFINE_CHECK_(EQ, ==)
PS_DEFINE_CHECK_(NE, !=)
#pragma GCC diagnostic pop
#undef PS_DEFINE_CHECK_

}  // namespace internal
}  // namespace ps

// What dmlc-core's macros lack: comparisons of operands that cannot be printed, checks inside an
// if without braces, and log lines that are written whole. A failed check throws dmlc::Error.
#if !DMLC_USE_GLOG && !defined(DMLC_USE_LOGGING_LIBRARY)
#undef CHECK
#undef CHECK_LT
#undef CHECK_GT
#undef CHECK_LE
#undef CHECK_GE
#undef CHECK_EQ
#undef CHECK_NE
#undef LOG_INFO
#undef LOG_WARNING
#undef LOG_ERROR

// `while` and not `if`: it leaves no else to dangle, and the body never returns.
#define CHECK(x) \
  while (!(x)) dmlc::LogMessageFatal(__FILE__, __LINE__).stream() << "Check failed: " #x << ": "
#define PS_CHECK_OP_(name, op, x, y)                                     \
  while (auto ps_check_failure_ = ::ps::internal::Check##name((x), (y))) \
  dmlc::LogMessageFatal(__FILE__, __LINE__).stream()                     \
      << "Check failed: " << #x " " #op " " #y << *ps_check_failure_ << ": "
#define CHECK_LT(x, y) PS_CHECK_OP_(LT, <, x, y)
#define CHECK_GT(x, y) PS_CHECK_OP_(GT, >, x, y)
#define CHECK_LE(x, y) PS_CHECK_OP_(LE, <=, x, y)
#define CHECK_GE(x, y) PS_CHECK_OP_(GE, >=, x, y)
#define CHECK_EQ(x, y) PS_CHECK_OP_(EQ, ==, x, y)
#define CHECK_NE(x, y) PS_CHECK_OP_(NE, !=, x, y)

#define LOG_INFO ::ps::LogMessage(__FILE__, __LINE__)
#define LOG_WARNING LOG_INFO
#define LOG_ERROR LOG_INFO
#endif

#ifndef LL
#define LL LOG(ERROR)
#endif

#ifndef DISALLOW_COPY_AND_ASSIGN
#define DISALLOW_COPY_AND_ASSIGN(TypeName) \
  TypeName(const TypeName&) = delete;      \
  void operator=(const TypeName&) = delete
#endif

// Logs when the verbosity of the thread's node is at least n.
#define PS_VLOG(n) LOG_IF(INFO, (n) <= ::ps::ThreadVerbosity())

// For what only a bug of the library can break: ends a debug build at once; a release build says so
// once per place and goes on, because a peer's mistake must never end the process.
#ifdef NDEBUG
#define PS_DCHECK(condition)                                               \
  do {                                                                     \
    static std::atomic<bool> ps_dcheck_said_{false};                       \
    if (!(condition) && !ps_dcheck_said_.exchange(true)) {                 \
      ::ps::internal::DCheckFailed(__FILE__, __LINE__, #condition, false); \
    }                                                                      \
  } while (false)
#else
#define PS_DCHECK(condition) \
  ((condition) ? (void)0 : ::ps::internal::DCheckFailed(__FILE__, __LINE__, #condition, true))
#endif

#endif  // PS_BASE_H_
