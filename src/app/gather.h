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
  Gather(const Pull& pull, const std::vector<Slice>& slices);
  // All keys were sent to one server.
  Gather(const Pull& pull, int rank, SArray<Key> keys);

  // Keeps an answer, by reference. Its keys must be those the server was sent, in any order. Errors name the
  // server.
  Status Add(int node, const Message& answer);
  // All have come: fills the buffers.
  Status Write();

 private:
  // What one server was asked, and where its answer goes.
  struct Part {
    SArray<Key> keys;
    Places places;
    KVBytes answer;  // without keys
    std::size_t num_vals = 0;
    bool borrowed = false;        // the server's memory: copied, not handed on
    std::size_t each_length = 0;  // where there are no lens

    std::size_t LengthOf(std::size_t i) const {
      return answer.lens.empty() ? each_length : static_cast<std::size_t>(answer.lens[i]);
    }
  };

  Status Read(const Message& answer, Part* part) const;
  static Status CheckNumKeys(std::size_t came, std::size_t asked);
  Status CheckSizes(std::size_t num_vals) const;
  bool IsInOrder() const;
  bool AdoptWhole();
  void WriteInOrder(std::size_t num_vals);
  void WriteByPlace(std::size_t num_vals);

  std::size_t num_parts() const { return has_first_ ? 1 + others_.size() : 0; }
  Part& part(std::size_t i) { return i == 0 ? first_ : others_[i - 1]; }
  const Part& part(std::size_t i) const { return i == 0 ? first_ : others_[i - 1]; }

  const Pull pull_;
  // Parts by rank, from first_rank_ on. The first one, which is the only one as a rule, needs no memory of
  // its own.
  const int first_rank_ = 0;
  bool has_first_ = false;
  Part first_;
  std::vector<Part> others_;
};

}  // namespace ps
#endif  // PS_APP_GATHER_H_
