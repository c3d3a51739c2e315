#ifndef PS_APP_GATHER_H_
#define PS_APP_GATHER_H_

#include <cstddef>
#include <string>
#include <vector>

#include "app/slicer.h"
#include "ps/kv_pairs.h"
#include "ps/message.h"
#include "ps/pull_buffer.h"
#include "ps/status.h"

namespace ps {

// Puts the answers to one pull where their keys are in the request. Pure: one thread. Nothing is written
// before all answers have come and all sizes are known to fit, so a failed pull leaves the caller's buffers
// as they were.
class Gather {
 public:
  struct Pull {
    std::size_t num_keys = 0;
    ElementType element;
    PullBuffer vals;
    PullBuffer lens;     // no container: not wanted
    bool exact = false;  // of a push-pull: exactly exact_vals elements must come
    std::size_t exact_vals = 0;
  };

  // `slices[i]` was sent to the server of rank i.
  Gather(const Pull& pull, std::vector<Slice> slices);

  // Keeps an answer, by reference. Its keys must be those the server was sent, in any order. Errors name the
  // server.
  Status Add(int node, const Message& answer);
  // All have come: fills the buffers.
  Status Write();

 private:
  struct Answer {
    KVBytes data;
    Places places;
    std::size_t num_vals = 0;
  };

  Status Check(const Slice& slice, const KVBytes& data) const;
  Status CheckSizes(std::size_t num_vals) const;
  std::vector<std::size_t> Lengths() const;
  void WriteVals(const std::vector<std::size_t>& lengths, std::size_t num_vals);
  bool AdoptWhole();

  const Pull pull_;
  const std::vector<Slice> slices_;
  std::vector<Answer> answers_;
};

}  // namespace ps
#endif  // PS_APP_GATHER_H_
