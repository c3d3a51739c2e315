// The other process of a floor, and memory that both see.
#ifndef PS_TESTS_BENCH_FLOORS_PEER_H_
#define PS_TESTS_BENCH_FLOORS_PEER_H_

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <new>

namespace ps::floors {

// Throws std::runtime_error with `what` and the system's text for errno, unless `done`.
void Require(bool done, const char* what);

// Memory that processes forked from now on share, present from the start.
void* MapShared(std::size_t bytes);

// A T in such memory, never destroyed: for plain data and atomics.
template <typename T>
T* MakeShared() {
  return new (MapShared(sizeof(T))) T();
}

// A forked process that runs `body` and ends. It is killed with its owner, also when that is killed.
class Peer {
 public:
  explicit Peer(const std::function<void()>& body);
  ~Peer() { End(); }
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  // Idempotent.
  void End();

 private:
  pid_t pid_;
};

}  // namespace ps::floors

#endif  // PS_TESTS_BENCH_FLOORS_PEER_H_
