// The floors: what the machine itself can do, to be printed beside the library's figures. Nothing here uses
// the library.
#ifndef PS_TESTS_BENCH_FLOORS_FLOOR_H_
#define PS_TESTS_BENCH_FLOORS_FLOOR_H_

#include <cstddef>
#include <memory>

#include "tools/ps_bench/figures.h"

namespace ps::floors {

using bench::Figures;

// Everything it needs is made by the constructor and used again by every Run; the first Run warms up. What
// was moved or computed is checked; a wrong byte throws std::runtime_error.
class Floor {
 public:
  virtual ~Floor() = default;
  virtual Figures Run() = 0;
};

// What a floor is asked for; each looks at what concerns it.
struct Task {
  std::size_t bytes = 64;              // of a message or block
  std::size_t total_bytes = 64 << 20;  // moved in one Run
  int count = 2000;                    // round trips, processes, batches
  double seconds = 1;                  // of a Run that only waits
};

// bytes_per_s of copying blocks of `bytes` to another place, source and destination used again.
std::unique_ptr<Floor> MakeMemcpy(const Task& task);
// bytes_per_s (of w) of the loop w += a over `bytes` of floats.
std::unique_ptr<Floor> MakeAdd(const Task& task);
// `count` sums of four arrays of `bytes`: p50_us and so on.
std::unique_ptr<Floor> MakeSumLoop(const Task& task);
// Round trips of two processes that sleep in futexes: p50_us, mean_us, p99_us.
std::unique_ptr<Floor> MakeFutexPing(const Task& task);
// The same, spinning on shared memory.
std::unique_ptr<Floor> MakeSpinPing(const Task& task);
// The same over loopback TCP without delay, `bytes` each way.
std::unique_ptr<Floor> MakeTcpPing(const Task& task);
// bytes_per_s and messages_per_s of messages of `bytes` one way, until the last one is confirmed.
std::unique_ptr<Floor> MakeTcpStream(const Task& task);
// The same through a ring of 4 MB in shared memory: one copy into it, in pieces of at most 256 KB, of which
// the reader touches every line. The source is one message's worth of memory (hot), or 64 MB used in turn.
std::unique_ptr<Floor> MakeRing(const Task& task);
std::unique_ptr<Floor> MakeColdRing(const Task& task);
// `count` processes with an array of `bytes` each, which move what an allreduce moves, 2 (count - 1) / count
// of it each, through shared memory, in pieces of 256 KB; total_bytes / bytes times: p50_us and so on of one.
std::unique_ptr<Floor> MakeExchange(const Task& task);
// libzmq over loopback TCP, DEALER to ROUTER: round trips, and a stream as above.
std::unique_ptr<Floor> MakeZmqPing(const Task& task);
std::unique_ptr<Floor> MakeZmqStream(const Task& task);
// keys_per_s of adding to random keys of a table with 5 M rows: linear probing with prefetch.
std::unique_ptr<Floor> MakeHashUpdate(const Task& task);
// seconds that `count` processes take that are started together and end at once.
std::unique_ptr<Floor> MakeProcesses(const Task& task);
// cpu_percent of a process that wakes once a second.
std::unique_ptr<Floor> MakeTick(const Task& task);

}  // namespace ps::floors

#endif  // PS_TESTS_BENCH_FLOORS_FLOOR_H_
