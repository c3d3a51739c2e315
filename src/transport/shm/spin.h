#ifndef PS_TRANSPORT_SHM_SPIN_H_
#define PS_TRANSPORT_SHM_SPIN_H_

#include <cstdint>

namespace ps {

// How long a thread may look for work without sleeping. Whoever is taken off its processor shares it with
// somebody who would have done something useful meanwhile, so then it does not spin for a while: on an idle
// machine spinning saves wake-ups, on a busy one it costs all of them. Pure: time is passed in. One thread at
// a time.
class SpinPolicy {
 public:
  static constexpr int64_t kDefaultUs = 50;
  static constexpr int64_t kBackOffUs = 10000;
  // Whoever spins waits for somebody who needs a processor of its own.
  static constexpr int kFewestProcessors = 2;

  // `spin_us` < 0: kDefaultUs, or 0 where there are fewer processors than kFewestProcessors.
  SpinPolicy(int64_t spin_us, int num_processors);

  // Microseconds from now on, 0: not at all. `switches`: how often this thread was taken off its processor so
  // far, against its will.
  int64_t BudgetUs(int64_t now_us, int64_t switches);
  // From now on `switches` are those of another thread.
  void ChangeThread() { switches_ = -1; }
  // False: it will never be anything but 0.
  bool ever() const { return spin_us_ > 0; }

 private:
  const int64_t spin_us_;
  int64_t switches_ = -1;  // -1: not looked at yet
  int64_t back_off_until_us_ = 0;
};

// Processors that this process may use.
int NumProcessors();
// Of the calling thread; against its will.
int64_t InvoluntarySwitches();
// Lets the other thread of a core go ahead.
inline void RelaxProcessor() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield" ::: "memory");
#endif
}

}  // namespace ps
#endif  // PS_TRANSPORT_SHM_SPIN_H_
