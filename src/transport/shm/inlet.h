#ifndef PS_TRANSPORT_SHM_INLET_H_
#define PS_TRANSPORT_SHM_INLET_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "transport/shm/borrowing.h"
#include "transport/shm/reception.h"
#include "transport/shm/ring.h"
#include "transport/shm/shm_link.h"
#include "transport/transport.h"

namespace ps {

// The receiving end of a ring that a peer has handed over. One thread at a time.
class Inlet {
 public:
  Inlet(uint64_t tag, Reception::Guest guest);
  ~Inlet();
  Inlet(const Inlet&) = delete;
  Inlet& operator=(const Inlet&) = delete;

  // Hands up to `most` frames to the sink; their parts are views into the ring, valid until OnFrame returns,
  // or of lent memory. What was taken back meanwhile is left out.
  // A ring in disorder is told (OnDropped) and given up. Returns how many frames.
  int Drain(FrameSink* sink, int most);
  // Whether Drain would find something.
  bool HasMore() const { return !is_given_up_ && reader_.HasMore(); }
  // Nothing will come any more: the peer is gone and all is read, or the ring was given up.
  bool is_done() const { return is_given_up_ || (is_peer_gone_ && !reader_.HasMore()); }

  // The doorbell is readable.
  void OnBell();
  // Between the two the peer wakes `sleeper`; look at HasMore after the first.
  void BeginSleep(Sleeper sleeper) { reader_.BeginSleep(sleeper); }
  void EndSleep() { reader_.EndSleep(); }
  void ArmPoll() { reader_.ArmPoll(); }
  // What one sleeps on after BeginSleep(kOnWord), and what keeps its memory.
  struct Words {
    std::vector<Bell::Word> words;
    std::vector<std::shared_ptr<char>> memory;
  };
  void AddWord(Words* words) const;

  int fd() const { return doorbell_->fd(); }
  uint64_t tag() const { return tag_; }
  const Hello& hello() const { return hello_; }
  const ReturnPath& path() const { return path_; }

  std::shared_ptr<ShmLinkEnd> reply;  // answers to the peer go here; made when there is one

 private:
  void Release();
  // False: leave it out.
  bool Read(const RingReader::Record& record, Frame* frame);

  const uint64_t tag_;
  const Hello hello_;
  const ReturnPath path_;
  const SArray<char> ring_;  // the data, twice; keeps the segment
  const uint64_t capacity_;
  const std::shared_ptr<Doorbell> doorbell_;  // also of what is lent
  Borrower borrower_;
  RingReader reader_;
  bool is_peer_gone_ = false;
  bool is_given_up_ = false;
};

// The return path of frames that came through a ring, and its tag (0: it is none).
ReturnPath RingReturnPath(uint64_t tag);
uint64_t TagOfRingPath(const ReturnPath& path);

}  // namespace ps
#endif  // PS_TRANSPORT_SHM_INLET_H_
