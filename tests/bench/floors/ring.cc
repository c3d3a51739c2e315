// One copy through a ring in shared memory: the least a transport between two processes has to do.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>

#include "tests/bench/floors/counter.h"
#include "tests/bench/floors/floor.h"
#include "tests/bench/floors/pattern.h"
#include "tests/bench/floors/peer.h"
#include "tests/bench/floors/stream.h"

namespace ps::floors {
namespace {

constexpr size_t kRingBytes = 4 << 20;
constexpr size_t kPieceBytes = 256 << 10;
constexpr size_t kColdBytes = 64 << 20;  // more than the last-level cache holds

struct Shared {
  Counter written;    // pieces
  Counter read;       // pieces
  Counter confirmed;  // Runs
  alignas(4096) char ring[kRingBytes];
};

class Ring : public Floor {
 public:
  Ring(const Task& task, size_t source_bytes)
      : task_(task),
        piece_(std::min(task.bytes, kPieceBytes)),
        slot_((piece_ + kLineBytes - 1) / kLineBytes * kLineBytes),
        slots_(static_cast<std::uint32_t>(kRingBytes / slot_)),
        pieces_(static_cast<std::uint32_t>(MessagesOf(task) * ((task.bytes + piece_ - 1) / piece_))),
        shared_(MakeShared<Shared>()),
        source_bytes_(std::max(source_bytes, piece_) / piece_ * piece_),
        source_(MakeSource(source_bytes_, piece_)),
        peer_([this] { Read(); }) {}

  Figures Run() override {
    const auto start = bench::SteadyClock::now();
    for (std::uint32_t i = 0; i < pieces_; ++i) Write();
    const std::uint32_t runs = runs_++;
    shared_->confirmed.AwaitBeyond(runs);
    return StreamFigures(task_, bench::SecondsSince(start));
  }

 private:
  // Touched once, and before there is another process that it would have to be copied for.
  static std::unique_ptr<char[]> MakeSource(size_t bytes, size_t piece) {
    std::unique_ptr<char[]> source(new char[bytes]);
    for (size_t at = 0; at < bytes; at += piece) FillPattern(source.get() + at, piece);
    return source;
  }

  char* Slot(std::uint32_t piece) { return shared_->ring + piece % slots_ * slot_; }

  void Write() {
    while (written_ - read_ >= slots_) read_ = shared_->read.AwaitBeyond(read_);
    std::memcpy(Slot(written_), source_.get() + from_, piece_);
    from_ = from_ + piece_ == source_bytes_ ? 0 : from_ + piece_;
    shared_->written.Raise(++written_);
  }

  // In the peer.
  [[noreturn]] void Read() {
    for (std::uint32_t runs = 1;; ++runs) {
      for (std::uint32_t i = 0; i < pieces_; ++i) {
        if (written_ == read_) written_ = shared_->written.AwaitBeyond(read_);
        CheckPattern(Slot(read_), piece_, kLineBytes);
        shared_->read.Raise(++read_);
      }
      shared_->confirmed.Raise(runs);
    }
  }

  const Task task_;
  const size_t piece_;
  const size_t slot_;
  const std::uint32_t slots_;
  const std::uint32_t pieces_;  // of a Run
  Shared* const shared_;
  const size_t source_bytes_;
  const std::unique_ptr<char[]> source_;
  size_t from_ = 0;
  std::uint32_t written_ = 0;  // what this process knows of both
  std::uint32_t read_ = 0;
  std::uint32_t runs_ = 0;
  Peer peer_;  // last: it begins with a copy of the rest
};

}  // namespace

std::unique_ptr<Floor> MakeRing(const Task& task) { return std::make_unique<Ring>(task, task.bytes); }
std::unique_ptr<Floor> MakeColdRing(const Task& task) { return std::make_unique<Ring>(task, kColdBytes); }

}  // namespace ps::floors
