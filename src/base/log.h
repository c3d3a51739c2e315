// Log lines of the library itself. Each line is one write(2) to stderr, so lines of different
// threads and processes never interleave:
//   [HH:MM:SS] file:line: text                      information
//   [HH:MM:SS] file:line: WARNING W[9]: text        warnings and errors, with the node they are of
#ifndef PS_BASE_LOG_H_
#define PS_BASE_LOG_H_

#include <functional>
#include <sstream>
#include <string>

namespace ps {

enum class Severity { kInfo, kWarning, kError };

// Writes one line. `file` is cut to its last component. `node` is the short name of the node, such
// as "W[9]"; empty where no node is meant. Line breaks inside `text` become "\n". Never throws.
void LogLine(Severity severity, const char* file, int line, const std::string& node, const std::string& text);

// The line as LogLine writes it, without the time and without the line feed.
std::string FormatLogLine(Severity severity, const char* file, int line, const std::string& node,
                          const std::string& text);

// For tests: `sink` gets every line of the process (as FormatLogLine gives it) instead of stderr,
// from any thread, one at a time; it must not log. An empty function restores stderr.
using LogSink = std::function<void(Severity severity, const std::string& line)>;
void SetLogSink(LogSink sink);

}  // namespace ps

// PS_LOG(kWarning, node.ShortDebugString(), "waiting for " << n << " nodes");
#define PS_LOG(severity, node_name, stream_expression)                                            \
  do {                                                                                            \
    std::ostringstream ps_log_text_;                                                              \
    ps_log_text_ << stream_expression;                                                            \
    ::ps::LogLine(::ps::Severity::severity, __FILE__, __LINE__, (node_name), ps_log_text_.str()); \
  } while (false)

#endif  // PS_BASE_LOG_H_
