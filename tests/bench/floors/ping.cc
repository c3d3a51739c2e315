// Two processes that hand a number back and forth through shared memory: sleeping, or spinning.
#include <atomic>
#include <cstdint>

#include "tests/bench/floors/floor.h"
#include "tests/bench/floors/futex.h"
#include "tests/bench/floors/peer.h"
#include "tests/bench/floors/stream.h"

namespace ps::floors {
namespace {

using Word = std::atomic<std::uint32_t>;

struct Words {
  alignas(128) Word there{0};
  alignas(128) Word back{0};
};

struct Sleeping {
  // Returns when the word has become `wanted`.
  static void Await(Word* word, std::uint32_t wanted) {
    for (std::uint32_t seen = word->load(); seen != wanted; seen = word->load()) FutexWait(word, seen);
  }
  static void Set(Word* word, std::uint32_t value) {
    word->store(value);
    FutexWake(word);
  }
};

struct Spinning {
  static void Await(Word* word, std::uint32_t wanted) {
    while (word->load(std::memory_order_acquire) != wanted) Pause();
  }
  static void Set(Word* word, std::uint32_t value) { word->store(value, std::memory_order_release); }
};

// The number grows by one with each round trip; whoever got another one would wait for ever. The peer lives
// for one Run: spinning, it would take a core from the other side of the measurement.
template <typename Way>
class Ping : public Floor {
 public:
  explicit Ping(const Task& task) : task_(task), words_(MakeShared<Words>()) {}

  Figures Run() override {
    const Peer peer([this] { Echo(); });
    RoundTrip();
    return bench::LatencyFigures(bench::TimeEach(task_.count, kPingLimitS, [this] { RoundTrip(); }));
  }

 private:
  void RoundTrip() {
    ++number_;
    Way::Set(&words_->there, number_);
    Way::Await(&words_->back, number_);
  }

  [[noreturn]] void Echo() {
    while (true) {
      ++number_;
      Way::Await(&words_->there, number_);
      Way::Set(&words_->back, number_);
    }
  }

  const Task task_;
  Words* const words_;
  std::uint32_t number_ = 0;  // of the last round trip; the peer inherits it
};

}  // namespace

std::unique_ptr<Floor> MakeFutexPing(const Task& task) { return std::make_unique<Ping<Sleeping>>(task); }
std::unique_ptr<Floor> MakeSpinPing(const Task& task) { return std::make_unique<Ping<Spinning>>(task); }

}  // namespace ps::floors
