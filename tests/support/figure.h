// Figures that a test measures. `make chaos` collects the lines "FIGURE <id> <text>" of its rows.
#ifndef PS_TESTS_SUPPORT_FIGURE_H_
#define PS_TESTS_SUPPORT_FIGURE_H_

#include <cstdio>
#include <sstream>
#include <string>

namespace ps {

inline void PrintFigure(const std::string& id, const std::string& text) {
  std::printf("FIGURE %s %s\n", id.c_str(), text.c_str());
  std::fflush(stdout);
}

}  // namespace ps

// PS_FIGURE("R4", goodput << " pushes/s");
#define PS_FIGURE(id, stream_expression)       \
  do {                                         \
    std::ostringstream ps_figure_;             \
    ps_figure_ << stream_expression;           \
    ::ps::PrintFigure((id), ps_figure_.str()); \
  } while (false)

#endif  // PS_TESTS_SUPPORT_FIGURE_H_
