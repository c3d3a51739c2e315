// SIGINT, SIGTERM and SIGHUP as events, so that whoever waits can end what it started and then itself.
#ifndef PS_TOOLS_PS_BENCH_INTERRUPTS_H_
#define PS_TOOLS_PS_BENCH_INTERRUPTS_H_

#include <exception>

namespace ps::bench {

// Thrown by whoever waits when such a signal has come.
class Interrupted : public std::exception {
 public:
  explicit Interrupted(int signal) : signal_(signal) {}
  int signal() const { return signal_; }
  const char* what() const noexcept override { return "interrupted"; }

 private:
  const int signal_;
};

// Blocks the signals for this process; made before any thread. One at a time.
class Interrupts {
 public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  // True when `descriptor` can be read (or has reached its end) within `seconds`, false when they are over.
  // -1: waits for the time alone. Throws Interrupted.
  bool AwaitReadable(int descriptor, double seconds) const;

 private:
  int signals_;
};

// In a child, before exec: it takes the signals as usual.
void UnblockInterrupts();

}  // namespace ps::bench

#endif  // PS_TOOLS_PS_BENCH_INTERRUPTS_H_
