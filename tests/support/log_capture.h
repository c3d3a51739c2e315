// Collects the log lines of the process while it lives, instead of stderr.
#ifndef PS_TESTS_SUPPORT_LOG_CAPTURE_H_
#define PS_TESTS_SUPPORT_LOG_CAPTURE_H_

#include <algorithm>
#include <mutex>
#include <string>
#include <vector>

#include "base/log.h"

namespace ps {

// One at a time. Lines have no time and no line feed, see FormatLogLine.
class LogCapture {
 public:
  LogCapture() {
    SetLogSink([this](Severity, const std::string& line) {
      std::lock_guard<std::mutex> lock(mutex_);
      lines_.push_back(line);
    });
  }
  ~LogCapture() { SetLogSink(nullptr); }
  LogCapture(const LogCapture&) = delete;
  LogCapture& operator=(const LogCapture&) = delete;

  std::vector<std::string> lines() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return lines_;
  }

  // How many lines contain `text`.
  int Count(const std::string& text) const {
    std::lock_guard<std::mutex> lock(mutex_);
    return static_cast<int>(std::count_if(lines_.begin(), lines_.end(), [&text](const std::string& line) {
      return line.find(text) != std::string::npos;
    }));
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> lines_;
};

}  // namespace ps

#endif  // PS_TESTS_SUPPORT_LOG_CAPTURE_H_
