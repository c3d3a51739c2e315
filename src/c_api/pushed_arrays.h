// PushedArrays: what a SharedModel uses where it lies.
#ifndef PS_C_API_PUSHED_ARRAYS_H_
#define PS_C_API_PUSHED_ARRAYS_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <utility>

#include "base/mutex.h"
#include "ps/tensor.h"
#include "ps/ticket.h"

namespace ps::c_api {

// Keeps arrays that devices have pushed as long as the model may use them, so that their handles can be freed
// at any time. Those of several devices are used until their round is merged. The array of a device alone is
// the result of its round: it is used until that was pulled, or, where nobody pulls, until results of later
// rounds have taken its place. Thread-safe; arrays go without the lock.
class PushedArrays {
 public:
  // What Init has said.
  void SetAlone() PS_EXCLUDES(mutex_);
  // Of SetParam: so many rounds may be without a result when a further one is pushed.
  void SetRounds(std::uint64_t rounds) PS_EXCLUDES(mutex_);

  void Add(int key, int device, Tensor array, Ticket merged) PS_EXCLUDES(mutex_);
  // A pull begins. Returns the number of the device's last push, whose result it is.
  std::uint64_t BeginPull(int key, int device) PS_EXCLUDES(mutex_);
  // And has ended. `is_delivered`: the result was copied.
  void EndPull(int key, int device, std::uint64_t number, bool is_delivered) PS_EXCLUDES(mutex_);
  // The model does nothing any more.
  void Clear() PS_EXCLUDES(mutex_);

  std::size_t size() const PS_EXCLUDES(mutex_);

 private:
  struct Entry {
    std::uint64_t number;
    Tensor array;
    Ticket merged;
  };
  // A device's for a key.
  struct Slot {
    std::deque<Entry> entries;
    std::uint64_t last = 0;       // number of the last push
    std::uint64_t delivered = 0;  // of the last one whose result was pulled
    int num_pulls = 0;            // under way: they may be of any of the entries
  };
  using Slots = std::map<std::pair<int, int>, Slot>;

  bool IsUsed(const Slot& slot, const Entry& entry) const PS_REQUIRES(mutex_);
  // Takes out what is not used any more.
  std::deque<Entry> Take(Slot* slot) PS_REQUIRES(mutex_);

  mutable Mutex mutex_;
  Slots slots_ PS_GUARDED_BY(mutex_);
  bool is_alone_ PS_GUARDED_BY(mutex_) = false;
  std::uint64_t rounds_ PS_GUARDED_BY(mutex_) = 2;
};

}  // namespace ps::c_api

#endif  // PS_C_API_PUSHED_ARRAYS_H_
