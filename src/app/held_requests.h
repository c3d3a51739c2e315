#ifndef PS_APP_HELD_REQUESTS_H_
#define PS_APP_HELD_REQUESTS_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

#include "ps/message.h"

namespace ps {

// Requests that came before there was a handle for them. Data and commands wait apart, each kind in its
// order. Bounded in number and bytes. Pure: one thread, no clock.
class HeldRequests {
 public:
  static constexpr std::size_t kMaxRequests = 100000;
  static constexpr int64_t kMaxBytes = 256LL << 20;

  enum Lane { kData = 0, kCommands = 1, kNumLanes = 2 };
  static Lane LaneOf(const Meta& meta) { return meta.simple_app ? kCommands : kData; }

  // Keeps a request until its lane is released or its time is over. False, and it is not taken, when there
  // is no room.
  bool Hold(Message* request, int64_t until_ms);
  // True while later requests of the lane have to queue behind those held.
  bool Blocks(Lane lane) const { return !lanes_[lane].empty(); }

  // There is a handle now: what is and will be held in this lane can be taken.
  void Release(Lane lane) { released_[lane] = true; }
  std::optional<Message> TakeReleased();
  bool has_released() const;
  std::optional<Message> TakeExpired(int64_t now_ms);
  // Any request, for closing.
  std::optional<Message> TakeAny();

  // When TakeExpired will have something; INT64_MAX: never.
  int64_t next_expiry_ms() const;

 private:
  struct Held {
    Message message;
    int64_t until_ms;
  };

  Message TakeFront(std::deque<Held>* lane);

  std::deque<Held> lanes_[kNumLanes];
  bool released_[kNumLanes] = {false, false};
  std::size_t num_requests_ = 0;
  int64_t bytes_ = 0;
};

}  // namespace ps
#endif  // PS_APP_HELD_REQUESTS_H_
