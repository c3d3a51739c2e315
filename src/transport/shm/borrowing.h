#ifndef PS_TRANSPORT_SHM_BORROWING_H_
#define PS_TRANSPORT_SHM_BORROWING_H_

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "base/arena.h"
#include "transport/shm/doorbell.h"
#include "transport/shm/lending.h"
#include "transport/shm/segment.h"
#include "transport/transport.h"

namespace ps {

// The reader's half of lent memory: turns the loans of a record into views of the writer's arenas, which give
// each piece back when nothing refers to it any more, on whatever thread. The connection to the writer stays
// as long as there are any. Of the polling thread.
class Borrower {
 public:
  // More are not mapped.
  static constexpr size_t kMostArenas = Lender::kMostArenas;

  Borrower(std::shared_ptr<Segment> segment, std::shared_ptr<Doorbell> doorbell)
      : segment_(std::move(segment)), doorbell_(std::move(doorbell)) {}

  void Hear(const std::vector<Announcement>& announced);

  enum class Outcome {
    kRead,
    kWithdrawn,  // taken back, or of an arena that can not be seen here, which the writer is told: the frame
                 // is as good as lost
    kMalformed,
  };
  // `payload` is that of the record, in the ring.
  Outcome Read(const SArray<char>& payload, Frame* frame);

 private:
  struct View;

  std::shared_ptr<Arena> Find(uint64_t arena);
  bool MakeView(const Loan& loan, SArray<char>* view);

  const std::shared_ptr<Segment> segment_;
  const std::shared_ptr<Doorbell> doorbell_;
  std::map<uint64_t, std::shared_ptr<Arena>> arenas_;
};

}  // namespace ps
#endif  // PS_TRANSPORT_SHM_BORROWING_H_
