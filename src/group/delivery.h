#ifndef PS_GROUP_DELIVERY_H_
#define PS_GROUP_DELIVERY_H_

#include <functional>

#include "group/resources.h"
#include "ps/tensor.h"

namespace ps {

// What is to become of a result.
struct Delivery {
  TensorView to;  // of the result's shape and dtype, on any device
  // Called once when the copy has been asked of the stream that it gets (the tensor's own one, else one of
  // the group for its device, of the processor one that works at once), with the device current. Null:
  // nothing.
  std::function<void(Stream*)> callback;
};

// Copies a result to a device and runs the callback. `on_copied` is called in between. Done, and the stream
// has come to its end, when it returns. Throws Error: of a stream, or what the callback throws.
void Deliver(Resources* resources, const Tensor& from, const Delivery& delivery,
             const std::function<void()>& on_copied);

}  // namespace ps

#endif  // PS_GROUP_DELIVERY_H_
