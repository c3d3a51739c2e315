#ifndef PS_COLLECTIVE_PLAN_H_
#define PS_COLLECTIVE_PLAN_H_

#include <cstdint>
#include <vector>

#include "collective/signature.h"
#include "ps/range.h"

namespace ps {

// How ranks exchange values.
enum class Algorithm : std::uint8_t {
  kRollCall,  // nothing but the roll call
  kDoubling,  // everybody has everything and adds it, in log2(P) exchanges: the fewest messages
  kHalving,  // halves are exchanged and added, then doubled back: 2 log2(P) exchanges, each value moved twice
  kDirect,   // each block goes straight to the rank that reduces it, and from there to all: two steps, each
             // value moved twice
  kRing,     // blocks go round, once to be reduced, once to be had: neighbours only, each value moved twice
  kBruck,    // blocks double with each exchange (Bruck et al., 1997)
  kTree,     // from the root on, those who have it double
  kChain,    // from the root on, one hands it to the next
};

// The algorithm for so many bytes on `size` ranks.
Algorithm ChooseAlgorithm(CollectiveKind kind, std::uint64_t bytes, int size);

// What comes of values that arrive.
enum class Take : std::uint8_t {
  kToken,   // nothing: that it has come is all
  kStore,   // they take the place of what is there
  kReduce,  // they are reduced with what is there
  kAdd,     // they are reduced with what earlier rounds have made of it
  kPass,    // as kReduce, but the result is of use for the next step's sending only, and is not kept
};

// What a rank does in one round; elements, of the whole array. A peer of -1: it sends, or receives, nothing.
// Ranges that travel are not empty but for tokens. Round i of all ranks belong together: what one sends in it
// is what the other receives in it.
struct PlanStep {
  int to = -1;
  Range out;
  int from = -1;
  Range in;
  Take take = Take::kToken;
};

// What one rank does: in order, as if it sent without waiting, then received, round by round. A round may be
// begun earlier wherever the elements that it sends are there.
struct Plan {
  Algorithm algorithm = Algorithm::kRollCall;
  std::vector<PlanStep> steps;
  std::uint64_t piece = 0;  // elements of a message, at most; above 0
};

// The plan of `rank` among `size`, the same rounds for all of them. All but kDoubling begin with a roll call,
// so that values are sent only to those who expect them: it ends for nobody before everybody has begun; of
// kDirect everybody tells everybody, and is sent values from then on. `piece`: 0 is the usual one.
Plan MakePlan(Algorithm algorithm, const Signature& signature, int rank, int size, std::uint64_t piece = 0);
inline Plan MakePlan(const Signature& signature, int rank, int size) {
  return MakePlan(ChooseAlgorithm(signature.kind, signature.bytes(), size), signature, rank, size);
}

// Which elements of `count` are those of `rank`.
inline Range BlockOf(std::uint64_t count, int rank, int size) {
  const auto at = [&](int r) {
    // Without an overflow of count * r.
    const auto p = static_cast<std::uint64_t>(size);
    const auto i = static_cast<std::uint64_t>(r);
    return count / p * i + count % p * i / p;
  };
  return {at(rank), at(rank + 1)};
}

}  // namespace ps

#endif  // PS_COLLECTIVE_PLAN_H_
