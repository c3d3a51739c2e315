#include "base/log.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <utility>

#include "base/mutex.h"
#include "base/never_destroyed.h"
#include "ps/base.h"

namespace ps {
namespace {

struct SinkSlot {
  Mutex mutex;
  LogSink sink PS_GUARDED_BY(mutex);
};

// Threads may log while the process ends.
SinkSlot& Slot() {
  static NeverDestroyed<SinkSlot> slot;
  return slot.value;
}

thread_local int thread_verbosity = 0;

const char* Basename(const char* file) {
  const char* slash = std::strrchr(file, '/');
  return slash == nullptr ? file : slash + 1;
}

std::string TimePrefix() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  localtime_r(&now, &parts);
  char text[16];
  const std::size_t length = std::strftime(text, sizeof(text), "[%H:%M:%S] ", &parts);
  return std::string(text, length);
}

// One call for the whole line, so that lines of other threads and processes stay outside. A rest
// is written only when the system took a part (a full pipe, a signal).
void WriteWhole(const std::string& line) {
  std::size_t written = 0;
  while (written < line.size()) {
    const ssize_t n = ::write(STDERR_FILENO, line.data() + written, line.size() - written);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    written += static_cast<std::size_t>(n);
  }
}

// "", "WARNING: " or "WARNING W[9]: ".
std::string Label(Severity severity, const std::string& node) {
  if (severity == Severity::kInfo) return "";
  const std::string label = severity == Severity::kWarning ? "WARNING" : "ERROR";
  return node.empty() ? label + ": " : label + " " + node + ": ";
}

void Emit(Severity severity, const std::string& line) {
  {
    MutexLock lock(Slot().mutex);
    if (Slot().sink) {
      Slot().sink(severity, line);
      return;
    }
  }
  WriteWhole(TimePrefix() + line + "\n");
}

std::string Place(const char* file, int line) {
  return std::string(Basename(file)) + ":" + std::to_string(line) + ": ";
}

}  // namespace

std::string FormatLogLine(Severity severity, const char* file, int line, const std::string& node,
                          const std::string& text) {
  std::string result = Place(file, line) + Label(severity, node);
  for (const char c : text) {
    if (c == '\n') {
      result += "\\n";
    } else {
      result += c;
    }
  }
  return result;
}

void LogLine(Severity severity, const char* file, int line, const std::string& node,
             const std::string& text) {
  Emit(severity, FormatLogLine(severity, file, line, node, text));
}

void SetLogSink(LogSink sink) {
  MutexLock lock(Slot().mutex);
  Slot().sink = std::move(sink);
}

LogMessage::~LogMessage() {
  // A program's own text keeps its line breaks: it may print tables.
  Emit(Severity::kInfo, Place(file_, line_) + text_.str());
}

int ThreadVerbosity() { return thread_verbosity; }

void SetThreadVerbosity(int verbosity) { thread_verbosity = verbosity; }

namespace internal {

void DCheckFailed(const char* file, int line, const char* condition, bool fatal) {
  LogLine(Severity::kError, file, line, "",
          std::string("this is a bug of the library, please report it: ") + condition + " does not hold");
  if (fatal) std::abort();
}

}  // namespace internal
}  // namespace ps
