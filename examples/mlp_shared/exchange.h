#ifndef PS_EXAMPLES_MLP_SHARED_EXCHANGE_H_
#define PS_EXAMPLES_MLP_SHARED_EXCHANGE_H_

#include <cstddef>
#include <functional>
#include <string>

namespace mlp {

// How the devices of a process, and processes, add up gradients. A key is one array, of the same size
// everywhere. Each device calls it from a thread of its own.
class Exchange {
 public:
  virtual ~Exchange() = default;

  virtual void InitKey(int key, std::size_t size, int device) = 0;
  // Replaces `gradient` by the sum of those of all devices, some time: nobody touches it until then. Larger
  // `priority` first. `then` is called once when the sum is there, on another thread.
  virtual void Begin(int key, float* gradient, int device, int priority, std::function<void()> then) = 0;
  // Returns when the device's last Begin of the key is done, with its `then`. Throws what has failed.
  virtual void Wait(int key, int device) = 0;
  // The device is out: what the others wait for fails.
  virtual void Fail(int device, const std::string& why) = 0;
};

}  // namespace mlp

#endif  // PS_EXAMPLES_MLP_SHARED_EXCHANGE_H_
