#ifndef PS_EXAMPLES_PROGRESS_PROGRESS_BAR_H_
#define PS_EXAMPLES_PROGRESS_PROGRESS_BAR_H_

#include <ostream>
#include <string>

namespace progress {

// A bar on a terminal, redrawn in its line: `label[#####.....]  50 %  text`.
class ProgressBar {
 public:
  explicit ProgressBar(std::ostream* out) : out_(*out) {}

  // Whether the last drawing is long enough ago. `seconds` are those of the caller's clock.
  bool Due(double seconds) const { return seconds >= next_seconds_; }
  // `share`, from 0 to 1, is done.
  void Draw(const std::string& label, double share, const std::string& text, double seconds);
  // The line is empty again, and the next drawing due at once.
  void Clear();

 private:
  std::ostream& out_;
  double next_seconds_ = 0;  // from which on the bar may be redrawn
};

}  // namespace progress

#endif  // PS_EXAMPLES_PROGRESS_PROGRESS_BAR_H_
