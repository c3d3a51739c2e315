#ifndef PS_STORE_ONE_AT_A_TIME_H_
#define PS_STORE_ONE_AT_A_TIME_H_

#include <thread>

#include "base/mutex.h"

namespace ps {

// For code of a program that several threads may come to, and one at a time may run. It runs without a lock
// of the library's; a thread in its turn may come again.
class OneAtATime {
 public:
  OneAtATime() = default;
  OneAtATime(const OneAtATime&) = delete;
  OneAtATime& operator=(const OneAtATime&) = delete;

  // Runs `code` when the others are done.
  template <typename Code>
  void Run(Code code) {
    const Turn turn(this);
    code();
  }
  // Whether the calling thread is in its turn: then it must not wait for another thread's.
  bool IsMine();

 private:
  class Turn {
   public:
    explicit Turn(OneAtATime* of) : of_(*of) { of_.Enter(); }
    ~Turn() { of_.Leave(); }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    OneAtATime& of_;
  };

  void Enter();
  void Leave();

  Mutex mutex_;
  CondVar free_;
  std::thread::id holder_ PS_GUARDED_BY(mutex_);
  int depth_ PS_GUARDED_BY(mutex_) = 0;  // of turns within turns; 0: it is free
};

}  // namespace ps
#endif  // PS_STORE_ONE_AT_A_TIME_H_
