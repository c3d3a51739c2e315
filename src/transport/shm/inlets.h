#ifndef PS_TRANSPORT_SHM_INLETS_H_
#define PS_TRANSPORT_SHM_INLETS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "transport/poll_set.h"
#include "transport/shm/inlet.h"
#include "transport/transport.h"

namespace ps {

// All rings that peers have handed over to a node. One thread at a time.
class Inlets {
 public:
  explicit Inlets(std::shared_ptr<PollSet> poll_set) : poll_set_(std::move(poll_set)) {}

  // Its doorbell is watched under `tag` until it is done. Errors: kResourceExhausted, and the peer sees its
  // end.
  Status Add(uint64_t tag, Reception::Guest guest);
  // Null when there is none.
  Inlet* Find(uint64_t tag);
  bool empty() const { return inlets_.empty(); }

  // Hands up to `most` frames to the sink, each time beginning with the next peer. Those that are done go,
  // and are told.
  int Drain(FrameSink* sink, int most);
  // Whether Drain would find something.
  bool HasMore() const;

  // Between the two peers wake `sleeper`. False: do not sleep, something has come already.
  bool BeginSleep(Sleeper sleeper);
  void EndSleep();
  // The same beside a helper, which may sleep on the words of some.
  bool ArmPoll();
  // Adds those of all rings.
  void GetWords(Inlet::Words* words) const;
  size_t size() const { return inlets_.size(); }

  void Clear() { inlets_.clear(); }

 private:
  void ForgetDone(FrameSink* sink);

  const std::shared_ptr<PollSet> poll_set_;
  std::vector<std::unique_ptr<Inlet>> inlets_;
  size_t next_ = 0;  // whose turn it is
};

}  // namespace ps
#endif  // PS_TRANSPORT_SHM_INLETS_H_
