#ifndef PS_POSTOFFICE_CLOSE_AT_EXIT_H_
#define PS_POSTOFFICE_CLOSE_AT_EXIT_H_

#include <functional>

namespace ps {

// Closes nodes when the process ends, so that the others are told. A handle that never returns must not keep
// it from ending: after a second the thread that waits for it is left behind, and the process goes without
// it. A static object; what `close` uses is never destroyed.
class CloseAtExit {
 public:
  explicit CloseAtExit(std::function<void()> close);
  ~CloseAtExit();
  CloseAtExit(const CloseAtExit&) = delete;
  CloseAtExit& operator=(const CloseAtExit&) = delete;

 private:
  const std::function<void()> close_;
};

}  // namespace ps
#endif  // PS_POSTOFFICE_CLOSE_AT_EXIT_H_
