#include "collective/plan.h"

#include <algorithm>

namespace ps {
namespace {

// Up to so many bytes the number of messages decides, beyond it the bytes that each rank moves. The
// direct exchange and the ring move as many as halving, in pieces that follow each other.
constexpr std::uint64_t kDoublingBytes = 16 << 10;
constexpr std::uint64_t kHalvingBytes = 128 << 10;
constexpr std::uint64_t kTreeBytes = 64 << 10;
// Up to so many ranks everybody exchanges values with everybody: two steps instead of 2 (P - 1), and what
// goes to several is copied once. With more of them too many would speak to one at a time.
constexpr int kDirectRanks = 8;
// Of a message: sending, adding and receiving overlap, and what is added lies in a processor's own cache.
constexpr std::uint64_t kPieceBytes = 256 << 10;

class Planner {
 public:
  Planner(const Signature& signature, int rank, int size, std::uint64_t piece)
      : count_(signature.count),
        root_(static_cast<int>(signature.root)),
        rank_(rank),
        size_(size),
        piece_(piece) {}

  std::vector<PlanStep> Take() { return std::move(steps_); }

  // After round k everybody has heard of 2^(k+1) - 1 others.
  void RollCall() {
    for (int d = 1; d < size_; d *= 2) Exchange(Next(d), {}, Next(-d), {}, ps::Take::kToken);
  }

  // The same at once: everybody tells everybody.
  void CallAll() {
    for (int d = 1; d < size_; ++d) Exchange(Next(-d), {}, Next(d), {}, ps::Take::kToken);
  }

  void Doubling() {
    const Folded folded = Fold();
    for (int d = 1; d < folded.size; d *= 2) {
      const int peer = folded.Peer(d);
      Exchange(peer, All(), peer, All(), ps::Take::kReduce);
    }
    Unfold();
  }

  void Halving() {
    const Folded folded = Fold();
    const int me = folded.virtual_rank;
    // My part of the ranks that still have all: [low, low + d * 2).
    int low = 0;
    for (int d = folded.size / 2; d >= 1; d /= 2) {
      const bool upper = me >= low + d;
      const Range lower_half = Blocks(low, low + d, folded.size);
      const Range upper_half = Blocks(low + d, low + 2 * d, folded.size);
      const int peer = folded.Peer(d);
      Exchange(peer, upper ? lower_half : upper_half, peer, upper ? upper_half : lower_half,
               ps::Take::kReduce);
      if (upper) low += d;
    }
    for (int d = 1; d < folded.size; d *= 2) {
      const int mine = me / d * d;
      const int theirs = mine ^ d;
      const int peer = folded.Peer(d);
      Exchange(peer, Blocks(mine, mine + d, folded.size), peer, Blocks(theirs, theirs + d, folded.size),
               ps::Take::kStore);
    }
    Unfold();
  }

  // Piece by piece, so that what was made of one is in the cache when the next rank's comes.
  void DirectReduce() {
    for (std::uint64_t i = 0; i < num_pieces(); ++i)
      for (int d = 1; d < size_; ++d)
        Exchange(Next(d), PieceOf(Next(d), i), Next(-d), PieceOf(rank_, i),
                 d == 1 ? ps::Take::kReduce : ps::Take::kAdd);
  }
  void DirectGather() {
    for (std::uint64_t i = 0; i < num_pieces(); ++i)
      for (int d = 1; d < size_; ++d)
        Exchange(Next(d), PieceOf(rank_, i), Next(-d), PieceOf(Next(-d), i), ps::Take::kStore);
  }

  // Afterwards each rank has the reduced elements of its own block.
  void RingReduce() {
    for (int i = 0; i + 1 < size_; ++i) {
      const bool is_last = i + 2 == size_;
      Exchange(Next(1), Block(Next(-i - 1)), Next(-1), Block(Next(-i - 2)),
               is_last ? ps::Take::kReduce : ps::Take::kPass);
    }
  }
  void RingGather() {
    for (int i = 0; i + 1 < size_; ++i)
      Exchange(Next(1), Block(Next(-i)), Next(-1), Block(Next(-i - 1)), ps::Take::kStore);
  }

  void Bruck() {
    for (int d = 1; d < size_; d *= 2) {
      const int num = std::min(d, size_ - d);
      const int theirs = Next(d);
      // Blocks from a rank on, which may go on with the first one: two ranges.
      Exchange(Next(-d), UpToLast(rank_, num), theirs, UpToLast(theirs, num), ps::Take::kStore);
      Exchange(Next(-d), FromFirst(rank_, num), theirs, FromFirst(theirs, num), ps::Take::kStore);
    }
  }

  void Tree() {
    const int me = (rank_ - root_ + size_) % size_;
    for (int d = 1; d < size_; d *= 2) {
      const int to = me < d && me + d < size_ ? Next(d) : -1;
      const int from = me >= d && me < 2 * d ? Next(-d) : -1;
      Exchange(to, All(), from, All(), ps::Take::kStore);
    }
  }

  void Chain() {
    const int me = (rank_ - root_ + size_) % size_;
    for (int i = 0; i + 1 < size_; ++i)
      Exchange(i == me ? Next(1) : -1, All(), i + 1 == me ? Next(-1) : -1, All(), ps::Take::kStore);
  }

 private:
  // The ranks as a power of two: of the first ones, odd ones leave theirs to the one before.
  struct Folded {
    int size = 1;
    int num_pairs = 0;
    int virtual_rank = -1;  // -1: takes no part

    int Peer(int d) const {
      if (virtual_rank < 0) return -1;
      const int peer = virtual_rank ^ d;
      return peer < num_pairs ? peer * 2 : peer + num_pairs;
    }
  };

  Folded Fold() {
    Folded folded;
    while (folded.size * 2 <= size_) folded.size *= 2;
    num_pairs_ = folded.num_pairs = size_ - folded.size;
    const bool is_odd = rank_ % 2 != 0;
    if (rank_ >= 2 * num_pairs_) {
      folded.virtual_rank = rank_ - num_pairs_;
    } else if (!is_odd) {
      folded.virtual_rank = rank_ / 2;
    }
    if (num_pairs_ > 0) {
      const bool has_pair = rank_ < 2 * num_pairs_;
      Exchange(has_pair && is_odd ? rank_ - 1 : -1, All(), has_pair && !is_odd ? rank_ + 1 : -1, All(),
               ps::Take::kReduce);
    }
    return folded;
  }
  void Unfold() {
    if (num_pairs_ == 0) return;
    const bool has_pair = rank_ < 2 * num_pairs_;
    const bool is_odd = rank_ % 2 != 0;
    Exchange(has_pair && !is_odd ? rank_ + 1 : -1, All(), has_pair && is_odd ? rank_ - 1 : -1, All(),
             ps::Take::kStore);
  }

  void Exchange(int to, const Range& out, int from, const Range& in, ps::Take take) {
    PlanStep step;
    const bool is_token = take == ps::Take::kToken;
    if (is_token || out.size() > 0) step.to = to;
    if (is_token || in.size() > 0) step.from = from;
    if (step.to >= 0) step.out = out;
    if (step.from >= 0) step.in = in;
    step.take = take;
    steps_.push_back(step);
  }

  int Next(int by) const { return ((rank_ + by) % size_ + size_) % size_; }
  Range All() const { return {0, count_}; }
  Range Block(int rank) const { return BlockOf(count_, rank, size_); }
  // Of the largest block.
  std::uint64_t num_pieces() const {
    const auto ranks = static_cast<std::uint64_t>(size_);
    return size_ == 1 ? 0 : (count_ / ranks + (count_ % ranks != 0 ? 1 : 0) + piece_ - 1) / piece_;
  }
  // Empty behind the end of a block that has fewer.
  Range PieceOf(int rank, std::uint64_t piece) const {
    const Range block = Block(rank);
    const std::uint64_t begin = std::min(block.begin() + piece * piece_, block.end());
    return {begin, begin + std::min(piece_, block.end() - begin)};
  }
  Range Blocks(int begin, int end, int of) const {
    if (begin < 0 || end > of) return {};
    return {BlockOf(count_, begin, of).begin(), BlockOf(count_, end - 1, of).end()};
  }
  Range UpToLast(int first, int num) const { return Blocks(first, std::min(first + num, size_), size_); }
  Range FromFirst(int first, int num) const {
    return first + num > size_ ? Blocks(0, first + num - size_, size_) : Range();
  }

  const std::uint64_t count_;
  const int root_;
  const int rank_;
  const int size_;
  const std::uint64_t piece_;  // elements
  int num_pairs_ = 0;
  std::vector<PlanStep> steps_;
};

}  // namespace

Algorithm ChooseAlgorithm(CollectiveKind kind, std::uint64_t bytes, int size) {
  if (size <= 1 || bytes == 0) return Algorithm::kRollCall;
  const Algorithm large = size <= kDirectRanks ? Algorithm::kDirect : Algorithm::kRing;
  switch (kind) {
    case CollectiveKind::kBarrier: return Algorithm::kRollCall;
    case CollectiveKind::kBroadcast: return bytes <= kTreeBytes ? Algorithm::kTree : Algorithm::kChain;
    case CollectiveKind::kAllreduce:
      if (bytes <= kDoublingBytes) return Algorithm::kDoubling;
      return bytes <= kHalvingBytes ? Algorithm::kHalving : large;
    case CollectiveKind::kReduceScatter: return bytes <= kDoublingBytes ? Algorithm::kDoubling : large;
    case CollectiveKind::kAllgather: return bytes <= kTreeBytes ? Algorithm::kBruck : large;
  }
  return Algorithm::kRollCall;
}

Plan MakePlan(Algorithm algorithm, const Signature& signature, int rank, int size, std::uint64_t piece) {
  if (piece == 0) piece = kPieceBytes / SizeOf(signature.dtype);
  Planner planner(signature, rank, size, piece);
  if (algorithm == Algorithm::kDirect) {
    planner.CallAll();
  } else if (algorithm != Algorithm::kDoubling) {
    planner.RollCall();
  }
  switch (algorithm) {
    case Algorithm::kRollCall: break;
    case Algorithm::kDoubling: planner.Doubling(); break;
    case Algorithm::kHalving: planner.Halving(); break;
    case Algorithm::kBruck: planner.Bruck(); break;
    case Algorithm::kTree: planner.Tree(); break;
    case Algorithm::kChain: planner.Chain(); break;
    case Algorithm::kDirect:
      if (signature.kind != CollectiveKind::kAllgather) planner.DirectReduce();
      if (signature.kind != CollectiveKind::kReduceScatter) planner.DirectGather();
      break;
    case Algorithm::kRing:
      if (signature.kind != CollectiveKind::kAllgather) planner.RingReduce();
      if (signature.kind != CollectiveKind::kReduceScatter) planner.RingGather();
      break;
  }
  Plan plan;
  plan.algorithm = algorithm;
  plan.steps = planner.Take();
  plan.piece = piece;
  return plan;
}

}  // namespace ps
