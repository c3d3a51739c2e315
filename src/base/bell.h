#ifndef PS_BASE_BELL_H_
#define PS_BASE_BELL_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ps {

// Wakes one thread that may sleep on several words at once. Ringing takes no lock, so it is allowed under
// any, and costs one atomic addition while nobody sleeps.
class Bell {
 public:
  // Changes with every Ring. Read it before looking at what a ring may be about.
  uint32_t rings() const { return rings_.load(); }
  void Ring();

  // A word of memory that others, of other processes too, change and wake with WakeWord.
  struct Word {
    const std::atomic<uint32_t>* address = nullptr;
    uint32_t value = 0;  // slept on while it has this value
  };
  static constexpr size_t kMostWords = 127;

  // Whether this system can sleep on several words (futex_waitv, since Linux 5.16).
  static bool CanSleep();
  // Sleeps until a ring after `rings`, a change of one of `words`, or `deadline_ms` of Clock::Real(); also
  // for no reason. One thread at a time.
  void Sleep(uint32_t rings, const std::vector<Word>& words, int64_t deadline_ms);
  // Between these the sleeper looks for the last time; a Ring after the first wakes it.
  void BeginSleep() { is_asleep_.store(true); }
  void EndSleep() { is_asleep_.store(false); }

  // Wakes whoever sleeps on a word that is shared between processes.
  static void WakeWord(std::atomic<uint32_t>* word);

 private:
  std::atomic<uint32_t> rings_{0};
  std::atomic<bool> is_asleep_{false};
};

}  // namespace ps
#endif  // PS_BASE_BELL_H_
