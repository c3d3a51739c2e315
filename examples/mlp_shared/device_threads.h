#ifndef PS_EXAMPLES_MLP_SHARED_DEVICE_THREADS_H_
#define PS_EXAMPLES_MLP_SHARED_DEVICE_THREADS_H_

#include <exception>
#include <functional>
#include <thread>
#include <vector>

#include "examples/mlp_shared/exchange.h"

namespace mlp {

// code(device) for each device, in a thread of its own. Throws what the first of them has thrown; the others
// then do not wait for that one.
inline void OnDevices(Exchange* exchange, int num_devices, const std::function<void(int device)>& code) {
  std::vector<std::exception_ptr> failures(static_cast<std::size_t>(num_devices));
  std::vector<std::thread> threads;
  for (int device = 0; device < num_devices; ++device) {
    threads.emplace_back([&, device] {
      try {
        code(device);
      } catch (const std::exception& error) {
        failures[static_cast<std::size_t>(device)] = std::current_exception();
        exchange->Fail(device, error.what());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& failure : failures) {
    if (failure != nullptr) std::rethrow_exception(failure);
  }
}

}  // namespace mlp

#endif  // PS_EXAMPLES_MLP_SHARED_DEVICE_THREADS_H_
