// A named thread that is always joined and that no escaping exception can turn into an abort.
#ifndef PS_BASE_THREAD_H_
#define PS_BASE_THREAD_H_

#include <functional>
#include <string>
#include <thread>

namespace ps {

class Thread {
 public:
  // Runs `body` at once. `name` is what debuggers show, cut to the system's 15 characters.
  // An exception that leaves `body` is logged and ends this thread only.
  Thread(std::string name, std::function<void()> body);
  // Joins. Whoever owns the thread has to make the body return first.
  ~Thread();
  Thread(const Thread&) = delete;
  Thread& operator=(const Thread&) = delete;

  // Waits for the end of the body; idempotent. Not to be called by two threads at once.
  // Called by the thread itself it does nothing: the destructor then lets it run out alone. The same in a
  // child of fork(), where the thread is not.
  void Join();

  // True when the caller is this thread.
  bool IsCurrent() const;

 private:
  std::thread thread_;
};

}  // namespace ps

#endif  // PS_BASE_THREAD_H_
