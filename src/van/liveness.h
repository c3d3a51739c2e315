#ifndef PS_VAN_LIVENESS_H_
#define PS_VAN_LIVENESS_H_

#include <cstdint>
#include <map>
#include <vector>

namespace ps {

// When was each node last heard from. Pure; times are monotonic milliseconds.
class Liveness {
 public:
  // Starts to watch a node as if it had just been heard.
  void Watch(int node, int64_t now_ms);
  void Forget(int node);
  // Any message of the node. Ignored for nodes not watched (counted by the caller). Returns whether it was
  // watched.
  bool Heard(int node, int64_t now_ms);
  // Milliseconds since the last sign of life; -1 if not watched.
  int64_t SilentFor(int node, int64_t now_ms) const;
  // Nodes silent for at least `timeout_ms` (> 0), in order of id.
  std::vector<int> Silent(int64_t timeout_ms, int64_t now_ms) const;

 private:
  std::map<int, int64_t> last_heard_ms_;
};

}  // namespace ps
#endif  // PS_VAN_LIVENESS_H_
