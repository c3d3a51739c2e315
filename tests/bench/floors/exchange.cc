// Processes that move the bytes of an allreduce through shared memory: each block goes round a ring twice,
// copied once at each step, and nothing is added.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <vector>

#include "tests/bench/floors/counter.h"
#include "tests/bench/floors/floor.h"
#include "tests/bench/floors/pattern.h"
#include "tests/bench/floors/peer.h"
#include "tools/ps_bench/turns.h"

namespace ps::floors {
namespace {

constexpr std::size_t kPieceBytes = 256 << 10;  // what a step is made of, so that neighbours overlap
constexpr double kSeriesLimitS = 1;

class Exchange : public Floor {
 public:
  explicit Exchange(const Task& task)
      : ranks_(std::max(task.count, 2)),
        block_(std::max(task.bytes / static_cast<std::size_t>(ranks_) / kLineBytes * kLineBytes, kLineBytes)),
        pieces_(static_cast<std::uint32_t>((block_ + kPieceBytes - 1) / kPieceBytes)),
        times_(static_cast<int>(std::max<std::size_t>(task.total_bytes / task.bytes, 2))),
        own_(block_ * static_cast<std::size_t>(ranks_)) {
    for (int rank = 0; rank < ranks_; ++rank) {
      arrays_.push_back(static_cast<char*>(MapShared(block_ * static_cast<std::size_t>(ranks_))));
      done_.push_back(MakeShared<Counter>());
    }
    for (std::size_t at = 0; at < own_.size(); at += block_) FillPattern(own_.data() + at, block_);
    for (int rank = 1; rank < ranks_; ++rank)
      peers_.push_back(std::make_unique<Peer>([this, rank] {
        while (true) Once(rank);
      }));
  }

  // The others are held back by what this one has not done.
  Figures Run() override {
    const std::vector<double> us = bench::TimeEach(times_, kSeriesLimitS, [this] { Once(0); });
    for (std::size_t at = 0; at < own_.size(); at += block_)
      CheckPattern(own_.data() + at, block_, kLineBytes);
    return bench::LatencyFigures(us);
  }

 private:
  // Sends the block that has come in the step before.
  void Once(int rank) {
    const int left = (rank + ranks_ - 1) % ranks_;
    for (int step = 0; step < 2 * (ranks_ - 1); ++step)
      for (std::uint32_t piece = 0; piece < pieces_; ++piece) {
        Send(rank, step, piece);
        Receive(left, step, piece);
      }
  }
  std::size_t At(int rank, int step) const {
    return static_cast<std::size_t>(((rank - step) % ranks_ + ranks_) % ranks_) * block_;
  }
  // A block has a place of its own, which comes to be used again a round later, with the same bytes.
  void Send(int rank, int step, std::uint32_t piece) {
    const std::size_t at = piece * kPieceBytes;
    std::memcpy(arrays_[static_cast<std::size_t>(rank)] + At(rank, step) + at,
                own_.data() + At(rank, step) + at, std::min(kPieceBytes, block_ - at));
    done_[static_cast<std::size_t>(rank)]->Raise(++mine_);
  }
  void Receive(int left, int step, std::uint32_t piece) {
    Counter& theirs = *done_[static_cast<std::size_t>(left)];
    while (static_cast<std::int32_t>(mine_ - theirs_) > 0) theirs_ = theirs.AwaitBeyond(theirs_);
    const std::size_t at = piece * kPieceBytes;
    std::memcpy(own_.data() + At(left, step) + at,
                arrays_[static_cast<std::size_t>(left)] + At(left, step) + at,
                std::min(kPieceBytes, block_ - at));
  }

  const int ranks_;
  const std::size_t block_;
  const std::uint32_t pieces_;  // of a block
  const int times_;
  std::vector<char> own_;
  std::vector<char*> arrays_;                 // shared, by rank
  std::vector<Counter*> done_;                // pieces, by rank
  std::uint32_t mine_ = 0;                    // of this process
  std::uint32_t theirs_ = 0;                  // of its left neighbour, as far as seen
  std::vector<std::unique_ptr<Peer>> peers_;  // last: they begin with a copy of the rest
};

}  // namespace

std::unique_ptr<Floor> MakeExchange(const Task& task) { return std::make_unique<Exchange>(task); }

}  // namespace ps::floors
