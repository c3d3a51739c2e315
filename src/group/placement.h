#ifndef PS_GROUP_PLACEMENT_H_
#define PS_GROUP_PLACEMENT_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "ps/device_id.h"

namespace ps {

// Which device sums which key (MXNet's CommDevice). Keys wait until one of them is asked for; then all that
// wait are placed, the largest first, each on the device of its own choice that has the fewest bytes so far,
// the lowest index first. Pure; one thread.
class Placement {
 public:
  // A key that may be summed on any of `devices`, at least one. Known keys are placed anew.
  void Add(std::uint64_t key, std::size_t bytes, const std::vector<DeviceId>& devices);
  // Its device; nothing for a key that is not known.
  std::optional<DeviceId> Find(std::uint64_t key);
  // Its bytes no longer count.
  void Remove(std::uint64_t key);

 private:
  using Name = std::pair<int, int>;  // kind and index: in the order in which equals are chosen
  struct Waiting {
    std::uint64_t key;
    std::size_t bytes;
    std::vector<DeviceId> devices;
  };
  struct Placed {
    DeviceId device;
    std::size_t bytes;
  };

  void PlaceWaiting();
  void Place(const Waiting& key);

  std::vector<Waiting> waiting_;  // in the order they came
  std::map<std::uint64_t, Placed> placed_;
  std::map<Name, std::uint64_t> bytes_;  // of the keys placed on a device
};

}  // namespace ps

#endif  // PS_GROUP_PLACEMENT_H_
