// DeviceId: where an array lies.
#ifndef PS_DEVICE_ID_H_
#define PS_DEVICE_ID_H_

#include <cstdint>
#include <string>

namespace ps {

// A device of this process. The kinds have DLPack's numbers. `cpu:0` is the processor; `cpu:1` and so on are
// the processor too, under the name of further devices, for programs and tests that have several where there
// is none.
struct DeviceId {
  enum Kind : std::uint8_t { kCpu = 1, kCuda = 2 };
  Kind kind = kCpu;
  int index = 0;

  static DeviceId Cpu(int index = 0) { return {kCpu, index}; }
  static DeviceId Cuda(int index = 0) { return {kCuda, index}; }
};
inline bool operator==(const DeviceId& a, const DeviceId& b) {
  return a.kind == b.kind && a.index == b.index;
}
inline bool operator!=(const DeviceId& a, const DeviceId& b) { return !(a == b); }
// `cpu:0`, `cuda:1`.
std::string ToString(const DeviceId& id);

}  // namespace ps

#endif  // PS_DEVICE_ID_H_
